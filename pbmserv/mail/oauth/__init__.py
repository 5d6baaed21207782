"""OAuth2 for mailboxes and relays: who gives tokens, how one signs in, where tokens are kept and renewed."""
