r"""Repairs bytes by a plan: the changes that turn them into UTF-8, which can be shown, saved, applied and undone.

A change is a place where the bytes in the source form and in UTF-8 differ: a fault, for which a policy provides the new
bytes, or a well-formed sequence that UTF-8 writes differently. The form defines faults and the meaning of sequences;
this package defines the replacements and the plan that records them. The target is always UTF-8, because WTF-8 is not
meant for interchange.

A plan stores the old bytes and the SHA-256 of the original and the result, so :meth:`Plan.undo` always restores the
original, and a plan for other bytes is refused. Without the plan only the output of ``strict`` and ``escape`` can be
reversed, because under them different inputs give different results. The other policies are *lossy*, and a plan counts
the changes that they made.

With ``escapes``, escapes of unpaired surrogates in JSON are changes as well: see :mod:`eightfold.jsonescapes`.

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
from eightfold.repair.policies import ESCAPE_POLICIES, LOSSLESS, POLICIES, policy_named
from eightfold.repair.repairing import Repaired, Repairer, repair

__all__ = [
    "ESCAPE_POLICIES",
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
    "policy_named",
    "repair",
    "undo_changes",
]
