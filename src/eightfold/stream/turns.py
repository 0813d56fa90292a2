"""What all coders share: one thread at a time, and copies with a state of their own."""

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


def _locked(method: Callable[..., Any]) -> Callable[..., Any]:
    from threading import RLock  # reentrant: an error handler may call the coder that called it

    @wraps(method)
    def locked(self: Any, *given: Any, **named: Any) -> Any:
        with self.__dict__.setdefault("_lock", RLock()):
            return method(self, *given, **named)

    return locked


class Copied:
    """Copies and pickles with its own state: mutable attributes are copied, the thread lock is not."""

    def __getstate__(self) -> dict[str, Any]:
        from copy import copy

        return {name: copy(value) for name, value in vars(self).items() if name != "_lock"}
