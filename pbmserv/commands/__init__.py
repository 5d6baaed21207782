"""Floor 2: the command language, and what each command decides. Pure: no clock, chance, secret or I/O."""
