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
    """The columns of the table are name, method, path, since, tier and section."""
    assert [COLUMNS] * len(KNOWN) == [list(row) for row in KNOWN]


def test_names_are_unique() -> None:
    """Each name in the table means one operation."""
    assert [] == list_repeated(row["name"] for row in KNOWN)


def test_names_are_a_verb_and_a_noun() -> None:
    """Each operation name is a known verb and at least one more word, in lower case."""
    pattern = re.compile(rf"({'|'.join(sorted(VERBS))})(_[a-z0-9]+)+")

    assert [] == [row["name"] for row in KNOWN if not pattern.fullmatch(row["name"])]


def test_every_verb_of_the_list_is_used() -> None:
    """Each verb in the list of verbs is used by an operation name."""
    assert set() == VERBS - {row["name"].split("_")[0] for row in KNOWN}


def test_methods_are_those_that_can_be_declared() -> None:
    """The methods in the table are GET, POST, PUT, PATCH and DELETE, without HEAD."""
    assert {"GET", "POST", "PUT", "PATCH", "DELETE"} == {row["method"] for row in KNOWN}


def test_paths_are_whole_and_normal() -> None:
    """A path starts at the root and has no trailing slash, no query and no optional part."""
    pattern = re.compile(r"(/[:*]?[A-Za-z0-9_.-]+)+")

    assert [] == [row["path"] for row in KNOWN if not pattern.fullmatch(row["path"])]


def test_no_two_rows_take_the_same_requests() -> None:
    """No two rows have the same method and the same shape of path."""
    assert [] == list_repeated((row["method"], anonymize_parameters(row["path"])) for row in KNOWN)


def test_since_and_tier_are_known_words() -> None:
    """Each row has a known release, perhaps only as the latest possible one, and a known tier."""
    assert [] == [row["name"] for row in KNOWN if not re.fullmatch(r"|(<=)?1[3-9]\.\d+", row["since"])]
    assert {"", "premium", "ultimate"} == {row["tier"] for row in KNOWN}


def test_rows_are_sorted() -> None:
    """The rows are sorted by section, path and method."""
    order = [(row["section"], row["path"], row["method"]) for row in KNOWN]

    assert sorted(order) == order


def test_every_section_has_a_name() -> None:
    """Each operation in the table has a section."""
    assert [] == [row["name"] for row in KNOWN if not row["section"]]
