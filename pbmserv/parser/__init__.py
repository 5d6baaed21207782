"""Floor 3: from the text of a mail to requests, by the commands' declarations. Commands never see text. Pure."""
