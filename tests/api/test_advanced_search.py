"""Advanced search: code, commits, notes and pages of many projects, where settings switch on an index.

Source: docs/platform/search.md.
"""

from copy import deepcopy
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import SCOPES_NEED_ADVANCED_SEARCH
from tests.api.company import COMPANY
from tests.api.planning_records import ACME, DOCS, SITE, create_record, get_json, issue
from tests.api.requests import invalid, names, refusal
from tests.by_release import by_release

TOOLS = "groups/acme%2Ftools"
KIT = "projects/acme%2Ftools%2Fkit"
ON = {"elasticsearch_indexing": True, "elasticsearch_search": True}
FILES = {
    SITE: {"src/coins.py": "# one\n# two\n# three\npay = 'Coin, gold'\n# five\n# six\n# seven\n# the last coin\n"},
    DOCS: {"guide/coins.md": "A silver coin\n", "guide/start.md": "Start here\n"},
    KIT: {"Makefile": "gold:\n\techo a coin of gold\n", "image.bin": "\0 silver coin"},
}


def company(**settings: object) -> dict[str, Any]:
    return {**deepcopy(COMPANY), "settings": settings}


pytestmark = pytest.mark.fakeplat(scenario=company(**ON), tier="premium", version="latest")


@pytest.fixture
def fake(fakeplat: Fakeplat) -> Fakeplat:
    """Three projects with files about coins, two in the group itself and one in a group below it."""
    for project, files in FILES.items():
        commit(fakeplat, project, files)
    return fakeplat


def commit(fake: Fakeplat, project: str, files: dict[str, str], branch: str = "main", **rest: Any) -> str:
    actions = [{"action": "create", "file_path": path, "content": text} for path, text in files.items()]
    body = {"branch": branch, "commit_message": "Add coins", "actions": actions, **rest}
    return str(create_record(fake, f"{project}/repository/commits", **body)["id"])


def search(fake: Fakeplat, target: str, scope: str, text: str, by: str = "ada", **query: Any) -> Any:
    return get_json(
        fake, f"{target}search?scope={scope}&search={text}" + "".join(f"&{k}={v}" for k, v in query.items()), by
    )


def paths(fake: Fakeplat, text: str, target: str = "", by: str = "ada") -> list[str]:
    return names(search(fake, target, "blobs", text, by), "path")


def test_code_is_found_in_many_projects(fake: Fakeplat) -> None:
    """A file is found once, wherever it is, with the lines around the first match and the commit of its branch."""
    site, docs, kit = search(fake, "", "blobs", "coin")
    ids = [get_json(fake, project)["id"] for project in (SITE, DOCS, KIT)]
    head = get_json(fake, f"{SITE}/repository/branches/main")["commit"]["id"]

    assert {
        "basename": "src/coins",
        "data": "# two\n# three\npay = 'Coin, gold'\n# five\n# six\n",
        "path": "src/coins.py",
        "filename": "src/coins.py",
        "id": None,
        "ref": head,
        "startline": 2,
        "project_id": ids[0],
    } == site
    assert [("guide/coins.md", ids[1]), ("Makefile", ids[2])] == [
        (row["path"], row["project_id"]) for row in (docs, kit)
    ]


def test_a_group_is_searched_with_the_groups_below_it(fake: Fakeplat) -> None:
    """A search in a group finds what is in its projects and in those of its subgroups."""
    commit(fake, "projects/ada%2Fnotes", {"coin.txt": "a coin\n"})

    assert ["src/coins.py", "guide/coins.md", "Makefile"] == paths(fake, "coin", f"{ACME}/")
    assert ["Makefile"] == paths(fake, "coin", f"{TOOLS}/")
    assert ["src/coins.py", "guide/coins.md", "coin.txt", "Makefile"] == sorted(
        paths(fake, "coin"), key=["src/coins.py", "guide/coins.md", "coin.txt", "Makefile"].index
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("gold%20coin", ["src/coins.py", "Makefile"]),
        ("%22coin, gold%22", ["src/coins.py"]),
        ("coin%20-gold", ["guide/coins.md"]),
        ("sil*", ["guide/coins.md"]),
        ("guide", ["guide/coins.md", "guide/start.md"]),
        ("coin%20extension:md", ["guide/coins.md"]),
        ("coin%20filename:makefile", ["Makefile"]),
        ("coin%20-path:src", ["guide/coins.md", "Makefile"]),
        ("platinum", []),
    ],
)
def test_words_are_found_in_any_order(fake: Fakeplat, text: str, expected: list[str]) -> None:
    """All words have to occur, in the path or the content; phrases, exclusions and conditions on paths are known."""
    assert expected == [path for path in paths(fake, text) if path != "README.md"]


def test_all_files_are_found(fake: Fakeplat) -> None:
    """An asterisk finds every file; binary files are known by their paths only."""
    assert {path for files in FILES.values() for path in files} <= set(paths(fake, "*"))
    assert ["image.bin"] == paths(fake, "image")


