"""Floor 3: bytes to values and back. Knows no database and no templates."""
