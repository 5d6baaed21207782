"""The samples for nginx and Caddy: they find no fault in them, and pages, streams and visitors come through."""

import http.client
import shutil
import ssl
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import pytest

from pbmserv.commands import policy
from pbmserv.commands.server import Server
from pbmserv.services.app import utc_now
from pbmserv.web.join import token_at
from pbmserv.web.server import WebPart
from pbmserv.web.site import Site
from tests.cli.processes import PATIENCE, wait_for
from tests.conftest import needed
from tests.deploy.samples import DEPLOY, sample
from tests.free_port import free_port
from tests.web.club import Club, opened

pytestmark = pytest.mark.slow

NAME = "club.example.org"
NEWCOMERS = ("amy", "bruno", "carol", "dietrich", "emil", "frances", "gustav")
CERTIFICATES = f"/etc/letsencrypt/live/{NAME}"


@dataclass(frozen=True)
class Place:
    """Where a proxy is tried: a folder with a certificate for `localhost`, its ports, and the pages behind it."""

    folder: Path
    port: int
    plain_port: int
    pages: str

    def write(self, text: str, name: str) -> Path:
        """Writes its settings."""
        file = self.folder / name
        file.write_text(text)
        return file


def placed_nginx(place: Place) -> list[str]:
    """The sample in a configuration of its own, and the command that runs it."""
    text = sample("nginx/pbmserv.conf")
    for old, new in (
        (CERTIFICATES, str(place.folder)),
        ("127.0.0.1:8080", place.pages),
        ("  listen [::]:80;\n", ""),
        ("  listen [::]:443 ssl http2;\n", ""),
        ("listen 80;", f"listen 127.0.0.1:{place.plain_port};"),
        ("listen 443 ", f"listen 127.0.0.1:{place.port} "),
    ):
        assert text.count(old) >= 1, old
        text = text.replace(old, new)
    place.write(text, "pbmserv.conf")
    own = "".join(
        f"  {kind}_temp_path {place.folder}/{kind};\n"
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    own += f"  access_log {place.folder}/access.log;\n  include {place.folder}/pbmserv.conf;\n"
    head = f"user root;\npid {place.folder}/pid;\nerror_log {place.folder}/error.log;\nevents {{}}\n"
    return ["nginx", "-c", str(place.write(f"{head}http {{\n{own}}}\n", "nginx.conf")), "-p", str(place.folder)]


def placed_caddy(place: Place) -> list[str]:
    """The sample for another place, with a certificate of the test's, and the command that runs it."""
    text = sample("caddy/Caddyfile")
    for old, new in (
        (
            f"\n{NAME} {{",
            f"\nhttps://localhost:{place.port} {{\n\ttls {place.folder}/fullchain.pem {place.folder}/privkey.pem",
        ),
        ("reverse_proxy 127.0.0.1:8080", f"reverse_proxy {place.pages}"),
    ):
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    own = f"{{\n\tadmin off\n\thttp_port {place.plain_port}\n\tstorage file_system {place.folder}\n}}\n"
    file = place.write(own + text, "Caddyfile")
    return ["caddy", "run", "--adapter", "caddyfile", "--config", str(file)]


PROXIES = {"nginx": placed_nginx, "caddy": placed_caddy}


@pytest.fixture
def club(tmp_path: Path) -> Iterator[Club]:
    """A house with alice and bob at board 101."""
    with opened(tmp_path) as found:
        for name in ("alice", "bob"):
            found.post(f"{name}@example.org", f"signup {name}")
        found.post("alice@example.org", "cephalopod challenge alice bob")
        yield found


@contextmanager
def pages_of(club: Club) -> Iterator[tuple[Site, str]]:
    """Its pages, to be reached by a proxy on this machine."""
    server = Server("pbmserv@club.test", confirm="from", site_url=f"https://{NAME}")
    site = Site(Club(club.engine, server, club.new_token, club.hasher), trusted_proxy="127.0.0.1")
    part, stop = WebPart(site, "127.0.0.1", 0), threading.Event()
    running = threading.Thread(target=part.run, args=(stop,))
    running.start()
    try:
        yield site, urlsplit(part.url).netloc
    finally:
        stop.set()
        running.join()


@dataclass(frozen=True)
class Proxied:
    """A proxy that runs, and the site behind it."""

    site: Site
    place: Place

    def connect(self, source: str = "127.0.0.1") -> http.client.HTTPSConnection:
        """A visitor from one of this machine's addresses."""
        trusted = ssl.create_default_context(cafile=str(self.place.folder / "fullchain.pem"))
        return http.client.HTTPSConnection(
            "localhost", self.place.port, context=trusted, timeout=PATIENCE, source_address=(source, 0)
        )

    def ask(
        self, path: str, fields: dict[str, str] | None = None, source: str = "127.0.0.1", **headers: str
    ) -> tuple[int, str]:
        """Status and body of a page, or of the answer to a form."""
        told = headers | ({"Content-Type": "application/x-www-form-urlencoded"} if fields else {})
        with closing(self.connect(source)) as link:
            link.request("POST" if fields else "GET", path, urlencode(fields) if fields else None, told)
            with link.getresponse() as answer:
                return answer.status, answer.read().decode()

    def answers(self) -> bool:
        """Whether it takes connections."""
        try:
            return self.ask("/")[0] < 600
        except OSError:
            return False


@pytest.fixture(params=PROXIES)
def proxied(request: pytest.FixtureRequest, club: Club) -> Iterator[Proxied]:
    """Each of the two, with the sample's settings."""
    if shutil.which(request.param, path="/usr/sbin:/usr/bin") is None or shutil.which("openssl") is None:
        needed(f"{request.param} and openssl")
    with tempfile.TemporaryDirectory(prefix="pbmserv-proxy-", dir="/tmp") as name, pages_of(club) as (site, pages):
        made = ("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
        told = ("-subj", "/CN=localhost", "-days", "2", "-addext", "subjectAltName=DNS:localhost")
        files = ("-keyout", f"{name}/privkey.pem", "-out", f"{name}/fullchain.pem")
        subprocess.run([*made, *told, *files], check=True, capture_output=True)
        place = Place(Path(name), free_port(), free_port(), pages)
        command = PROXIES[request.param](place)
        if request.param == "nginx":
            command += ["-g", "daemon off;"]
        with (place.folder / "out").open("wb") as out:
            process = subprocess.Popen(
                command, stdout=out, stderr=out, env={"PATH": "/usr/sbin:/usr/bin", "HOME": name}
            )
        found = Proxied(site, place)
        try:
            wait_for(lambda: process.poll() is not None or found.answers())
            assert process.poll() is None, (place.folder / "out").read_text()
            yield found
        finally:
            process.terminate()
            process.wait(PATIENCE)


def test_nginx_finds_no_fault(proxied: Proxied) -> None:
    if not (proxied.place.folder / "nginx.conf").exists():
        pytest.skip("this is the other one")
    command = placed_nginx(proxied.place)
    done = subprocess.run([*command, "-t"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "[warn]" not in done.stderr


def test_caddy_finds_no_fault() -> None:
    """As it is, and written as Caddy writes such files."""
    if shutil.which("caddy") is None:
        needed("caddy")
    file = str(DEPLOY / "caddy" / "Caddyfile")
    subprocess.run(["caddy", "adapt", "--adapter", "caddyfile", "--config", file], capture_output=True, check=True)
    done = subprocess.run(["caddy", "fmt", file], capture_output=True, text=True, check=True)
    assert done.stdout == sample("caddy/Caddyfile")


def test_pages_come_through(proxied: Proxied) -> None:
    """By TLS; by http one is sent there."""
    status, page = proxied.ask("/boards/101")
    assert status == 200
    assert "Cephalopod Board 101" in page
    with closing(http.client.HTTPConnection("localhost", proxied.place.plain_port, timeout=PATIENCE)) as link:
        link.request("GET", "/boards/101?x=1")
        with link.getresponse() as answer:
            assert answer.status in (301, 308)
            to = urlsplit(answer.headers["Location"])
    assert (to.scheme, to.path, to.query) == ("https", "/boards/101", "x=1")


def test_an_open_page_learns_of_a_move_at_once(proxied: Proxied, club: Club) -> None:
    """The answer begins before there is news, and each piece comes when it is written."""
    with closing(proxied.connect()) as link:
        link.request("GET", "/changes?boards=101.0")
        with link.getresponse() as answer:
            assert answer.headers["Content-Type"].startswith("text/event-stream")
            assert answer.readline() == b": \n"
            club.post("alice@example.org", "move 101 c3")
            assert answer.read().strip() == b"data: 101"


def test_who_asks_is_who_asks(proxied: Proxied) -> None:
    """Whoever writes another address into each request is one host all the same, and somebody else is another."""

    def join(number: int, source: str) -> int:
        token = token_at(proxied.site.secret, utc_now() - timedelta(minutes=1))
        fields = {"userid": NEWCOMERS[number], "address": f"{NEWCOMERS[number]}@home{number}.test", "token": token}
        return proxied.ask("/join", fields, source, **{"X-Forwarded-For": f"203.0.113.{number % 200}"})[0]

    statuses = [join(number, "127.0.0.1") for number in range(policy.PAGE_A_HOST.most + 1)]
    assert statuses == [303] * policy.PAGE_A_HOST.most + [429]
    assert join(-1, "127.0.0.2") == 303


def test_only_forms_are_taken(proxied: Proxied) -> None:
    assert proxied.ask("/join", {"userid": "x" * 100_000})[0] == 413


def test_no_key_is_in_a_log(proxied: Proxied) -> None:
    proxied.ask("/play/101/secretkey")
    written = "".join(
        file.read_text(errors="replace") for file in proxied.place.folder.glob("*") if file.is_file()
    )
    assert "secretkey" not in written
