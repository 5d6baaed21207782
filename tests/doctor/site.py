"""A web server in the place of the club's."""

import http.server
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class _Page(http.server.BaseHTTPRequestHandler):
    """Answers with what the server's `page` is, or with 502."""

    def do_GET(self) -> None:
        """Any path."""
        page = getattr(self.server, "page", b"")
        self.send_response(200 if page else 502)
        self.end_headers()
        self.wfile.write(page)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Says nothing."""


class _Site(http.server.HTTPServer):
    """One that is silent about clients that do not trust it."""

    def handle_error(self, request: object, client_address: object) -> None:
        """Says nothing."""


@contextmanager
def running_site() -> Iterator[http.server.HTTPServer]:
    """On 127.0.0.1; its attribute `page` is what it shows."""
    server = _Site(("127.0.0.1", 0), _Page)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
