"""Floor 5: one use case and one transaction each."""
