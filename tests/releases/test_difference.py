"""The difference between two releases, and what of it concerns a client."""

import json
from pathlib import Path

import pytest

from fakeplat.core.release import ALWAYS, ByRelease, Lifetime, RenamedFrom
from fakeplat.releases.difference import format_changes, list_changes
from fakeplat.releases.inventory import Item, list_items
from fakeplat.releases.usage import Usage, list_names
from tests.cli.commands import fakeplat

LIST = "GET /api/v4/topics"
ITEMS = (
    Item("operation", LIST, Lifetime("14.5"), (LIST,)),
    Item("parameter", f"{LIST} search", Lifetime("15.1", "17.0"), (LIST,)),
    Item("value", f"{LIST} order_by=size", Lifetime("<=16.2", values=("size",)), (LIST,)),
    Item("field", "TopicView.title", Lifetime("15.0"), (LIST,), is_built=False),
    Item("setting", "domain_denylist", renamed=RenamedFrom("domain_blacklist", "13.7", "15.4")),
    Item("setting", "size", defaults=ByRelease({"13.5": 50, "13.8": 0})),
    Item("behaviour", "delayed deletion", Lifetime("18.0"), source="a page"),
    Item("keyword", "workflow.name", Lifetime("15.5")),
    Item("graphql", "Project.topics", Lifetime("15.5")),
    Item("event", "emoji (emoji_events)", Lifetime("16.2")),
    Item("field", "TopicView.id", ALWAYS, (LIST,)),
)


def test_changes_are_those_after_the_first_and_up_to_the_second_release() -> None:
    """The first release is excluded and the second included; what may break a client comes first."""
    changes = list_changes(ITEMS, (14, 5), (15, 4))
    assert [
        ("ends", "15.4", "domain_denylist"),
        ("begins", "15.0", "TopicView.title"),
        ("begins", "15.1", f"{LIST} search"),
    ] == [(change.verb, change.release, change.item.name) for change in changes]


def test_renames_and_defaults_are_changes() -> None:
    """A rename names the earlier name, a default the values before and after."""
    changes = list_changes(ITEMS, (13, 5), (13, 12))
    assert [
        ("is renamed", "it was domain_blacklist"),
        ("has another default", "50 becomes 0"),
    ] == [(change.verb, change.detail) for change in changes]


def test_nothing_changes_between_a_release_and_itself() -> None:
    """The difference of a release to itself is empty, and says so."""
    assert "nothing changes" == format_changes(list_changes(ITEMS, (15, 0), (15, 0)))


def test_the_text_has_a_heading_for_each_kind_of_change() -> None:
    """A line has the release as it is known, the kind, the name, and why it may not matter here."""
    text = format_changes(list_changes(ITEMS, (14, 11), (18, 0)))
    assert [
        "ends:",
        "  15.4    setting   domain_denylist: its earlier name domain_blacklist",
        f"  17.0    parameter {LIST} search",
        "",
        "behaves differently:",
        "  18.0    behaviour delayed deletion: a page",
        "",
        "begins:",
        "  15.0    field     TopicView.title (fakeplat does not serve it)",
        f"  15.1    parameter {LIST} search",
        "  15.5    graphql   Project.topics",
        "  15.5    keyword   workflow.name",
        "  16.2    event     emoji (emoji_events)",
        f"  <=16.2  value     {LIST} order_by=size",
    ] == text.splitlines()


@pytest.mark.parametrize(
    ("usage", "names"),
    [
        (Usage({}), {"delayed deletion"}),
        (Usage({LIST: frozenset()}), {"delayed deletion", LIST, "TopicView.title"}),
        (Usage({LIST: frozenset({"search"})}), {"delayed deletion", LIST, "TopicView.title", f"{LIST} search"}),
        (
            Usage({LIST: frozenset({"order_by"})}),
            {"delayed deletion", LIST, "TopicView.title", f"{LIST} order_by=size"},
        ),
        (Usage({}, graphql=frozenset({"Project.topics"})), {"delayed deletion", "Project.topics"}),
        (Usage({}, keywords=frozenset({"name"})), {"delayed deletion", "workflow.name"}),
        (Usage({}, events=frozenset({"emoji"})), {"delayed deletion", "emoji (emoji_events)"}),
    ],
    ids=["nothing", "operation", "parameter", "value", "graphql", "keyword", "event"],
)
def test_only_what_a_client_uses_may_concern_it(usage: Usage, names: set[str]) -> None:
    """Parameters concern a client that sends them, fields those that call their operation, behaviours everybody."""
    changes = list_changes(ITEMS, (13, 12), (19, 0), usage.touches)
    assert names == {change.item.name for change in changes if change.item.kind != "setting"}


