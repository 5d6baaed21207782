"""Tokens stand in our mails; the database knows them by their digest only, and finds them by it."""

import hashlib

DIGITS = 40
"""160 bits: enough for a word that holds 96 by chance."""


def digest(token: str) -> str:
    """What is stored in a token's place; tokens are blind to case, since mailboxes change it."""
    return hashlib.sha256(token.lower().encode()).hexdigest()[:DIGITS]
