"""`/mailbox`: what was sent, and a sheet to write on, for people who try the server out on this machine.

Mails hold people's addresses, and secrets that prove who writes: all of this is there only where mail goes no
further than into a folder, for a browser on this very machine (`Site.is_at_home`). For anybody else there is no
such page.
"""

from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final
from urllib.parse import quote, urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from pbmserv.commands.vocabulary import is_number
from pbmserv.mail.reading.inspect import InspectedMail
from pbmserv.mail.sending.from_web import subject_of_answer
from pbmserv.services.app import utc_now
from pbmserv.services.posting import Note, PostedOutcome, flaws_of, post, see_fate
from pbmserv.web.layout import Page
from pbmserv.web.sent_mail import (
    MailboxPage,
    MailLine,
    OnItsWay,
    SentMail,
    ShownMail,
    Writing,
    WrittenElsewhere,
    find_sent,
    html_for_browser,
    see_newest,
    see_recipients,
    see_sent,
    see_sent_mail,
)
from pbmserv.web.site import HEADERS, HTML, Fields, Routes, Site, wait_for

PATIENCE: Final = 5.0
"""Seconds for which a visitor waits for the answer to a mail."""

_PAGE_HEADERS: Final = MappingProxyType(
    {
        "Cache-Control": "no-store",
        "Content-Security-Policy": HEADERS["Content-Security-Policy"] + "; frame-src 'self'",
        # With "no-referrer" browsers do not tell where a form comes from, not even us.
        "Referrer-Policy": "same-origin",
    }
)

# The frame is an origin of its own, where nothing runs; only what a person clicks in it leads out.
_FRAME_HEADERS: Final = MappingProxyType(
    {
        "Cache-Control": "no-store",
        "Content-Security-Policy": (
            "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; "
            "frame-ancestors 'self'; sandbox allow-top-navigation-by-user-activation"
        ),
        # A page with any other policy may not be sandboxed when it is opened by itself.
        "Cross-Origin-Opener-Policy": "unsafe-none",
        "X-Frame-Options": "SAMEORIGIN",
    }
)


def routes(site: Site) -> Routes:
    """The mails, one mail, its parts, and the sheet."""
    room = _Room(site)
    return {
        "/mailbox": room.listing,
        "/mailbox/write": room.sheet,
        "/mailbox/sent/{number}": room.sent,
        "/mailbox/{name}": room.mail,
        "/mailbox/{name}/html": room.html,
        "/mailbox/{name}/files/{number}": room.file,
    }


def forms(site: Site) -> Routes:
    """The sheet, filled in."""
    return {"/mailbox/write": _Room(site).send}


def is_hidden(site: Site, request: Request) -> bool:
    """Whether an address is one of the mailbox that is not there for this visitor."""
    path = request.scope["path"]
    return (path == "/mailbox" or path.startswith("/mailbox/")) and not site.is_at_home(request)


