"""The policies of a repair, as the help of the commands that take one lists them."""

from __future__ import annotations

from eightfold.repair import LOSSLESS, POLICIES


def policies_listed() -> str:
    """Return a line or two for each policy, under a heading.

    >>> policies_listed().splitlines()[1]
    'policies:'
    """
    import textwrap

    lines = ["", "policies:"]
    for name, meaning in POLICIES.items():
        loss = "" if name in LOSSLESS else " (lossy)"
        lines += textwrap.wrap(f"  {name:<9} {meaning}{loss}", 78, subsequent_indent=" " * 12)
    return "\n".join(lines)
