"""Conversations as text: mails in and the whole answers out, readable as documentation.

===> alice@example.org          a mail from alice; headers, a blank line, the text
Subject: signup alice sesame

===> alice@example.org answers  the same in answer to the last mail that went there: its From, thread and Subject;
                                `answers bob@example.org`: to the last one to bob

<=== alice@example.org          what goes out then, to whom, in order
From: ...

<=== nothing                    when nothing goes out
@ confirm ask                   before the first mail: what a From address proves
@ variants off                  before the first mail: games are begun as published alone (in process only)
@ analysis on                   before the first mail: robots evaluate games while it waits (in process only)
@ times 40                      the next mail is sent so often before, and what goes out then is not written down
@ later hours=2                 the clock moves on (such a file is run in process only)
@ wait 8 days                   the clock moves on, six hours at a time, while the server does what the hour asks
                                for and robots play, and what goes out then is written down (in process only)
@ wait 50 hours                 the same hour by hour
Content-Length: 3200000         a header by which a mail says that it was too large to keep (in process only)
@ admin end 101 --annul Why     what the operator does, and why (in process only); what is mailed of it follows
@ click alice@example.org c3 Hi!  a move and words to the others, by the personal link in the last mail that went
                                there (in process only); what is mailed of it follows
@ leave alice@example.org       the link to unsubscribe in the last mail that went there is used (in process only)
@ headers List-Id List-Unsubscribe  before the first mail: headers of what goes out that are written down too
# a remark
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from email import message_from_bytes
from email.headerregistry import HeaderRegistry
from email.message import EmailMessage
from email.policy import default
from functools import cache
from typing import Literal

from tests.conftest import ADDRESS

SHOWN = ("From", "To", "Subject", "Message-ID", "In-Reply-To", "References", "Auto-Submitted")
NOTHING = "<=== nothing"

READING = default.clone(header_factory=cache(HeaderRegistry()))
"""Reads headers as Python's own library does, each but once: that is a fifth of what a conversation takes."""


@dataclass(frozen=True)
class Script:
    """A conversation file: remarks and directives as they stand, and the mails in; answers are made anew."""

    confirm: Literal["ask", "from"]
    variants: bool
    steps: tuple[str, ...]
    headers: tuple[str, ...] = ()
    analysis: bool = False


Send = Callable[[bytes, str], Iterable[bytes]]
"""Gives a raw mail from an address to a server; what goes out for it."""


def parse(text: str) -> Script:
    """A file's script, without its answers."""
    steps = [step.strip("\n") for step in re.split(r"(?m)^(?====> |<=== |@ |#)", text) if step.strip()]
    confirm = next((step.split()[2] for step in steps if step.startswith("@ confirm")), "from")
    return Script(
        "ask" if confirm == "ask" else "from",
        "@ variants off" not in steps,
        tuple(step for step in steps if not step.startswith("<===")),
        tuple(name for step in steps if step.startswith("@ headers") for name in step.split()[2:]),
        "@ analysis on" in steps,
    )


Wait = Callable[[timedelta], Iterable[bytes]]
"""Lets time go by; what goes out meanwhile."""

Operate = Callable[[str], Iterable[bytes]]
"""Does what the operator says; what goes out for it."""

Click = Callable[[int, str, str, str], Iterable[bytes]]
"""Plays on a board by the link with a key, with words to the others; what goes out for it."""


Leave = Callable[[str], Iterable[bytes]]
"""Unsubscribes by the link with a key; what goes out for it."""


def play(
    script: Script,
    send: Send,
    later: Callable[[str], None],
    wait: Wait,
    operate: Operate,
    click: Click,
    leave: Leave,
) -> str:
    """Plays a script against a server and writes the whole conversation down."""
    names = Words()
    written: list[str] = []

    def answers(mails: list[EmailMessage]) -> list[str]:
        return [names.shown(each) for each in told(mails, script.headers)] or [NOTHING]

    last: dict[str, EmailMessage] = {}
    count, unseen = 0, 0
    for step in script.steps:
        written.append(step)
        if step.startswith("@ times"):
            unseen = int(step.removeprefix("@ times"))
        if step.startswith("@ later"):
            later(step.removeprefix("@ later").strip())
        if step.startswith("@ wait"):
            number, unit = step.removeprefix("@ wait").split()
            span = timedelta(**{unit if unit.endswith("s") else f"{unit}s": float(number)})
            mails = [parsed(mail) for mail in wait(span)]
            last |= {mail["To"]: mail for mail in mails}
            written += answers(mails)
        if step.startswith("@ admin"):
            mails = [parsed(mail) for mail in operate(step.removeprefix("@ admin").strip())]
            last |= {mail["To"]: mail for mail in mails}
            written += answers(mails)
        if step.startswith("@ click"):
            address, move, words = (*step.removeprefix("@ click").split(maxsplit=2), "")[:3]
            mails = [parsed(mail) for mail in click(*link_in(last[address]), move, words)]
            last |= {mail["To"]: mail for mail in mails}
            written += answers(mails)
        if step.startswith("@ leave"):
            key = str(last[step.removeprefix("@ leave").strip()]["List-Unsubscribe"]).rpartition("/leave/")[2]
            mails = [parsed(mail) for mail in leave(key.removesuffix(">"))]
            last |= {mail["To"]: mail for mail in mails}
            written += answers(mails)
        if step.startswith("===> "):
            for is_seen in [False] * unseen + [True]:
                count += 1
                raw, sender = raw_mail(names.meant(step), count, last)
                mails = [parsed(mail) for mail in send(raw, sender)]
                last |= {mail["To"]: mail for mail in mails}
                shown = answers(mails)
                written += shown if is_seen else []
            unseen = 0
    joined = ""
    for before, after in zip(["", *written], written, strict=False):
        remarks = before.startswith(("#", "@")) and after.startswith(("#", "@"))
        joined += (("\n" if remarks else "\n\n") if before else "") + after
    return joined + "\n"


