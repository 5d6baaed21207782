"""Floor 4: one use case and one transaction each."""
