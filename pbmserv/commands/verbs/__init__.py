"""The commands, one a file. A file that declares `command` is found by scanning; nothing else must be told."""
