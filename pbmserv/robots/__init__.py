"""Floor 1: players that are programs, one module each, found by scanning. Pure, like the games."""
