"""One test for many cases: all are tried, and all that fail are named at once."""

import inspect
from collections.abc import Callable, Iterable
from random import Random
from typing import Any, TypeVar

import pytest

from tests.representatives import is_of_another_game

Case = TypeVar("Case")
Test = Callable[..., None]
CONFIG = "pytestconfig"


def every(cases: Iterable[Case], check: Callable[[Case], object], name: Callable[[Case], str] = repr) -> None:
    """Checks each case; raises one `ExceptionGroup` with what each failing one raised and its name as a note."""
    failed: list[str] = []
    errors: list[Exception] = []
    count = 0
    for case in cases:
        count += 1
        try:
            check(case)
        except Exception as error:
            error.add_note(f"case: {name(case)}")
            errors.append(error)
            failed.append(name(case))
    assert count, "there are no cases"
    if errors:
        raise ExceptionGroup(f"{len(errors)} of {count} cases fail: {', '.join(failed)}", errors)


def for_each(
    names: str | tuple[str, ...],
    cases: Iterable[Any],
    ids: Callable[[Any], object] | None = None,
    quick: int | None = None,
) -> Callable[[Test], Test]:
    """In the place of `pytest.mark.parametrize` where no case needs anything fresh: one test, which tries all.

    To collect, set up and report a small case takes longer than to try it. The quick run leaves out games that are
    like others, and takes but `quick` cases if that is given; the slow run takes all.
    """
    arguments = [name.strip() for name in names.split(",")] if isinstance(names, str) else [*names]

    def by_name(case: Any) -> dict[str, Any]:
        return dict(zip(arguments, case if len(arguments) > 1 else (case,), strict=True))

    def name(values: dict[str, Any]) -> str:
        return ", ".join(str(ids(value)) if ids else repr(value) for value in values.values())

    def is_of_another(value: Any) -> bool:
        word = ids(value) if ids else value
        return isinstance(word, str) and is_of_another_game(word)

    rows = [by_name(case) for case in cases]
    ours = [row for row in rows if not any(map(is_of_another, row.values()))]

    def decorated(test: Test) -> Test:
        asked = {CONFIG, *inspect.signature(test).parameters} - {*arguments}

        def tries_all(**fixtures: Any) -> None:
            chosen = rows
            if fixtures[CONFIG].option.markexpr == "not slow":
                chosen = Random(0).sample(ours, quick) if quick else ours
            if CONFIG not in inspect.signature(test).parameters:
                del fixtures[CONFIG]
            every(chosen, lambda row: test(**row, **fixtures), name)

        keyword = inspect.Parameter.KEYWORD_ONLY
        signature = inspect.Signature([inspect.Parameter(name, keyword) for name in sorted(asked)])
        vars(tries_all).update(vars(test), __signature__=signature)
        for kept in ("__name__", "__qualname__", "__doc__", "__module__"):
            setattr(tries_all, kept, getattr(test, kept))
        mark = pytest.mark.part if ours else pytest.mark.slow
        marked: Test = mark(tries_all) if quick or len(ours) < len(rows) else tries_all
        return marked

    return decorated
