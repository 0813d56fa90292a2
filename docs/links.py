"""Judges what Sphinx found when it followed the links that lead elsewhere: broken, or is there no network?

python -m docs.links build/links/output.json
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

FOLLOWED = ("working", "redirected", "broken", "timeout", "rate-limited")


class Link(NamedTuple):
    """A link that Sphinx followed. The code is the status of HTTP, 0 if no server answered."""

    place: str
    uri: str
    status: str
    code: int
    reason: str


def followed(lines: Iterable[str]) -> Iterator[Link]:
    """Yield the links in a file that Sphinx wrote, one JSON object a line."""
    for line in lines:
        found = json.loads(line)
        if found["status"] in FOLLOWED:
            place = f"docs/{found['filename']}:{found['lineno']}"
            yield Link(place, found["uri"], found["status"], found["code"], found["info"])


def verdict(links: list[Link]) -> tuple[int, list[str]]:
    """Return an exit status, 0 if every link leads somewhere, and what to say.

    A host that does not answer while others do is a broken link. If none answers, nothing has been followed: 2.
    """
    if links and not any(each.code or each.status in ("working", "redirected") for each in links):
        hosts = sorted({urlsplit(each.uri).netloc for each in links})
        return 2, [f"no host answers, so there is no network here and no link was followed: {', '.join(hosts)}"]
    broken = [each for each in links if each.status in ("broken", "timeout")]
    said = [f"{each.place}: {each.uri}: {each.reason[:120] or each.status}" for each in broken]
    return min(len(broken), 1), [*said, f"{len(links)} links followed, {len(broken)} broken"]


def main(file: str) -> int:
    """Judge a file, and return the exit status."""
    with Path(file).open(encoding="utf-8") as lines:
        status, said = verdict(list(followed(lines)))
    print(*said, sep="\n", file=sys.stderr)
    return status


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m docs.links OUTPUT.JSON")
    sys.exit(main(sys.argv[1]))