def test_the_names_of_a_graphql_document_follow_from_its_types() -> None:
    """Fields, arguments, fields of inputs and values of enumerations are named with the type that they belong to."""
    document = """
        query { project(fullPath: "a/b") { name issues(state: opened) { nodes { title } } } }
        mutation { createNote(input: {noteableId: "x", body: "y"}) { errors } }
    """
    names = list_names(document)
    assert {
        "Query",
        "Query.project",
        "Query.project(fullPath)",
        "Project",
        "Project.name",
        "Project.issues",
        "Project.issues(state)",
        "IssuableState.opened",
        "IssueConnection",
        "IssueConnection.nodes",
        "Issue",
        "Issue.title",
        "Mutation",
        "Mutation.createNote",
        "Mutation.createNote(input)",
        "CreateNoteInput.noteableId",
        "CreateNoteInput.body",
        "CreateNotePayload",
        "CreateNotePayload.errors",
    } == names


def test_a_document_that_cannot_be_parsed_has_no_names() -> None:
    """A broken GraphQL document names nothing."""
    assert set() == list_names("query {")


@pytest.mark.parametrize(
    ("before", "after", "kind", "name"),
    [
        ((17, 9), (17, 10), "graphql", "CurrentUser.activity"),
        ((14, 3), (14, 4), "variable", "CHAT_USER_ID"),
        ((18, 9), (18, 10), "keyword", "spec.description"),
        ((14, 0), (14, 1), "keyword", "job.dast_configuration"),
    ],
    ids=["graphql", "variable", "keyword-of-the-header", "keyword-without-effect"],
)
def test_what_is_known_and_not_built_is_part_of_the_difference(
    before: tuple[int, int], after: tuple[int, int], kind: str, name: str
) -> None:
    """What begins and is not built, or has no effect, is named as not served."""
    items = [item for item in list_items() if item.kind == kind]
    assert [False] == [
        change.item.is_built for change in list_changes(items, before, after) if change.item.name == name
    ]


def test_every_item_has_a_name_of_its_own() -> None:
    """The list of everything has no two items of the same kind, name and lifetime."""
    keys = [(item.kind, item.name, item.lifetime) for item in list_items()]
    assert len(set(keys)) == len(keys)


def test_the_command_prints_the_difference_as_text_and_as_json() -> None:
    """`fakeplat releases diff` prints one change per line, and with --json the same changes as objects."""
    text = fakeplat("releases", "diff", "15.1", "15.2").stdout
    assert "  15.2    operation GET /api/v4/metadata" in text.splitlines()
    documents = json.loads(fakeplat("releases", "diff", "15.1", "15.2", "--json").stdout)
    assert {
        "change": "begins",
        "release": "15.2",
        "kind": "operation",
        "name": "GET /api/v4/metadata",
        "detail": "",
        "operations": ["GET /api/v4/metadata"],
        "served": True,
        "source": "",
    } in documents


def test_the_command_lists_what_each_tested_release_has() -> None:
    """`fakeplat releases` has a row per tested release, and later releases have more operations."""
    rows = json.loads(fakeplat("releases", "--json").stdout)
    assert ["13.5", "14.10", "15.11", "16.11", "17.11", "18.11"] == list(rows)[:6]
    served = [row["operation"]["served"] for row in rows.values()]
    assert served[0] < served[3] < served[5]
    assert all(row["operation"]["served"] <= row["operation"]["known"] for row in rows.values())


@pytest.mark.parametrize("arguments", [("x", "16.0"), ("16.0", "x")], ids=["before", "after"])
def test_a_misspelt_release_is_refused_in_one_line(arguments: tuple[str, str]) -> None:
    """What is no release ends the command with status 2 and one line."""
    result = fakeplat("releases", "diff", *arguments)
    assert (2, 1) == (result.returncode, len(result.stderr.splitlines()))


def test_only_what_a_suite_used_is_printed(tmp_path: Path) -> None:
    """With a file of evidence, the difference has the operations and parameters in it, and behaviours."""
    evidence = tmp_path / "evidence.json"
    evidence.write_text(json.dumps({"get_metadata": {"parameters": []}}), "utf-8")
    documents = json.loads(fakeplat("releases", "diff", "13.5", "15.2", "--json", "--used", str(evidence)).stdout)
    assert {"GET /api/v4/metadata"} == {row["name"] for row in documents if row["kind"] == "operation"}
    assert set() == {row["kind"] for row in documents} & {"parameter", "setting", "graphql", "keyword"}


@pytest.mark.parametrize(
    ("content", "reason"),
    [("[1]", "neither a tape nor the evidence of a suite"), ("{}x", "is not valid JSON"), (None, "No such file")],
    ids=["json", "text", "missing"],
)
def test_a_file_that_tells_no_usage_is_refused(tmp_path: Path, content: str | None, reason: str) -> None:
    """A file that is neither evidence nor a tape ends the command with status 2 and one line."""
    file = tmp_path / "used"
    if content is not None:
        file.write_text(content, "utf-8")
    result = fakeplat("releases", "diff", "13.5", "15.2", "--used", str(file))
    assert 2 == result.returncode
    assert [True] == [reason in line for line in result.stderr.splitlines()]
