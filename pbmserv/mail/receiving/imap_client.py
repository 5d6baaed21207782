"""imapclient's client, with an end to its patience: each answer is whole in time, and of bounded size."""

import imaplib
import io
import socket
from typing import Any, Final

from imapclient import IMAPClient
from imapclient.imap4 import IMAP4WithTimeout
from imapclient.tls import IMAP4_TLS

from pbmserv.mail.bounded_answers import BoundedReader

WHOLE_WITHIN: Final = 300.0
"""Seconds that an answer may take, from what we sent last; a silent server is given up much sooner."""

MOST_OF_AN_ANSWER: Final = 2**27
"""Octets; the largest mail that a setting allows has 100 MB."""

LONGEST_LINE: Final = 1_000_000
"""Octets, as imaplib has it."""


class _BoundedAnswers(imaplib.IMAP4):
    """Reads what its class reads, by a reader of its own."""

    _source: socket.socket | None = None
    _reader: BoundedReader
    _answers: "io.BufferedReader[BoundedReader]"

    def open(self, *where: Any, **manner: Any) -> None:
        super().open(*where, **manner)
        self._begin()

    def send(self, data: Any) -> None:
        super().send(data)
        self._begin()

    def read(self, size: int) -> bytes:
        return self._answers.read(size)

    def readline(self) -> bytes:
        line = self._answers.readline(LONGEST_LINE + 1)
        if len(line) > LONGEST_LINE:
            raise self.error(f"got more than {LONGEST_LINE} bytes")
        return line

    def shutdown(self) -> None:
        self._answers.close()
        super().shutdown()

    def _begin(self) -> None:
        if self._source is not self.sock:  # STARTTLS puts another in its place
            self._source, self._reader = self.sock, BoundedReader(self.sock)
            self._answers = io.BufferedReader(self._reader)
        self._reader.begin(WHOLE_WITHIN, MOST_OF_AN_ANSWER)


class _InTheClear(_BoundedAnswers, IMAP4WithTimeout):  # type: ignore[misc]  # it has no types
    pass


class _InTls(_BoundedAnswers, IMAP4_TLS):  # type: ignore[misc]
    pass


class BoundedImapClient(IMAPClient):  # type: ignore[misc]  # it has no types
    """The same by name and use."""

    def _create_IMAP4(self) -> imaplib.IMAP4:  # noqa: N802
        within = self._timeout.connect
        if self.ssl:
            return _InTls(self.host, self.port, self.ssl_context, within)  # type: ignore[call-arg]
        return _InTheClear(self.host, self.port, within)
