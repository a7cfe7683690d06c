"""The one family of errors a user meets. Each message names the value, what was expected, what to do next."""

from typing import Any


class KitError(Exception):
    """Something the user can put right: a wrong name, a missing file, a bad setting."""


class Unavailable(KitError):
    """The outside world failed (model server, live corpus): never to be scored as the model's answer."""


class ReplayMiss(KitError):
    """In replay-only mode, a reply was asked for that the replay does not hold."""


def expect(what: str, value: object, kind: Any, hint: str) -> None:
    """Raise `KitError` unless `value` is of that kind."""
    if not isinstance(value, kind):
        raise KitError(f"{what} is {value!r}; expected {hint}.")


def unknown(what: str, value: object, known: object, hint: str = "") -> KitError:
    """The error for a name that is not in a registry."""
    names = ", ".join(sorted(str(k) for k in known)) if known else "none"  # type: ignore[attr-defined]
    return KitError(f"unknown {what} {value!r}; expected one of: {names}.{' ' + hint if hint else ''}")