@pytest.mark.fakeplat(scenario=company(**ON, elasticsearch_indexed_file_size_limit_kb=1))
def test_large_files_are_indexed_by_their_paths(fakeplat: Fakeplat) -> None:
    """The content of a file that is larger than the setting allows is not in the index."""
    commit(fakeplat, SITE, {"small.txt": "coin" + "x" * 1020, "large.txt": "coin" + "x" * 1021})

    assert ["small.txt"] == paths(fakeplat, "coin")
    assert ["large.txt"] == paths(fakeplat, "large")


@pytest.mark.parametrize(
    ("lines", "start", "data"),
    [
        (0, 4, "pay = 'Coin, gold'\n"),
        (1, 3, "# three\npay = 'Coin, gold'\n# five\n"),
        (20, 1, FILES[SITE]["src/coins.py"]),
    ],
)
def test_the_lines_around_a_match_are_chosen(fake: Fakeplat, lines: int, start: int, data: str) -> None:
    """`num_context_lines` says how many lines before and after a match are shown."""
    (row,) = search(fake, "", "blobs", "pay", num_context_lines=lines)
    assert (start, data) == (row["startline"], row["data"])


def test_who_may_not_read_code_does_not_find_it(fake: Fakeplat) -> None:
    """A search shows only what the caller may read."""
    assert ["guide/coins.md", "Makefile"] == paths(fake, "coin", by="eve")
    assert ["guide/coins.md"] == paths(fake, "coin", by="ext")
    assert ["guide/coins.md", "Makefile"] == paths(fake, "coin", f"{ACME}/", by="gus")
    assert ["Add coins"] == names(search(fake, "", "commits", "add", "ext"), "title")


def test_commits_are_found_in_many_projects(fake: Fakeplat) -> None:
    """Commits are found by their messages, people and hashes."""
    head = commit(fake, DOCS, {"more.md": "\n"}, commit_message="Describe silver", author_name="Sil Verman")
    docs = get_json(fake, DOCS)["id"]

    assert ["Add coins"] * 3 == names(search(fake, f"{ACME}/", "commits", "coins"), "title")
    for text in ("silver", "verman", head, head[:9]):
        assert [(head, docs)] == [(row["id"], row["project_id"]) for row in search(fake, "", "commits", text)]
    assert [] == search(fake, f"{TOOLS}/", "commits", "silver")


def test_pages_and_notes_are_found_in_many_projects(fake: Fakeplat) -> None:
    """Pages of wikis and notes are found outside of single projects."""
    create_record(fake, f"{DOCS}/wikis", title="Home", content="All about coins\n")
    create_record(fake, f"{SITE}/wikis", title="Other", content="Nothing\n")
    target = issue(fake, SITE, title="Pay")
    create_record(fake, f"{SITE}/issues/{target['iid']}/notes", body="Where is my coin?")

    (page,) = search(fake, f"{ACME}/", "wiki_blobs", "coins")
    assert ("Home.md", "All about coins\n", 1) == (page["path"], page["data"], page["startline"])
    assert ["Where is my coin?"] == names(search(fake, "", "notes", "coin"), "body")
    assert [] == search(fake, "", "notes", "coin", "eve")
    assert [] == search(fake, f"{TOOLS}/", "wiki_blobs", "coins")


@pytest.mark.parametrize("target", ["", f"{ACME}/"])
def test_results_are_paginated_without_totals(fake: Fakeplat, target: str) -> None:
    """Pages differ, and nobody counts the results."""
    replies = [fake.as_user("ada").get(f"{target}search?scope=blobs&search=coin&per_page=1&page={n}") for n in (1, 2)]

    assert ["src/coins.py", "guide/coins.md"] == [row["path"] for reply in replies for row in reply.json()]
    assert ("2", "1") == (replies[0].headers["X-Next-Page"], replies[0].headers["X-Per-Page"])
    assert "X-Total" not in replies[0].headers


def test_a_branch_is_searched_without_the_index(fake: Fakeplat) -> None:
    """The index has the default branch only; a search of another one, or a basic one, finds each match of a file."""
    commit(fake, SITE, {"branch.txt": "a coin\n"}, "side", start_branch="main")
    get = fake.as_user("ada").get
    path = f"{SITE}/search?scope=blobs&search=coin"
    types = [
        get(f"{path}{rest}").headers["X-Search-Type"] for rest in ("", "&ref=main", "&ref=side", "&search_type=basic")
    ]

    assert ["advanced", "advanced", "basic", "basic"] == types
    assert ["src/coins.py"] == names(get_json(fake, path), "path")
    assert ["branch.txt", "src/coins.py"] == names(get_json(fake, f"{path}&ref=side"), "path")
    assert ["main"] == names(get_json(fake, f"{path}&search_type=basic"), "ref")


