"""The imports between the files of a Rust crate, read from their text.

A path is followed to the file that defines its item: through modules, `use` and `pub use`, so that an item which a
folder's `mod.rs` re-exports counts as an import from the file that defines it. Declaring a module is not an import.
Paths are read in `use` trees and everywhere in code; modules under `#[cfg(test)]` are left out. Methods are not seen,
because a call needs no path.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

Segments = tuple[str, ...]

TOKEN = re.compile(
    r"""
      //[^\n]* | /\*.*?\*/                                    # comments
    | b?r(?P<hashes>\#*)".*?"(?P=hashes) | [bc]?"(?:\\.|[^"\\])*"
    | b?'(?:\\(?:x..|u\{[^}]*\}|.)|[^\\'])'                   # a character; not a lifetime
    | (?P<token>(?:r\#)?[A-Za-z_]\w* | :: | [^\s\w])
    """,
    re.VERBOSE | re.DOTALL,
)
ROOTS = ("crate", "self", "super")
ITEMS = ("const", "enum", "fn", "static", "struct", "trait", "type", "union")


class Leaf(NamedTuple):
    """One name that a `use` tree imports, or `*` for all."""

    path: Segments
    name: str


@dataclass
class Module:
    """A module, in a file of its own or inside of one."""

    path: Segments
    file: str
    children: set[str] = field(default_factory=set)
    items: set[str] = field(default_factory=set)
    uses: list[Leaf] = field(default_factory=list)
    paths: list[Segments] = field(default_factory=list)


def tokens_of(source: str) -> list[str]:
    return [match["token"] for match in TOKEN.finditer(source) if match["token"]]


def module_path(file: str) -> Segments:
    """Return the module path of a file below `src`."""
    parts = tuple(file.removesuffix(".rs").split("/"))
    return parts[:-1] if parts[-1] in ("mod", "lib") else parts


def block_end(tokens: list[str], start: int, opening: str = "{", closing: str = "}") -> int:
    """Return the index after the bracket that closes the one at `start`."""
    depth = 0
    for at in range(start, len(tokens)):
        depth += (tokens[at] == opening) - (tokens[at] == closing)
        if depth == 0:
            return at + 1
    raise ValueError("a bracket is not closed")


def use_leaves(tokens: list[str], prefix: Segments = ()) -> Iterator[Leaf]:
    """Yield the names that a `use` tree imports; the tokens are those between `use` and `;`, or between commas."""
    path: Segments = prefix
    at = 0
    while at < len(tokens):
        token = tokens[at]
        if token == "{":
            for tree in split_at_commas(tokens[at + 1 : block_end(tokens, at) - 1]):
                yield from use_leaves(tree, path)
            return
        if token == "*":
            yield Leaf(path, "*")
            return
        if token == "as":
            yield leaf_of(path, tokens[at + 1])
            return
        if token != "::":
            path = (*path, token)
        at += 1
    if path:
        yield leaf_of(path, path[-2] if path[-1] == "self" and len(path) > 1 else path[-1])


def leaf_of(path: Segments, name: str) -> Leaf:
    """Resolve a `self` at the end of a tree to the path before it."""
    return Leaf(path[:-1] if path[-1] == "self" and len(path) > 1 else path, name)


def split_at_commas(tokens: list[str]) -> Iterator[list[str]]:
    depth, tree = 0, list[str]()
    for token in tokens:
        depth += (token == "{") - (token == "}")
        if token == "," and depth == 0:
            yield tree
            tree = []
        else:
            tree.append(token)
    if tree:
        yield tree


class Reader:
    """Reads the modules of one file."""

    def __init__(self, file: str, source: str) -> None:
        self.file, self.tokens = file, tokens_of(source)
        self.modules: list[Module] = []

    def read(self) -> list[Module]:
        self.read_module(module_path(self.file), 0, len(self.tokens))
        return self.modules

    def read_module(self, path: Segments, start: int, end: int) -> None:
        module = Module(path, self.file)
        self.modules.append(module)
        at, is_test = start, False
        while at < end:
            token = self.tokens[at]
            if token == "#" and self.tokens[at + 1 : at + 2] in (["["], ["!"]):
                opening = at + 1 + (self.tokens[at + 1] == "!")
                after = block_end(self.tokens, opening, "[", "]")
                is_test = is_test or self.tokens[opening + 1 : after - 1] == ["cfg", "(", "test", ")"]
                at = after
                continue
            if token == "mod" and self.tokens[at + 2] in (";", "{"):
                at = self.read_child(module, at, is_test=is_test)
            elif token == "use":
                stop = self.tokens.index(";", at)
                module.uses += use_leaves(self.tokens[at + 1 : stop])
                at = stop + 1
            else:
                if token in ITEMS:
                    module.items.add(self.tokens[at + 1])
                at = self.read_path(module, at)
            is_test = is_test and token in ("pub", "(", ")", "crate", "super")
        module.paths = list(dict.fromkeys(module.paths))

    def read_child(self, module: Module, at: int, *, is_test: bool) -> int:
        """Read a module's declaration or body, and return the index after it."""
        name, is_body = self.tokens[at + 1], self.tokens[at + 2] == "{"
        end = block_end(self.tokens, at + 2) if is_body else at + 3
        if not is_test:
            module.children.add(name)
            if is_body:
                self.read_module((*module.path, name), at + 3, end - 1)
        return end

    def read_path(self, module: Module, at: int) -> int:
        """Note the path that begins at a token, if any, and return the index after it."""
        before = self.tokens[at - 1] if at else ""
        if not re.match(r"\w", self.tokens[at]) or before in ("::", "."):
            return at + 1
        path, end = [self.tokens[at]], at + 1
        while self.tokens[end : end + 1] == ["::"] and re.match(r"\w", self.tokens[end + 1]):
            path.append(self.tokens[end + 1])
            end += 2
        is_visibility = before == "in" and self.tokens[max(at - 3, 0) : at - 1] == ["pub", "("]
        if len(path) > 1 and not is_visibility:
            module.paths.append(tuple(path))
        return end


class Crate:
    """All modules of a crate, by the text of its files: by their path below `src`."""

    def __init__(self, sources: dict[str, str]) -> None:
        read = [module for file, source in sources.items() for module in Reader(file, source).read()]
        self.modules = {module.path: module for module in read}

    def imports(self) -> Iterator[tuple[str, str, str]]:
        """Yield each import between files: the importer, the file imported from, and the path as written."""
        for module in self.modules.values():
            for path in (*(leaf.path for leaf in module.uses if leaf.name != "*"), *module.paths):
                for file in self.files_of(module, path):
                    yield module.file, file, "::".join(path)
            for path in (leaf.path for leaf in module.uses if leaf.name == "*"):
                for file in self.files_of_all(module, path):
                    yield module.file, file, "::".join((*path, "*"))

    def files_of(self, module: Module, path: Segments) -> set[str]:
        """Return the file that defines the item of a path, if it is another file of this crate."""
        item = self.resolve(module, path)
        return set() if item is None else {self.file_at(item)} - {module.file}

    def files_of_all(self, module: Module, path: Segments) -> set[str]:
        """Return the files of all items that a module defines or re-exports."""
        item = self.resolve(module, path)
        if item is None or item not in self.modules:
            return self.files_of(module, path)
        face = self.modules[item]
        handed = set[str]().union(*(self.files_of(face, leaf.path) for leaf in face.uses))
        return {face.file, *handed} - {module.file}

    def file_at(self, item: Segments) -> str:
        while item not in self.modules:
            item = item[:-1]
        return self.modules[item].file

    def resolve(self, module: Module, path: Segments, seen: frozenset[object] = frozenset()) -> Segments | None:
        """Return the module or item that a path names, as its path from the crate; None if another crate has it."""
        if (module.path, path) in seen:
            return None
        seen |= {(module.path, path)}
        here, rest = module.path, path
        if path[0] == "crate":
            return self.descend((), path[1:], seen)
        if path[0] in ROOTS:
            while rest and rest[0] in ROOTS:
                here, rest = here[: len(here) - (rest[0] == "super")], rest[1:]
            return self.descend(here, rest, seen)
        if path[0] in module.children:
            return self.descend((*here, path[0]), path[1:], seen)
        return self.handed(module, path, seen)

    def descend(self, here: Segments, rest: Segments, seen: frozenset[object]) -> Segments:
        """Follow a path from a module on, through the names that its `use` imports."""
        module = self.modules.get(here)
        if module is None or not rest:
            return here
        if rest[0] in module.children:
            return self.descend((*here, rest[0]), rest[1:], seen)
        return self.handed(module, rest, seen) or (*here, rest[0])

    def handed(self, module: Module, path: Segments, seen: frozenset[object]) -> Segments | None:
        """Follow a path that begins with a name which a `use` of the module imports."""
        for leaf in module.uses:
            item = self.resolve(module, leaf.path, seen) if leaf.name in (path[0], "*") else None
            if item is None:
                continue
            face = self.modules.get(item)
            if leaf.name != "*":
                return self.descend(item, path[1:], seen)
            if face is not None and path[0] in (face.items | face.children | {leaf.name for leaf in face.uses}):
                return self.descend(item, path, seen)
        return None
