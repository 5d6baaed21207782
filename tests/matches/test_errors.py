"""Errors of commands: values that are raised."""

import copy
import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import FrozenInstanceError, replace

import pytest

from pbmserv.commands.lookup import NoSuchBoard, NotYourBoard
from pbmserv.matches.errors import CommandError
from pbmserv.matches.moves import AlreadyGone

ERROR = NoSuchBoard(number=999, userid="alice", own=(101, 102))


@contextmanager
def passed_on() -> Iterator[None]:
    """Raises again what is raised inside it."""
    try:
        yield
    except CommandError as error:
        raise error


def test_is_raised_and_raised_again() -> None:
    """Through context managers too, and with what caused it."""
    with pytest.raises(NoSuchBoard) as caught, passed_on():
        raise ERROR from LookupError("no row")
    assert caught.value is ERROR
    assert caught.value.__traceback__ is not None
    assert isinstance(caught.value.__cause__, LookupError)


def test_is_compared_by_class_and_fields() -> None:
    """Whether it was raised makes no difference."""
    assert NoSuchBoard(number=999, userid="alice", own=(101, 102)) == ERROR
    assert NoSuchBoard(number=998) != ERROR
    own: CommandError = NotYourBoard(board=101, userid="bob")
    assert own != AlreadyGone(board=101, userid="bob")
    assert replace(ERROR, number=998).own == (101, 102)


def test_is_pickled_and_copied() -> None:
    """As a value, without what it was raised from."""
    assert pickle.loads(pickle.dumps(ERROR)) == ERROR
    assert copy.deepcopy(ERROR) == ERROR


def test_fields_do_not_change() -> None:
    """They are what the answer tells."""
    with pytest.raises(FrozenInstanceError):
        ERROR.number = 998
    assert ERROR.number == 999


def test_is_told_by_its_fields() -> None:
    """In logs, where nobody fills a template."""
    assert str(ERROR) == "NoSuchBoard(board=None, number=999, userid='alice', own=(101, 102))"
