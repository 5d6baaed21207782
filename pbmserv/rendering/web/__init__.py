"""The web pages: for each template of `web/` the value that it is made from."""
