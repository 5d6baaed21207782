"""Floor 3: parses the text of a mail into requests, using the commands' declarations. Pure."""
