import csv
import re
from collections import Counter
from collections.abc import Iterable

from tests.architecture.sources import ROOT

COLUMNS = ["name", "method", "path", "since", "tier", "section"]
VERBS = set(
    "accept activate add advertise append apply approve archive authorize ban block cancel check cherry collect "
    "compare confirm create deactivate delete deny disable dismiss download enable erase export fork get import ingest "
    "introspect keep lint list lock mark merge move patch play promote protect query rebase receive register render "
    "reorder replace request reset resolve restore retry revert revoke search send set share star start stop subscribe "
    "take test transfer trigger unapprove unarchive unban unblock unlock unprotect unpublish unregister unshare unstar "
    "unsubscribe update upload verify".split()
)

with (ROOT / "fakeplat/api/known.csv").open(encoding="utf-8", newline="") as table:
    KNOWN = list(csv.DictReader(table))


def list_repeated(things: Iterable[object]) -> list[object]:
    return [thing for thing, times in Counter(things).items() if times > 1]


def anonymize_parameters(path: str) -> str:
    """What a router sees of a path: the names of its parameters do not tell two paths apart."""
    return re.sub(r"(?<=/)([:*])[a-z_]+", r"\1", path)


def test_columns_are_those_that_the_package_reads() -> None:
    """The header of the table is name, method, path, since, tier, section."""
    assert [COLUMNS] * len(KNOWN) == [list(row) for row in KNOWN]


def test_names_are_unique() -> None:
    """A name means one operation everywhere: OpenAPI, journal, faults, coverage, 501."""
    assert [] == list_repeated(row["name"] for row in KNOWN)


def test_names_are_a_verb_and_a_noun() -> None:
    """A name is a known verb and at least one more word, in lower case."""
    pattern = re.compile(rf"({'|'.join(sorted(VERBS))})(_[a-z0-9]+)+")

    assert [] == [row["name"] for row in KNOWN if not pattern.fullmatch(row["name"])]


def test_every_verb_of_the_list_is_used() -> None:
    """The list of verbs is what the names use, so that a new verb is a decision."""
    assert set() == VERBS - {row["name"].split("_")[0] for row in KNOWN}


def test_methods_are_those_that_can_be_declared() -> None:
    """HEAD exists for every GET and is never a row of its own."""
    assert {"GET", "POST", "PUT", "PATCH", "DELETE"} == {row["method"] for row in KNOWN}


def test_paths_are_whole_and_normal() -> None:
    """A path starts at the root and has no trailing slash, no query and no optional part."""
    pattern = re.compile(r"(/[:*]?[A-Za-z0-9_.-]+)+")

    assert [] == [row["path"] for row in KNOWN if not pattern.fullmatch(row["path"])]


def test_no_two_rows_take_the_same_requests() -> None:
    """Method and shape of path tell any two operations apart."""
    assert [] == list_repeated((row["method"], anonymize_parameters(row["path"])) for row in KNOWN)


def test_since_and_tier_are_known_words() -> None:
    """An operation came with 13.5 or before, or with a later release, or at the latest with one."""
    assert [] == [row["name"] for row in KNOWN if not re.fullmatch(r"|(<=)?1[3-9]\.\d+", row["since"])]
    assert {"", "premium", "ultimate"} == {row["tier"] for row in KNOWN}


def test_rows_are_sorted() -> None:
    """Sections stand together, by path and method within, so that changes are easy to read."""
    order = [(row["section"], row["path"], row["method"]) for row in KNOWN]

    assert sorted(order) == order


def test_every_section_has_a_name() -> None:
    """Coverage is shown by section."""
    assert [] == [row["name"] for row in KNOWN if not row["section"]]
