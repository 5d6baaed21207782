"""A mail relay that a test plays: it answers each step of a conversation as told, and notes what it hears."""

import contextlib
import socket
import ssl
from dataclasses import dataclass, field

DROP, HANG = "drop", "hang"
GOOD = {
    "connect": "220 relay.test",
    "starttls": "220 go on",
    "auth": "235 2.7.0 welcome",
    "mail": "250 OK",
    "rcpt": "250 OK",
    "data": "354 go on",
    "dot": "250 2.0.0 queued as 1",
    "rset": "250 OK",
    "quit": "221 bye",
}


@dataclass
class Relay:
    """Answers each step as `answers` says: a reply, DROP, or HANG; the last of a step's list holds for ever."""

    answers: dict[str, list[str]] = field(default_factory=dict)
    features: tuple[str, ...] = ("8BITMIME", "SMTPUTF8", "SIZE 100000")
    context: ssl.SSLContext | None = None
    implicit: bool = False
    heard: list[str] = field(default_factory=list)
    mails: list[bytes] = field(default_factory=list)
    connections: int = 0
    in_tls: list[str] = field(default_factory=list)
    hangs: bool = False
    _is_refused: bool = False

    def answer(self, step: str) -> str:
        """To DATA without a recipient "no" if nothing else is told: what is told is for those that came so far."""
        if step == "data" and self._is_refused:
            return "554 5.5.1 no valid recipients"
        answers = self.answers.get(step) or [GOOD[step]]
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        if step in ("mail", "rcpt"):
            self._is_refused = answer[:1] != "2" or (step == "rcpt" and self._is_refused)
        return answer

    def serve(self, listening: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection = listening.accept()[0]
                self.connections += 1
                connection.settimeout(20)
                with contextlib.ExitStack() as stack, contextlib.suppress(OSError):
                    self.talk(stack.enter_context(connection), stack)

    def talk(self, connection: socket.socket, stack: contextlib.ExitStack) -> None:
        def encrypted() -> ssl.SSLSocket:
            assert self.context is not None
            return stack.enter_context(self.context.wrap_socket(connection, server_side=True))

        secure = self.implicit
        if secure:
            connection = encrypted()
        file = stack.enter_context(connection.makefile("rb"))
        step = "connect"
        while True:
            answer = self.ehlo(secure) if step == "ehlo" and "ehlo" not in self.answers else self.answer(step)
            if answer == DROP:
                return
            if answer == HANG:
                self.hangs = True
                file.read()
                return
            connection.sendall(answer.encode() + b"\r\n")
            if step == "quit" or answer.startswith("421"):
                return
            if step == "starttls" and answer.startswith("220"):
                connection, secure = encrypted(), True
                file = stack.enter_context(connection.makefile("rb"))
            if step == "data" and answer.startswith("354"):
                self.mails.append(b"".join(iter(file.readline, b".\r\n")))
                step = "dot"
                continue
            if not (line := file.readline()):
                return
            command = line.decode().rstrip("\r\n")
            self.heard.append(command)
            step = command.split()[0].lower()
            if secure:
                self.in_tls.append(command)

    def ehlo(self, secure: bool) -> str:
        offered = ("relay.test", *(each for each in self.features if not (secure and each == "STARTTLS")))
        return "".join(f"250-{each}\r\n" for each in offered) + "250 HELP"
