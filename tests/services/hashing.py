"""A hasher that tells how often it was asked."""

from typing import Literal

from argon2 import PasswordHasher


class CountingHasher(PasswordHasher):
    """Counts what is slow."""

    verified = 0
    hashed = 0

    def verify(self, hash: str | bytes, password: str | bytes) -> Literal[True]:  # noqa: A002
        """Counts what is held against a hash that is as slow as any."""
        self.verified += str(hash).startswith("$argon2id$v=19$m=8,t=1,p=1$")
        return super().verify(hash, password)

    def hash(self, password: str | bytes, *, salt: bytes | None = None) -> str:
        """Counts."""
        self.hashed += 1
        return super().hash(password, salt=salt)
