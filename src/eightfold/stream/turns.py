"""What all coders share: pieces that are taken once, whoever calls, and copies with a state of their own.

A lock admits one thread at a time. It is reentrant, because an error handler may call the coder that called it, and it
costs more than a small piece, so a Decoder and an Encoder have none where there is a global lock. They compare: if the
state from which a piece was decoded is no longer there when the piece is done, another thread or the handler has
changed it, and the call raises `in_use` and changes nothing. With a global lock no other thread runs between the
comparison and the assignment that follows it, because Python lets others run at calls and at jumps back only.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

_Coder = TypeVar("_Coder", bound=type)


def in_turn(*methods: str) -> Callable[[_Coder], _Coder]:
    """Admit one thread at a time to these methods of a class."""

    def decorated(cls: _Coder) -> _Coder:
        for name in methods:
            setattr(cls, name, _locked(getattr(cls, name)))
        return cls

    return decorated


def in_turn_without_global_lock(*methods: str) -> Callable[[_Coder], _Coder]:
    """Apply `in_turn` where Python has no global lock; elsewhere a lock would cost more than a small piece."""
    has_lock: bool = getattr(sys, "_is_gil_enabled", lambda: True)()
    return in_turn(*(() if has_lock else methods))


def in_use(coder: object) -> RuntimeError:
    """Return the exception for a piece that cannot be taken, because the state has changed since it was begun."""
    name = type(coder).__name__
    return RuntimeError(f"this {name} is in use by another thread, or by its own error handler: nothing was taken")


def _locked(method: Callable[..., Any]) -> Callable[..., Any]:
    from threading import RLock  # reentrant: an error handler may call the coder that called it

    @wraps(method)
    def locked(self: Any, *given: Any, **named: Any) -> Any:
        with self.__dict__.setdefault("_lock", RLock()):
            return method(self, *given, **named)

    return locked


_OF_CALLS = ("_lock", "_is_asking")
"""The attributes of calls in progress, which no copy has."""


class Copied:
    """Copies and pickles with its own state: mutable attributes are copied, the thread lock is not."""

    def __getstate__(self) -> dict[str, Any]:
        from copy import copy

        return {name: copy(value) for name, value in vars(self).copy().items() if name not in _OF_CALLS}
