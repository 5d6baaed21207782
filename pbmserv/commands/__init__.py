"""Floor 2: what each command is and decides, one file a command or a family of them.

Pure: no clock, chance, secret or I/O.
"""