class Words:
    """Tokens, keys and words of Message-IDs, numbered in the order in which they are first seen.

    So a conversation stays as it is when the server makes more of them than it shows.
    """

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._count: Counter[str] = Counter()

    def shown(self, text: str) -> str:
        """A text of the server as the file has it."""
        return re.sub(r"\b[klmtw][0-9]{4}\b", lambda found: self._name(found[0]), text)

    def meant(self, step: str) -> str:
        """A step of the file as the server knows it. A word of an envelope has the number of its Message-ID's."""
        made = {name: word for word, name in self._names.items()}

        def word(found: re.Match[str]) -> str:
            letter, number = found[0][:1], found[0][1:]
            known = made.get(f"{'w' if letter == 'e' else letter}{number}")
            return found[0] if known is None else letter + known[1:]

        return re.sub(r"\b[eklmtw][0-9]{4}\b", word, step)

    def _name(self, word: str) -> str:
        if word not in self._names:
            self._count[word[0]] += 1
            self._names[word] = f"{word[0]}{self._count[word[0]]:04}"
        return self._names[word]


def raw_mail(step: str, number: int, last: Mapping[str, EmailMessage]) -> tuple[bytes, str]:
    """The bytes of a mail in, and its envelope sender; `last` are the mails that went to each address at last."""
    first, _, rest = step.partition("\n")
    sender, _, answers = first.removeprefix("===> ").strip().partition(" ")
    head, _, body = ("", "", rest[1:]) if rest.startswith("\n") else rest.partition("\n\n")
    given = head.strip("\n").split("\n") if head.strip() else []
    names = {line.partition(":")[0].lower() for line in given if not line.startswith(" ")}
    defaults = {"From": sender, "To": ADDRESS, "Message-ID": f"<in-{number}@example.org>"}
    if answers:
        answered = last[answers.removeprefix("answers").strip() or sender]
        defaults |= {
            "To": answered["From"],
            "Subject": f"Re: {answered['Subject']}",
            "In-Reply-To": answered["Message-ID"],
        }
    headers = [f"{name}: {value}" for name, value in defaults.items() if name.lower() not in names]
    lines = [*headers, *given, "MIME-Version: 1.0", "Content-Type: text/plain; charset=utf-8", "", body]
    return "\n".join(lines).replace("\n", "\r\n").encode() + b"\r\n", sender


def link_in(mail: EmailMessage) -> tuple[int, str]:
    """The board and the key of the first personal link in a mail."""
    found = re.search(r"/play/([0-9]+)/([a-z0-9]+)", shown_text(mail))
    assert found is not None, "there is no personal link in that mail"
    return int(found[1]), found[2]


def parsed(raw: bytes) -> EmailMessage:
    """A mail as Python's own library reads it."""
    return message_from_bytes(raw, policy=READING)


def told(mails: Iterable[EmailMessage], headers_too: Iterable[str] = ()) -> Iterator[str]:
    """Mails out as the file shows them, with further headers; a text that went to two is written once."""
    texts: dict[str, str] = {}
    for mail in mails:
        headers = [f"{name}: {value}" for name in (*SHOWN, *headers_too) if (value := mail[name])]
        text = "\n".join([shown_text(mail), *attached(mail)])
        first = texts.setdefault(text, mail["To"])
        shown = text if first == mail["To"] else f"(the same text as to {first})"
        yield "\n".join([f"<=== {mail['To']}", *headers, "", shown])


def shown_text(mail: EmailMessage) -> str:
    """The plain text of a mail; its HTML part shows the same."""
    plain = mail.get_body(("plain",))
    assert plain is not None
    content: str = plain.get_content()
    return content.replace("\r\n", "\n").rstrip("\n")


def attached(mail: EmailMessage) -> list[str]:
    """A line for each file that goes along with a mail."""
    files = list(mail.iter_attachments())
    return [f"\n(attached: {file.get_filename()}, {file.get_content_type()})" for file in files]


def without_chance(text: str) -> str:
    """The conversation with tokens, keys and times blotted, which differ from run to run on a real server."""
    text = re.sub(r"(?<=pbmserv\+)[a-z0-9]+(?=@)", "TOKEN", text)
    text = re.sub(r"(?<=<)(b[0-9]+\.[0-9]+\.)?[a-z0-9]+(?=@club\.test>)", r"\1TOKEN", text)
    text = re.sub(r"(?<=/play/)([0-9]+)/[a-z0-9]+", r"\1/KEY", text)
    text = re.sub(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(\s[0-9]{2}:[0-9]{2})?", "DATE", text)
    return re.sub(r"[0-9a-z ]+ left, until DATE", " ... left, until DATE", text)
