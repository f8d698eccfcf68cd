"""Hooks of MkDocs: add the pages that are generated from the code, and those that lie outside docs/."""

import re
import sys
from pathlib import Path
from posixpath import dirname, relpath

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tools import reference  # noqa: E402  # the root is not on a hook's path
from tools.search import search_rank  # noqa: E402

OUTSIDE = {"changes.md": "CHANGELOG.md", "contributing.md": "CONTRIBUTING.md"}
"""Pages of the site by the files at the top level that they show."""

GENERATED = (*reference.PAGES, *OUTSIDE)
"""Pages of the site that are no files below docs/. Documents link their addresses, for readers of the repository."""

WIDE = ("coverage.md", "roles.md")
"""Pages with wide tables, which have the whole width; see docs/site.css."""

_SITE = "https://fakeplat.readthedocs.io/en/latest/"
_PUBLISHED = re.compile(rf"\]\({re.escape(_SITE)}([\w-]+)/(#[\w-]+)?\)")
# A list right after a line of text, which Python-Markdown does not take for a list, unlike other renderers.
_LIST_AFTER_TEXT = re.compile(r"^(?!```|[-*|>#]|\s)(.+)\n(?=- )", re.MULTILINE)
# Code with an escaped bar, which a table needs elsewhere; Python-Markdown would show the backslash.
_CODE = re.compile(r"`[^`\n]*\\\|[^`\n]*`")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages."""
    pages = {name: page() for name, page in reference.PAGES.items()}
    pages |= {name: ROOT.joinpath(file).read_text("utf-8") for name, file in OUTSIDE.items()}
    for name, text in pages.items():
        files.append(File.generated(config, name, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Point links to generated pages and to files at the top level to their sources, and adapt the text."""
    del config, files
    page.meta.update(search=search_rank(page.file.src_uri))
    if page.file.src_uri in WIDE:
        page.meta.update(hide=["toc"])
        markdown += '\n<div class="wide"></div>\n'
    markdown = _CODE.sub(lambda found: found[0].replace("\\|", "|"), markdown)
    if page.file.src_uri.startswith("platform/"):
        markdown = _LIST_AFTER_TEXT.sub(r"\1\n\n", markdown)
    for name, file in OUTSIDE.items():
        markdown = markdown.replace(f"](../{file})", f"]({name})")
    return _PUBLISHED.sub(lambda link: _to_source(link, page.file.src_uri), markdown)


def _to_source(link: re.Match[str], source: str) -> str:
    """Return the link of a page to a generated one by its file, so that MkDocs checks it."""
    name = f"{link[1]}.md"
    if name not in GENERATED:
        return link[0]
    return f"]({relpath(name, dirname(source))}{link[2] or ''})"
