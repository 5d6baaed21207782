"""Floor 8: the command line, the settings, and how the parts are put together."""