@dataclass(frozen=True)
class _Room:
    site: Site

    def listing(self, request: Request) -> Response:
        folder = self._folder(request)
        asked = request.query_params
        recipient, before = asked.get("to", "").strip().lower(), asked.get("before", "")
        found = see_sent(folder, recipient, before)
        lines = tuple(map(_line, found.mails))
        older = lines[-1].name if found.has_older else ""
        known = sorted({*see_recipients(folder), *filter(None, (recipient,))})
        return self._show(request, MailboxPage(lines, tuple(known), recipient, before, older))

    def mail(self, request: Request, name: str) -> Response:
        folder = self._folder(request)
        mail, opened = _found(folder, name)
        newest = see_newest(folder, mail.head.recipient)
        page = ShownMail(
            line=_line(mail),
            sender=mail.head.sender,
            answers_to=mail.head.answers_to,
            date=mail.head.date,
            text=opened.text,
            has_html=bool(opened.html),
            files=tuple(file.name for file in opened.files),
            newer=None if newest is None or newest.name == mail.name else _line(newest),
            told=self._told(request.query_params.get("sent", ""), mail.head.recipient),
        )
        return self._show(request, page)

    def html(self, request: Request, name: str) -> Response:
        mail, opened = _found(self._folder(request), name)
        if not opened.html:
            raise HTTPException(404)
        content = html_for_browser(opened.html, mail.head.recipient).encode("utf-8", "replace")
        return self.site.send(request, content, HTML, headers=_FRAME_HEADERS)

    def file(self, request: Request, name: str, number: str) -> Response:
        _, opened = _found(self._folder(request), name)
        if not is_number(number) or not 1 <= int(number) <= len(opened.files):
            raise HTTPException(404)
        file = opened.files[int(number) - 1]
        saved_as = f"attachment; filename*=UTF-8''{quote(file.name, safe='')}"
        headers = {**_FRAME_HEADERS, "Content-Disposition": saved_as}
        return self.site.send(request, file.content, "application/octet-stream", headers=headers)

    def sheet(self, request: Request) -> Response:
        folder = self._folder(request)
        asked = request.query_params
        if name := asked.get("answers"):
            mail, _ = _found(folder, name)
            head = mail.head
            draft = Writing(head.recipient, head.answers_to, subject_of_answer(head.subject), "", name)
            return self._show(request, draft)
        return self._show(
            request,
            Writing(
                sender=asked.get("from", ""),
                recipient=asked.get("to") or self.site.app.server.address,
                subject=asked.get("subject", ""),
                text=asked.get("body", ""),
                addresses=tuple(see_recipients(folder)),
            ),
        )

    def send(self, request: Request, fields: Fields) -> Response:
        folder = self._folder(request)
        if not _is_ours(request):
            return self._show(request, WrittenElsewhere(), 403)
        typed = {name: fields.get(name, "") for name in ("sender", "recipient", "subject", "text")}
        wrong = flaws_of(Note(**typed), self.site.app.server)
        if wrong:
            known = tuple(see_recipients(folder))
            page = Writing(**typed, answers=fields.get("answers", ""), wrong=wrong, addresses=known)
            return self._show(request, page, 422)
        answered = see_sent_mail(folder, fields.get("answers", ""))
        head = answered[0].head if answered else None
        thread = {"answers": head.message_id, "references": head.references} if head else {}
        number = post(self.site.app, Note(**typed, **thread), utc_now())
        self.site.ring()
        return self._lead_on(f"/mailbox/sent/{number}?{urlencode({'from': typed['sender'].strip().lower()})}")

    def sent(self, request: Request, number: str) -> Response:
        folder = self._folder(request)
        sender = request.query_params.get("from", "")
        fate = self._wait(int(number), sender) if is_number(number) else None
        if fate is None:
            raise HTTPException(404)
        answer = find_sent(folder, fate.answer) if fate.answer else None
        if answer is None:
            path = f"/mailbox/sent/{number}?{urlencode({'from': sender})}"
            told = tuple(fate.told.splitlines())
            return self._show(request, OnItsWay(sender, fate.state != "done", path, told))
        return self._lead_on(f"/mailbox/{answer.name}?{urlencode({'sent': number})}")

    def _wait(self, number: int, sender: str) -> PostedOutcome | None:
        return wait_for(
            lambda: see_fate(self.site.app, number, sender),
            lambda fate: fate is None or fate.state == "done",
            PATIENCE,
        )

    def _told(self, number: str, sender: str) -> tuple[str, ...]:
        fate = see_fate(self.site.app, int(number), sender) if is_number(number) else None
        return () if fate is None else tuple(fate.told.splitlines())

    def _folder(self, request: Request) -> Path:
        if self.site.outgoing is None or not self.site.is_at_home(request):
            raise HTTPException(404)
        return self.site.outgoing

    def _show(self, request: Request, page: Page, status: int = 200) -> Response:
        return self.site.show(request, page, status, _PAGE_HEADERS)

    def _lead_on(self, path: str) -> Response:
        return Response(status_code=303, headers={**HEADERS, **_PAGE_HEADERS, "Location": path})


def _found(folder: Path, name: str) -> tuple[SentMail, InspectedMail]:
    found = see_sent_mail(folder, name)
    if found is None:
        raise HTTPException(404)
    return found


def _line(mail: SentMail) -> MailLine:
    return MailLine(mail.name, mail.head.recipient, mail.head.subject, mail.sent_at)


def _is_ours(request: Request) -> bool:
    """Whether a form comes from a page of ours (https://www.w3.org/TR/fetch-metadata/).

    Any page of the world can have a browser send one to this machine.
    """
    told = request.headers.get("sec-fetch-site")
    if told is not None:
        return told == "same-origin"
    return request.headers.get("origin") == f"{request.url.scheme}://{request.headers.get('host')}"
