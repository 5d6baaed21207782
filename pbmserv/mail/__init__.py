"""Floor 4: bytes to values and back. Knows no database and no templates."""
