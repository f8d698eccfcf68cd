"""The table of docs/platform/ci-keywords.md lists the keywords of CI configurations."""

from collections.abc import Iterator, Mapping
from typing import Final

from fakeplat.ci_config.validation.declarations import Keyword
from fakeplat.ci_config.validation.documents import list_all_keywords
from fakeplat.core.release import Lifetime
from tests.architecture.sources import ROOT

PAGE: Final = "docs/platform/ci-keywords.md"
HEAD: Final = ("| keyword | releases | in fakeplat |", "|---|---|---|")
OWNERS: Final = (
    "job.",
    "trigger job.trigger",
    "workflow",
    "spec",
    "include",
    "variables",
    "default",
    "stages",
    "types",
)
"""Where a keyword is listed; the same one elsewhere, such as `cache` at the top or in `default`, is not repeated."""


def list_sections() -> Mapping[str, Keyword]:
    """Return the keywords by their names, as the platform's page writes them."""
    listed = dict(list_all_keywords())
    names = sorted(name for name in listed if "=" not in name and name.startswith(OWNERS))
    return {_write(name): listed[name] for name in names if not name.startswith("default.")}


def _write(name: str) -> str:
    return name.removeprefix("job.").removeprefix("trigger job.").replace(".*", "").replace(".", ":")


def build_row(name: str, keyword: Keyword) -> str:
    releases = str(Lifetime(keyword.since, keyword.until)) if keyword.since or keyword.until else "all"
    served = "refused" if keyword.is_unbuilt else "accepted, without effect" if keyword.is_inert else "has its effect"
    return f"| `{name}` | {releases} | {served} |"


def list_rows() -> Iterator[str]:
    yield from HEAD
    yield from (build_row(name, keyword) for name, keyword in list_sections().items())


def test_the_table_of_keywords_is_complete() -> None:
    """The table has a row for each keyword with its releases and what fakeplat does with it."""
    table = "\n".join(list_rows())
    assert table in (ROOT / PAGE).read_text("utf-8"), f"{PAGE} does not contain this table:\n{table}"


def test_no_keyword_is_refused_as_not_built() -> None:
    """Each keyword that a release has is accepted at least."""
    assert [] == [name for name, keyword in list_all_keywords() if keyword.is_unbuilt]
