"""The pages, as visitors reach them: `site_url` must lead to us."""

import html
import http.client
import ssl
import urllib.error
import urllib.request
from typing import Final
from urllib.parse import urlsplit

from pbmserv.commands.server import Server
from pbmserv.mail.bounded_answers import bounded_response
from pbmserv.services.admin.findings import Finding, Verdict

PATIENCE: Final = 10.0
"""Seconds without a byte of the answer."""

WHOLE_WITHIN: Final = 60.0
"""Seconds for all of it."""

MOST_BYTES: Final = 500_000


class _Connection(http.client.HTTPConnection):
    response_class = bounded_response(WHOLE_WITHIN, 2 * MOST_BYTES)


class _SecureConnection(http.client.HTTPSConnection):
    response_class = bounded_response(WHOLE_WITHIN, 2 * MOST_BYTES)


class _Plain(urllib.request.HTTPHandler):
    def http_open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(_Connection, request)


class _Secure(urllib.request.HTTPSHandler):
    def https_open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(_SecureConnection, request, context=ssl.create_default_context())


def see_pages(site_url: str, server: Server) -> Finding:
    """Whether the address of the pages answers with a page of ours. `site_url` is empty where none is set."""
    figures: dict[str, object] = {"site_url": site_url}
    if not site_url:
        return Finding("site_url", Verdict.FINE, "none is set: mails name no pages", figures=figures)
    host = urlsplit(site_url).hostname
    proxy = "see the web server in front of the pages, and whether `web` runs"
    try:
        page = _fetched(f"{site_url.rstrip('/')}/")
    except urllib.error.HTTPError as error:
        error.close()
        return Finding(
            "site_url", Verdict.BROKEN, f"{site_url} answers {error.code} {error.reason}", proxy, figures
        )
    except (OSError, http.client.HTTPException, ValueError) as error:
        cause = getattr(error, "reason", error)
        if isinstance(cause, ssl.SSLCertVerificationError):
            found = f"the certificate of {host} is not trusted: {cause.verify_message}"
            mend = "renew it, and see that it is for that name; visitors see a warning"
            return Finding("site_url", Verdict.BROKEN, found, mend, figures)
        words = getattr(cause, "strerror", None) or str(cause) or type(cause).__name__
        return Finding("site_url", Verdict.BROKEN, f"{site_url} does not answer: {words}", proxy, figures)
    if html.escape(server.address) not in page:
        found = f"{site_url} answers with a page that is not ours"
        return Finding("site_url", Verdict.BROKEN, found, f"let {host} hand on to `web`; {proxy}", figures)
    return Finding("site_url", Verdict.FINE, f"{site_url} shows our page", figures=figures)


def _fetched(url: str) -> str:
    request = urllib.request.Request(url, headers={"User-Agent": "pbmserv doctor"})  # noqa: S310 - the operator's
    with urllib.request.build_opener(_Plain, _Secure).open(request, timeout=PATIENCE) as answer:
        content: bytes = answer.read(MOST_BYTES)
        return content.decode("utf-8", "replace")
