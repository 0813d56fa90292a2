"""The policies of a repair: the argument, and how the help of the commands that take one lists them."""

from __future__ import annotations

from contextlib import suppress

from eightfold.cli.options.arguments import OneOf
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


class PolicyName(OneOf):
    """The type of an option that takes the name of a policy of repair, or another name of its charset."""

    def __call__(self, name: str) -> str:
        """Return the policy with this name.

        Raises:
            argparse.ArgumentTypeError: there is none.
        """
        with suppress(ValueError):
            name = policy_named(name)
        return super().__call__(name)
