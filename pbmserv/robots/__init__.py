"""Players that are programs: one module each, found by scanning (`robots.library`). Pure, like the games."""
