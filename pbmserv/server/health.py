"""Pages for whatever watches over the server: /healthz, /readyz, /metrics, at a place of their own."""

import io
import json
import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import AF_INET6
from typing import Any, Final

from pbmserv.mail.bounded_answers import BoundedReader
from pbmserv.mail.log_words import pairs
from pbmserv.server.parts import Part
from pbmserv.services.admin.findings import Finding, Verdict, worst
from pbmserv.store.engine import cause_of

LookAround = Callable[[], Sequence[Finding]]
"""Gives all findings, or raises what a database raises that is away."""

REQUEST_WITHIN: Final = 5.0
"""Seconds that a client may take for its request."""

MOST_OF_A_REQUEST: Final = 2**16
"""Octets."""

PLAIN: Final = "text/plain; charset=utf-8"
METRICS: Final = "text/plain; version=0.0.4; charset=utf-8"
JSON: Final = "application/json"

log = logging.getLogger(__name__)


class HealthPages(ThreadingHTTPServer):
    """Holds the port from the start. Raises OSError when it cannot be had."""

    daemon_threads = True

    def __init__(self, host: str, port: int, look_around: LookAround) -> None:
        if ":" in host:
            self.address_family = AF_INET6
        self.look_around = look_around
        try:
            super().__init__((host, port), _Page)
        except OSError as error:
            raise OSError(f"cannot show the health pages at {host}:{port}: {error.strerror or error}") from error

    @property
    def port(self) -> int:
        """The port, also where the system has chosen it."""
        return int(self.server_address[1])

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away while it is answered is nothing to tell of."""


def showing_health(pages: HealthPages) -> Part:
    """Shows the pages until told to stop."""

    def run(stop: threading.Event) -> None:
        thread = threading.Thread(target=pages.serve_forever, name="health", daemon=True)
        thread.start()
        stop.wait()
        pages.shutdown()
        pages.server_close()

    return run


class _Page(BaseHTTPRequestHandler):
    server: HealthPages
    timeout = REQUEST_WITHIN

    def setup(self) -> None:
        """Gives the whole request that time, since an octet now and then outlasts a timeout (socketserver)."""
        super().setup()
        reader = BoundedReader(self.connection)
        reader.begin(REQUEST_WITHIN, MOST_OF_A_REQUEST)
        self.rfile = io.BufferedReader(reader)

    def do_GET(self) -> None:
        """Answers (http.server)."""
        match self.path.partition("?")[0]:
            case "/healthz":
                self._answer(200, PLAIN, b"alive\n")
            case "/readyz":
                findings = self._findings()
                bad = [{"name": each.name, "found": each.found} for each in findings if each.verdict]
                verdict = worst(findings)
                said = json.dumps({"verdict": verdict.name.lower(), "findings": bad}).encode()
                self._answer(503 if verdict is Verdict.BROKEN else 200, JSON, said)
            case "/metrics":
                self._answer(200, METRICS, exposition(self._findings()))
            case _:
                self._answer(404, PLAIN, b"There are /healthz, /readyz and /metrics.\n")

    def _findings(self) -> Sequence[Finding]:
        try:
            return self.server.look_around()
        except Exception as error:
            log.warning("the health pages cannot look around %s", pairs(error=cause_of(error)))
            return [Finding("database", Verdict.BROKEN, f"it does not answer: {cause_of(error)}")]

    def _answer(self, status: int, kind: str, content: bytes) -> None:
        with suppress(OSError):
            self.send_response_only(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)


def exposition(findings: Sequence[Finding]) -> bytes:
    """The findings in the text format of Prometheus."""
    # Slow to import, and asked for only where somebody looks.
    from prometheus_client import CollectorRegistry, generate_latest
    from prometheus_client.core import GaugeMetricFamily
    from prometheus_client.registry import Collector

    class Findings(Collector):
        def collect(self) -> Iterator[GaugeMetricFamily]:
            verdicts = GaugeMetricFamily(
                "pbmserv_verdict", "0 fine, 1 wants attention, 2 mail has stopped", labels=["finding"]
            )
            figures = GaugeMetricFamily("pbmserv_figure", "What was counted", labels=["finding", "figure"])
            for each in findings:
                verdicts.add_metric([each.name], each.verdict)
                for name, value in each.figures.items():
                    if isinstance(value, int):
                        figures.add_metric([each.name, name], value)
            yield verdicts
            yield figures

    registry = CollectorRegistry()
    registry.register(Findings())
    return generate_latest(registry)
