"""Floor 6: the parts of a running server, each a plain loop that stops when told; no logic."""
