"""Floor 1: one contest as a log of entries, folded into a state. Pure values."""
