"""The connection between Postfix and our listener breaks; the mail comes again, and is carried out once."""

import threading

import pytest

from pbmserv.server.parts import batch_store
from pbmserv.services.app import App
from tests.conftest import ADDRESS
from tests.free_port import free_port
from tests.roads.postfix.gate import TAGGED, Gate
from tests.roads.postfix.proxy import Place, wire
from tests.services.post import Post, text_of

SENDER = "alice@example.org"

RECIPIENTS_OF_COPIES: dict[Place, list[int]] = {
    "in the text": [2],
    "before the reply": [2, 2],
    "between the replies": [2, 1],
}


@pytest.mark.parametrize("place", RECIPIENTS_OF_COPIES)
def test_what_comes_again_is_carried_out_once(place: Place, gate: Gate, sqlite_house: App) -> None:
    post = Post(sqlite_house)
    post.people(alice="sesame", bob="poppy")
    post.mail(SENDER, "challenge alice bob -size=3x3")
    earlier, letters = len(post.inbox()), len(post.letters())
    port = free_port()
    with gate.open(batch_store(sqlite_house, threading.Event()), port), wire(gate.port, port, place) as between:
        gate.postfix.send(post.write(SENDER, text="move 101 b2"), SENDER, ADDRESS, TAGGED)
        assert between.broken.wait(60)
        gate.wait_for(SENDER, "deferred", 1)
        gate.postfix.flush()
        gate.postfix.wait_until_empty()
    copies = post.inbox()[earlier:]
    assert [len(copy.recipients) for copy in copies] == RECIPIENTS_OF_COPIES[place]
    assert len({copy.raw for copy in copies}) == 1
    # The log of the MTA before us names each by our number, but for a reply that never came through.
    assert f"250 2.0.0 stored mail={copies[-1].id}" in gate.postfix.log
    post.work()
    assert post.fates()[earlier:] == ["handled", "duplicate"][: len(copies)]
    answers = post.letters()[letters:]
    assert [letter.recipient for letter in answers] == [SENDER, "bob@example.org"]
    assert "You played B2" in text_of(answers[0])
