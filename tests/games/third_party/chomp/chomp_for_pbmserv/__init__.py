"""Chomp, a game for pbmserv, in a package of its own."""
