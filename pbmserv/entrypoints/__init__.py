"""Floor 5: processes and wiring; no logic."""
