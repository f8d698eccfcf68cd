"""The tables of docs/decisions name what exists, and say what is still so."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from fakeplat.model.instance import Instance
from tests.architecture.sources import ROOT
from tests.docs.ledgers import (
    CLAIMS,
    DECISIONS,
    PLACEHOLDER,
    Expectation,
    find_stale_claims,
    is_known_path,
    is_known_path_outside,
    is_operation,
    list_expectations,
    list_request_names,
    list_ruling_numbers,
    table_rows,
)

PAGES = ("choices.md", "expectations.md", "rulings.md")


def test_no_expectation_is_stale() -> None:
    """Each unmet expectation is current: its operations exist and its claims hold."""
    assert [] == [text for row in list_expectations() for text in find_stale_claims(row)]


def test_every_expectation_has_a_claim() -> None:
    """Each expectation names operations or an unknown path and makes a claim about them."""
    rows = list_expectations()
    assert [] == [row.line for row in rows if not row.claims or not (row.operations or "unknown " in row.claims[0])]


@pytest.mark.parametrize(
    ("operation", "claim"),
    [
        ("close_an_issue", "differs"),
        ("get_issue", "later"),
        ("list_project_groups", "later 13.8"),
        ("get_issue", "unknown GET /projects/:id/issues/:iid"),
        ("list_issues", "no parameter labels"),
        ("get_issue", "no field title"),
        ("query_graphql", "no type field Issue.title"),
        ("get_issue", "ruling 99"),
    ],
)
def test_a_claim_that_is_not_true_is_noticed(operation: str, claim: str) -> None:
    """A row is stale if its operation is gone or implemented, or has what the row says it lacks."""
    assert 1 == len(find_stale_claims(Expectation(1, (operation,), (claim,))))


@pytest.mark.parametrize(
    ("operation", "claim"),
    [
        ("get_issue", "differs"),
        ("list_project_groups", "later 13.9"),
        ("get_issue", "unknown GET /projects/:id/no_such_thing"),
        ("list_issues", "no parameter no_such_parameter"),
        ("get_issue", "no field no_such_field"),
        ("query_graphql", "no type field Issue.noSuchField"),
        ("get_issue", "ruling 1"),
    ],
)
def test_a_claim_that_is_true_is_accepted(operation: str, claim: str) -> None:
    """A row is not stale as long as its claim is true."""
    assert [] == find_stale_claims(Expectation(1, (operation,), (claim,)))


def test_a_claim_has_one_of_the_known_forms() -> None:
    """A claim of an unknown form is an error, and the page lists the known forms."""
    with pytest.raises(ValueError, match="a claim begins with"):
        find_stale_claims(Expectation(1, ("get_issue",), ("maybe",)))
    page = DECISIONS.joinpath("expectations.md").read_text("utf-8")
    assert [] == [words for words in CLAIMS if f"| `{words}" not in page]


def list_code(page: str) -> Iterator[tuple[str, str]]:
    """Yield each text in backticks in the tables of a page, with its place."""
    for number, cells in table_rows(page):
        for text in re.findall(r"`([^`]+)`", " ".join(cells)):
            yield f"{page}:{number}", text


OPERATION = re.compile(r"(list|get|create|update|delete|download|upload|set|start|reset)_[a-z_]+")
OTHER_NAMES = ("list_type", "start_time")
"""Names that are none of operations: fields inside of others."""
ROUTE = re.compile(r"(GET|POST|PUT|PATCH|DELETE) (/[\w:/.*%-]+)")


def is_stale_name(text: str) -> bool:
    """Whether a text in backticks is the name, or method and path, of an operation that does not exist."""
    if route := ROUTE.fullmatch(text):
        return not (is_known_path(*route.groups()) or is_known_path_outside(*route.groups()))
    is_name = OPERATION.fullmatch(text) and text not in OTHER_NAMES
    return bool(is_name) and not (is_operation(text) or text in list_request_names())


@pytest.mark.parametrize("page", PAGES)
def test_named_operations_exist(page: str) -> None:
    """Each operation that a table refers to by name, or by method and path, is known."""
    assert [] == [(location, text) for location, text in list_code(page) if is_stale_name(text)]


@pytest.mark.parametrize("text", ["list_projets", "get_merge_request_trains", "GET /project/:id", "PUT /users"])
def test_a_name_that_is_gone_is_noticed(text: str) -> None:
    """A renamed operation, an unknown path and an unknown method of a path are noticed."""
    assert is_stale_name(text)


@pytest.mark.parametrize("page", PAGES)
def test_named_rulings_exist(page: str) -> None:
    """Each ruling that a table refers to by number is in the table of rulings."""
    numbers = [
        (f"{page}:{number}", int(ruling))
        for number, cells in table_rows(page)
        for numbers in re.findall(r"[Rr]ulings? \[?(\d+(?:(?:, | and )\d+)*)", " ".join(cells))
        for ruling in re.findall(r"\d+", numbers)
    ]
    assert [] == [(location, ruling) for location, ruling in numbers if ruling not in list_ruling_numbers()]


@pytest.mark.parametrize("page", PAGES)
def test_named_keys_of_the_instance_exist(page: str) -> None:
    """Each instance key that a table refers to is a field of the instance."""
    keys = [(location, key) for location, text in list_code(page) for key in re.findall(r"\binstance\.([a-z_]+)", text)]
    assert [] == [(location, key) for location, key in keys if not hasattr(Instance(), key)]


@pytest.mark.parametrize("page", PAGES)
def test_linked_pages_exist(page: str) -> None:
    """Each link of a table leads to an existing page and section."""
    text = re.sub("`[^`]*`", "", DECISIONS.joinpath(page).read_text("utf-8"))
    missing = []
    for link in re.findall(r"\]\(([^)#]*(?:#[^)]*)?)\)", text):
        name, _, section = link.partition("#")
        target = (DECISIONS / name).resolve() if name else DECISIONS / page
        if "://" not in link and not (
            target.is_relative_to(ROOT) and target.is_file() and has_section(target, section)
        ):
            missing.append(link)
    assert [] == missing


def has_section(target: Path, section: str) -> bool:
    heads = re.findall(r"^#+ (.+)$", target.read_text("utf-8"), re.MULTILINE)
    return not section or section in {re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in heads}


def test_the_facts_are_linked() -> None:
    """A choice that refers to the facts links the page that has them."""
    rows = [(number, cells[-1]) for number, cells in table_rows("choices.md")]
    assert [] == [number for number, reason in rows if re.search(r"\bfacts\b", reason) and "../platform/" not in reason]


def test_placeholders_stand_for_unknown_operations_only() -> None:
    """A row without an operation names its unknown path."""
    cells = [row for _, row in table_rows("expectations.md")]
    assert [] == [row for row in cells if PLACEHOLDER in row[1] and "`unknown " not in row[3]]
