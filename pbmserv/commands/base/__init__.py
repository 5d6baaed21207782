"""What all commands share: how one is declared, the request it gets, what it may decide, who may give it."""
