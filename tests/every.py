"""One test for many cases: all are tried, and all that fail are named at once."""

from collections.abc import Callable, Iterable
from typing import TypeVar

Case = TypeVar("Case")


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
