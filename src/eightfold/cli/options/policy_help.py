"""The policies of a repair: the argument, and how the help of the commands that take one lists them."""

from __future__ import annotations

import argparse

from eightfold.repair import LOSSLESS, POLICIES, policy_named


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


def policy_argument(name: str) -> str:
    """Return the policy with this name.

    Raises:
        argparse.ArgumentTypeError: there is none.
    """
    try:
        return policy_named(name)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{name!r} is not one of {', '.join(POLICIES)}") from None
