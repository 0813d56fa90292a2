"""How Sphinx builds the site: `make docs`. Nothing is fetched, and every warning is an error.

The pages are the Markdown files that a clone shows. What they link to outside this folder and the site has too is in
`ELSEWHERE`; every page of `how-to/` is taken as it comes. The generated pages and pictures are committed: see
`generator/`.
"""

from __future__ import annotations

import os
import re
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from types import ModuleType, SimpleNamespace

# The verbs of the compiled core have no annotations; the same verbs in Python show their types.
os.environ["EIGHTFOLD_ENGINE"] = "python"

import eightfold

DOCS = Path(__file__).parent
ROOT = DOCS.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

project = "eightfold"
author = "The eightfold authors"
project_copyright = f"{author}; {PROJECT['license']} licence"
release = version = eightfold.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton"]
exclude_patterns = ["README.md", "_build", "generator"]
nitpicky = True
# Without an index of the standard library, which would have to be fetched, its names lead nowhere.
nitpick_ignore_regex = [
    ("py:.*", r"(collections|io|os|array|codecs|re|types|typing|decimal|datetime|pathlib|logging|abc|sqlite3)\..*"),
    ("py:.*", r"(array|bytes|bytearray|memoryview|str|int|bool|object|float|dict|list|tuple|set|range|type|None)"),
    ("py:.*", r"(pydantic|pydantic_core|sqlalchemy|starlette|pyarrow|pandas|polars|numpy|duckdb|pyspark|ray)\..*"),
    ("py:mod", r"eightfold\..*"),  # Docstrings name modules that are not public.
    ("py:class", r"eightfold\.(scrub\.T|mutf8\.(Source|Sink)|textfile\._Opened|columns\.\w+\._(Frame|Connection))"),
    ("py:.*", r"(\w+Error|\w+Warning|Any|Callable|Iterable|Iterator|Mapping|Sequence|Literal|Self|TypeAlias)"),
]

# --- Markdown ---------------------------------------------------------------------------------------------------------

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

ELSEWHERE = {
    "CHANGELOG.md": "project/changelog.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "SECURITY.md": "project/security.md",
    "README.md": "index.md",
    "docs/README.md": "how-to/index.md",
    "examples/SOURCES.md": "project/examples.md",
}
"""Files outside the site, or not shown by it as they are, and the page that has the same contents."""

LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\((?![a-z]+:|#)([^)\s#]+)(#[^)\s]*)?\)")


def linked(text: str, file: str, page: str) -> str:
    """Return the text of a file with its links as a page of the site has them; those that lead out lose the link."""

    def moved(found: re.Match[str]) -> str:
        words, target, anchor = found[1], found[2], found[3] or ""
        wanted = os.path.normpath(PurePosixPath(file).parent / target).replace(os.sep, "/")
        shown = ELSEWHERE.get(wanted, wanted.removeprefix("docs/") if wanted.startswith("docs/") else None)
        if shown is None:
            return words
        start = str(PurePosixPath(page).parent)
        return f"[{words}]({os.path.relpath(shown, start).replace(os.sep, '/')}{anchor})"

    parts = re.split(r"(^```.*?^```$)", text, flags=re.MULTILINE | re.DOTALL)
    return "".join(part if at % 2 else LINK.sub(moved, part) for at, part in enumerate(parts))


DESCRIPTION = re.compile(r"!\[[^\]]*\]")


def read_page(app, docname, source) -> None:
    """Give Sphinx the text of a page: that of a file elsewhere for a page that stands for one."""
    page = f"{docname}.md"
    if not (DOCS / page).is_file():
        return
    file = next((name for name, shown in ELSEWHERE.items() if shown == page and page.startswith("project/")), None)
    text = (ROOT / file).read_text(encoding="utf-8") if file else source[0]
    source[0] = with_the_explorer(linked(described(text), file or f"docs/{page}", page))


def described(text: str) -> str:
    """Return a text with the description of each picture on one line: at the end of a line, two words would join."""
    return DESCRIPTION.sub(lambda found: found[0].replace("\n", " "), text)


LIVE = "`live/index.html`"


def with_the_explorer(text: str) -> str:
    """Return a text with a link to the explorer where it says where that is: only the site has it."""
    return text.replace(LIVE, f'<a href="{LIVE[1:-1]}">{LIVE[1:-1]}</a>')


def read_included(app, path, docname, content) -> None:
    """Give Sphinx the text of a file that a page includes, with its links as that page has them."""
    file = f"docs/{path.as_posix()}"
    content[0] = linked(content[0], file, ELSEWHERE[file])


# --- reference --------------------------------------------------------------------------------------------------------

SEVERAL = re.compile(r"^( *\w+(?:, \w+)+): ")
TWO_ERRORS = re.compile(r"^( +)(\w+Error: .*?\.) (\w+Error: .*)$")


def join_names(app, what, name, obj, options, lines) -> None:
    """Keep names that share a description together: to Sphinx, the first of two words is a type.

    Two errors that share a line get one each.
    """
    joined = (SEVERAL.sub(lambda found: f"{found[1].replace(', ', ',')}: ", line) for line in lines)
    lines[:] = [part for line in joined for part in TWO_ERRORS.sub(r"\1\2\n\1\3", line).split("\n")]


def name_types(app, what, name, obj, options, signature, returned):
    """Give the alias of a type by its name where it is part of a union too."""
    named = [each and re.sub(r"TypeAliasForwardRef\('(\w+)'\)", r"\1", each) for each in (signature, returned)]
    return named[0], named[1]


def skip_fields(app, what, name, obj, skip, options):
    """Leave out the fields of a named tuple, of which autodoc knows nothing: the class describes them."""
    return type(obj).__name__ == "_tuplegetter" or None


def stand_in_for_polars() -> None:
    """Let a module that imports polars be described where it is not installed: a mock would hide what it decorates."""
    if find_spec("polars") is None:
        names = ("Boolean", "DataFrame", "Expr", "LazyFrame", "Null", "Object", "Series")
        types = {name: type(name, (), {"__module__": "polars"}) for name in names}
        registers = dict.fromkeys(
            ("register_expr_namespace", "register_series_namespace"), lambda name: lambda cls: cls
        )
        polars = ModuleType("polars")
        vars(polars).update(types, api=SimpleNamespace(**registers))
        sys.modules["polars"] = polars


def draw_dashes(app, doctree, docname) -> None:
    """Write a dash between a parameter and its description; dashes elsewhere may begin an option."""
    from docutils.nodes import Text

    for found in list(doctree.findall(lambda node: isinstance(node, Text) and node == " -- ")):
        found.parent.replace(found, Text(" \N{EN DASH} "))


autodoc_mock_imports = ["pandas"]  # See also `stand_in_for_polars`.
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_type_aliases = {name: name for name in ("AnyErrors", "AnyForm", "Data")}
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
default_role = "literal"
napoleon_numpy_docstring = False
smartquotes = False
napoleon_use_rtype = False
napoleon_use_ivar = True
python_maximum_signature_line_length = 88

# --- the site ---------------------------------------------------------------------------------------------------------

html_theme = "furo"
html_title = "eightfold"
html_static_path = ["_static", "images/narrow"]
html_css_files = ["eightfold.css"]
html_favicon = "../src/eightfold/web/static/icon.svg"
html_show_sphinx = False
html_copy_source = False
html_show_sourcelink = False
html_show_search_summary = False  # A page that is opened as a file may not fetch others, which summaries come from.
pygments_style = "a11y-high-contrast-light"  # Every colour has enough contrast; it comes with furo.
pygments_dark_style = "github-dark"
html_theme_options = {
    "navigation_with_keys": True,
    "light_css_variables": {"color-brand-primary": "#0b57a4", "color-brand-content": "#0b57a4"},
    "dark_css_variables": {"color-brand-primary": "#7ab7ff", "color-brand-content": "#7ab7ff"},
}
copybutton_prompt_text = r">>> |\.\.\. |\$ |> "
copybutton_prompt_is_regexp = True
copybutton_only_copy_prompt_lines = True
copybutton_line_continuation_character = "\\"


SCROLLING = re.compile(r'(<pre|<div class="table-wrapper[^"]*")>')


def let_keys_scroll(app, pagename, templatename, context, doctree) -> None:
    """Let the focus reach code blocks and tables: what is wide scrolls by the keys only where the focus can be."""
    if "body" in context:
        context["body"] = SCROLLING.sub(r'\1 tabindex="0">', context["body"])


PARAMETERS = re.compile(r"<dl>\n((?:<dd>.*</dd>\n)+)</dl>")


def list_parameters(app, pagename, templatename, context, doctree) -> None:
    """Make a list of the parameters of a long signature: Sphinx writes descriptions there that lack their terms."""

    def listed(found: re.Match[str]) -> str:
        items = re.sub("(</?)dd>", r"\1li>", found[1])
        return f'<ul class="sig-params">\n{items}</ul>'

    if "body" in context:
        context["body"] = PARAMETERS.sub(listed, context["body"])


def space_names(app, pagename, templatename, context, doctree) -> None:
    """Put a space after each comma between names that share a description; `join_names` removed it."""
    if "body" in context:
        context["body"] = context["body"].replace("<strong>,</strong>", "<strong>, </strong>")


PICTURE = re.compile(r'<img [^>]*src="[^"]*/([\w-]+\.svg)"[^>]*>')
NARROW = "(max-width: 46em)"


def fit_pictures(app, pagename, templatename, context, doctree) -> None:
    """Let a picture scroll sideways on a telephone instead of shrinking, or show its narrow version if it has one."""

    def fitted(found: re.Match[str]) -> str:
        if (DOCS / "images" / "narrow" / found[1]).is_file():
            narrow = context["pathto"](f"_static/{found[1]}", 1)
            return f'<picture><source media="{NARROW}" srcset="{narrow}">{found[0]}</picture>'
        return f'<span class="picture" tabindex="0" role="group" aria-label="Picture">{found[0]}</span>'

    if "body" in context:
        context["body"] = PICTURE.sub(fitted, context["body"])


def setup(app) -> None:
    """Connect the reading of pages, and their writing."""
    stand_in_for_polars()
    app.connect("html-page-context", let_keys_scroll)
    app.connect("html-page-context", list_parameters)
    app.connect("html-page-context", space_names)
    app.connect("html-page-context", fit_pictures)
    app.connect("source-read", read_page)
    app.connect("include-read", read_included)
    app.connect("autodoc-process-docstring", join_names, priority=400)
    app.connect("autodoc-process-signature", name_types)
    app.connect("autodoc-skip-member", skip_fields)
    app.connect("doctree-resolved", draw_dashes)
