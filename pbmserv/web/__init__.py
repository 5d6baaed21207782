"""Floor 7: the web pages, one file a noun: its routes, its query, the value its page is made from."""
