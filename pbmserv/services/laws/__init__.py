"""The laws that hold for every game, stated once: our tests call them, and `pbmserv games check` does.

A law is a function of asserts, which pytest tells in full and `pbmserv.services.laws.check` by its line.
"""
