"""Streams: an open page is told of a change once, whoever made it; there is an end to their number and length."""

import asyncio
import logging
import socket
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy.exc import OperationalError

from pbmserv.services.views import count_entries
from pbmserv.web import streams as room
from pbmserv.web.server import WebPart
from pbmserv.web.site import Site
from pbmserv.web.streams import Streams
from tests.web.club import Club, Get, asking, opened

ALICE, BOB = "alice@home.test", "bob@work.test"


@pytest.fixture
def club(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Club]:
    """Alice is to move on board 101; streams are quick."""
    monkeypatch.setattr(room, "LOOK_EVERY", 0.01)
    with opened(tmp_path) as club:
        club.post(ALICE, "signup alice sesame")
        club.post(BOB, "signup bob poppy")
        club.post(ALICE, "challenge alice bob")
        yield club


@pytest.fixture
def get(club: Club) -> Get:
    return asking(club)


async def told(streams: Streams, known: Mapping[int, int]) -> list[str]:
    """All that a stream says to its end, without signs of life."""
    return [each async for each in streams.follow(known) if each.startswith("data:")]


def test_what_a_page_missed_is_told_at_once(get: Get, club: Club) -> None:
    """It shows the start, and a move is played: the stream says so and ends."""
    club.post(ALICE, "move 101 c3")
    told = get("/changes?boards=101.0")
    assert told.headers["content-type"].startswith("text/event-stream")
    assert told.headers["cache-control"] == "no-store"
    assert told.text.endswith("data: 101\n\n")


def test_what_happens_later_is_told_when_it_does(club: Club) -> None:
    """By whichever process; a board that nothing happens on keeps silent."""
    streams = Streams(lambda boards: count_entries(club, boards), 10)

    async def follow() -> tuple[bool, list[str]]:
        first = asyncio.create_task(told(streams, {101: 0}))
        await asyncio.sleep(0.1)
        was_silent = not first.done()
        await asyncio.to_thread(club.post, ALICE, "move 101 c3")
        return was_silent, await asyncio.wait_for(first, 10)

    assert asyncio.run(follow()) == (True, ["data: 101\n\n"])
    assert len(streams) == 0


@pytest.mark.parametrize("asked", ["", "x", "101", "101.x", "101.1,", "101.1;102.2", "1e9.1", "0" * 10 + ".1"])
def test_what_is_no_board_is_not_found(get: Get, asked: str) -> None:
    assert get(f"/changes?boards={asked}").status_code == 404


def test_so_many_boards_and_no_more(get: Get) -> None:
    boards = ",".join(f"{number}.1" for number in range(101, 102 + room.MOST_BOARDS))
    assert get(f"/changes?boards={boards}").status_code == 404


def test_looking_opens_none(get: Get) -> None:
    """A HEAD is answered, and nothing stays open."""
    assert get("/changes?boards=101.0", method="HEAD").status_code == 200


def test_the_oldest_gives_way() -> None:
    """It ends without news; its page asks again by itself."""
    streams = Streams(lambda boards: dict.fromkeys(boards, 0), 2)

    async def crowd() -> tuple[list[str], int]:
        tasks = []
        for number in (101, 102, 103):
            tasks.append(asyncio.create_task(told(streams, {number: 0})))
            await asyncio.sleep(0)
        said = await asyncio.wait_for(tasks[0], 10)
        left = len(streams)
        streams.close()
        await asyncio.gather(*tasks)
        return said, left

    assert asyncio.run(crowd()) == ([], 2)


def test_it_ends_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    """And gives signs of life until then."""
    monkeypatch.setattr(room, "LONGEST", 0.2)
    monkeypatch.setattr(room, "SIGN_OF_LIFE", 0.01)

    async def listen() -> list[str]:
        streams = Streams(lambda boards: dict.fromkeys(boards, 0), 2)
        return [each async for each in streams.follow({101: 0})]

    assert set(said := asyncio.run(listen())) == {": \n\n"}
    assert len(said) > 2


def test_one_look_serves_all_and_none_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many streams: each look asks for all boards at once, and without streams nobody looks."""
    monkeypatch.setattr(room, "LOOK_EVERY", 0.01)
    looks: list[Sequence[int]] = []

    def count(boards: Sequence[int]) -> Mapping[int, int]:
        looks.append(boards)
        return dict.fromkeys(boards, 0)

    async def several() -> int:
        streams = Streams(count, 100)
        tasks = [asyncio.create_task(told(streams, {101 + each % 3: 0})) for each in range(30)]
        await asyncio.sleep(0.1)
        streams.close()
        await asyncio.gather(*tasks)
        await asyncio.sleep(0.05)
        done = len(looks)
        await asyncio.sleep(0.05)
        return done

    done = asyncio.run(several())
    assert looks
    assert len(looks) == done
    assert all(boards == [101, 102, 103] for boards in looks)


def test_when_the_database_is_away(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """The streams end, and the next ones are served when it is back."""
    monkeypatch.setattr(room, "LOOK_EVERY", 0.01)
    is_away = [True]

    def count(boards: Sequence[int]) -> Mapping[int, int]:
        if is_away[0]:
            raise OperationalError("", {}, Exception())
        return dict.fromkeys(boards, 1)

    async def twice() -> tuple[list[str], list[str]]:
        streams = Streams(count, 2)
        first = await asyncio.wait_for(told(streams, {101: 0}), 10)
        is_away[0] = False
        return first, await asyncio.wait_for(told(streams, {101: 0}), 10)

    with caplog.at_level(logging.WARNING):
        assert asyncio.run(twice()) == ([], ["data: 101\n\n"])
    assert "open pages get no changes part=web error=" in caplog.text


@contextmanager
def served(club: Club) -> Iterator[WebPart]:
    part, stop = WebPart(Site(club), "127.0.0.1", 0), threading.Event()
    thread = threading.Thread(target=part.run, args=(stop,))
    thread.start()
    try:
        yield part
    finally:
        stop.set()
        thread.join()


def listener(part: WebPart, entries: int = 0) -> socket.socket:
    """A browser that listens for changes on board 101, which it shows with so many entries."""
    host, port = part.url.removeprefix("http://").split(":")
    there = socket.create_connection((host, int(port)), 10)
    there.sendall(f"GET /changes?boards=101.{entries} HTTP/1.1\r\nHost: club.test\r\n\r\n".encode())
    came = b""
    while b": \n\n" not in came:
        came += there.recv(10_000) or pytest.fail(repr(came))
    assert came.startswith(b"HTTP/1.1 200 OK")
    return there


def test_a_stream_outlasts_a_page_and_ends_with_the_server(
    club: Club, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """What cuts slow visitors off does not cut it off; stopping the server does not wait for it."""
    monkeypatch.setattr("pbmserv.web.server.ANSWER_WITHIN", 0.2)
    with caplog.at_level(logging.ERROR), served(club) as part:
        there = listener(part)
        time.sleep(0.5)
        club.post(ALICE, "move 101 c3")
        assert b"data: 101" in there.recv(10_000)
        there.close()
        staying = listener(part, 1)
        began = time.monotonic()
    assert time.monotonic() - began < 2.5
    assert caplog.records == []
    staying.close()


def test_whoever_hangs_up_is_forgotten(club: Club) -> None:
    with served(club) as part:
        streams = part._app.state.streams
        crowd = [listener(part) for _ in range(5)]
        assert len(streams) == 5
        for each in crowd:
            each.close()
        deadline = time.monotonic() + 10
        while len(streams) and time.monotonic() < deadline:
            time.sleep(0.01)
        assert len(streams) == 0
