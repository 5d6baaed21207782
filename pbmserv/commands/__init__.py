"""Floor 2: the declaration and decision of each command; one file per command or family.

Pure: no clock, chance, secret or I/O.
"""
