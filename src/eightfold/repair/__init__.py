r"""Repair as a plan: the changes that make bytes UTF-8, which can be shown, saved, applied, and undone to the byte.

A change is a place whose bytes differ between the form that is read and UTF-8: a fault, for which a policy says what is
written, or a well-formed sequence that UTF-8 writes otherwise. What is a fault, and what a sequence is worth, is the
business of the form; here is what is written for it, and the plan as a record. The target is UTF-8 and nothing else:
WTF-8 is not for interchange.

A plan holds the old bytes and the SHA-256 of both ends, so :meth:`Plan.undo` always gives the original back, and a plan
for other bytes is refused. Without the plan only what ``strict`` and ``escape`` write can be turned back: different
inputs give different results. The other policies are *lossy*, and each change that one of them made is counted.

>>> from eightfold import repair
>>> plan = repair.plan(b"caf\xe9\nCESU-8: \xed\xa0\xbd\xed\xb8\x80\n", errors="replace")
>>> print(plan)
3 changes from utf-8 to UTF-8, errors='replace', 3 lossy
1:4: truncated: E9 -> EF BF BD (U+FFFD)
2:9: surrogate: ED A0 BD -> EF BF BD EF BF BD EF BF BD (U+FFFD U+FFFD U+FFFD)
2:12: surrogate: ED B8 80 -> EF BF BD EF BF BD EF BF BD (U+FFFD U+FFFD U+FFFD)
>>> plan.undo(plan.apply(b"caf\xe9\nCESU-8: \xed\xa0\xbd\xed\xb8\x80\n"))
b'caf\xe9\nCESU-8: \xed\xa0\xbd\xed\xb8\x80\n'
>>> print(repair.plan(b"CESU-8: \xed\xa0\xbd\xed\xb8\x80\n", errors="pairs"))
1 change from utf-8 to UTF-8, errors='pairs', 1 lossy
1:9: surrogate-pair: ED A0 BD ED B8 80 -> F0 9F 98 80 (U+1F600)

Source: XTF-8 (``escape``); WTF-8 section 1 (never WTF-8) and section 2.1 (``pairs``); WHATWG Encoding, windows-1252.
"""

from __future__ import annotations

from eightfold.repair.changes import Change, PlanError, apply_changes, undo_changes
from eightfold.repair.plans import Plan, plan, plan_chunks
from eightfold.repair.policies import LOSSLESS, POLICIES
from eightfold.repair.repairing import Repaired, Repairer, repair

__all__ = [
    "LOSSLESS",
    "POLICIES",
    "Change",
    "Plan",
    "PlanError",
    "Repaired",
    "Repairer",
    "apply_changes",
    "plan",
    "plan_chunks",
    "repair",
    "undo_changes",
]
