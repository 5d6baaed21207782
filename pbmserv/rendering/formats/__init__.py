"""Records in the formats that programs for one game read: PGN, SGF, PDN."""
