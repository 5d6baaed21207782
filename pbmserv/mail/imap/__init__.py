"""A mailbox by IMAP: where it is, one connection to it, and the sweep that fetches what is there."""