def test_an_index_answers_what_else_needs_one(fake: Fakeplat) -> None:
    """Fields and the type of search are accepted; exact code search is still missing."""
    issue(fake, SITE, title="A needle", description="pin")
    get = fake.as_user("ada").get

    assert 200 == get("search?scope=blobs&search=coin&search_type=advanced").status
    assert ["A needle"] == names(get_json(fake, "search?scope=issues&search=needle&fields[]=title"), "title")
    assert [] == get_json(fake, "search?scope=issues&search=pin&fields[]=title")
    for query, text in (
        ("scope=blobs&search_type=basic", "Scope supported only with advanced search or exact code search"),
        ("scope=blobs&search_type=zoekt", "400 Bad request - Exact code search is not available"),
        ("scope=blobs&regex=true", "regex supported only with exact code search"),
        ("scope=milestones&fields[]=title", "fields is supported only for issues, merge_requests"),
    ):
        assert (400, {"message": text}) == refusal(fake, "ada", "GET", f"search?search=coin&{query}")


LIMITED = company(**ON, elasticsearch_limit_indexing=True)
NEEDED = 400, {"message": "Scope supported only with advanced search"}


@pytest.mark.fakeplat(scenario=LIMITED)
def test_a_limited_index_has_some_namespaces(fake: Fakeplat) -> None:
    """With a limited index, only groups in it are searched, with what is below them, and never the whole instance."""
    tools = get_json(fake, TOOLS)["id"]
    assert 200 == fake.as_user("root").put("application/settings", json={"elasticsearch_namespace_ids": [tools]}).status

    assert NEEDED == refusal(fake, "ada", "GET", "search?scope=commits&search=coin")
    assert NEEDED == refusal(fake, "ada", "GET", f"{ACME}/search?scope=commits&search=coin")
    assert ["Add coins"] == names(search(fake, f"{TOOLS}/", "commits", "coin"), "title")
    types = {
        project: fake.as_user("ada").get(f"{project}/search?scope=blobs&search=coin").headers["X-Search-Type"]
        for project in (SITE, KIT)
    }
    assert {SITE: "basic", KIT: "advanced"} == types


@pytest.mark.fakeplat(scenario=LIMITED)
def test_a_limited_index_has_some_projects(fake: Fakeplat) -> None:
    """A project can be in the index without its group."""
    site = get_json(fake, SITE)["id"]
    assert 200 == fake.as_user("root").put("application/settings", json={"elasticsearch_project_ids": [site]}).status

    assert ["# two\n# three\npay = 'Coin, gold'\n# five\n# six\n"] == names(
        search(fake, f"{SITE}/", "blobs", "coin"), "data"
    )
    assert NEEDED == refusal(fake, "ada", "GET", f"{ACME}/search?scope=commits&search=coin")


@pytest.mark.fakeplat(scenario=company())
@by_release(
    SCOPES_NEED_ADVANCED_SEARCH,
    "message",
    {
        "13.5": {"error": "Scope not supported without Elasticsearch!"},
        "18.6": {"error": "Scope not supported without Elasticsearch!"},
        "18.7": {"error": "Scope supported only with advanced search"},
    },
)
@pytest.mark.parametrize("scope", ["wiki_blobs", "commits", "notes"])
@pytest.mark.parametrize("target", ["", f"{ACME}/"])
def test_without_an_index_paid_tiers_tell_what_is_missing(
    fakeplat: Fakeplat, message: object, scope: str, target: str
) -> None:
    """Paid tiers know the scopes in every release; without an index they are refused."""
    assert (400, {"message": message}) == refusal(fakeplat, "ada", "GET", f"{target}search?scope={scope}&search=coin")


@pytest.mark.fakeplat(version="13.5")
@pytest.mark.parametrize("switched_off", list(ON))
def test_the_index_needs_both_settings(fake: Fakeplat, switched_off: str) -> None:
    """Since the first release there is an index if it is kept and searched."""
    assert ["src/coins.py", "guide/coins.md", "Makefile"] == paths(fake, "coin")
    assert 200 == fake.as_user("root").put("application/settings", json={switched_off: False}).status

    expected = 400, {"message": {"error": "Scope not supported without Elasticsearch!"}}
    assert expected == refusal(fake, "ada", "GET", "search?scope=blobs&search=coin")


@pytest.mark.fakeplat(tier="free", scenario=company())
@pytest.mark.parametrize(
    "version", [pytest.param(version, marks=pytest.mark.fakeplat(version=version)) for version in ("13.5", "latest")]
)
def test_the_free_tier_does_not_know_these_scopes(fakeplat: Fakeplat, version: str) -> None:
    """The free edition has none of the scopes outside of projects."""
    expected = invalid("scope does not have a valid value")
    assert expected == refusal(fakeplat, "ada", "GET", "search?scope=blobs&search=coin")
