"""The web pages: what stands at which address, and the part that serves it."""
