"""Lists of groups and of their projects.

Source: docs/platform/groups.md, docs/decisions/rulings.md (5, 11).
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.fields import PLATFORM_FULL, PROJECT_FULL, PROJECT_PAID, PROJECT_SIMPLE
from tests.api.requests import PAGE_HEADERS, Outcome, invalid, names, paths, refusal, resource_not_found
from tests.api.test_groups import GROUP, GROUP_PAID

WORLD: dict[str, Any] = {
    "users": [
        *({"username": name} for name in ("ann", "ben", "cat", "dan", "eli")),
        {"username": "ext", "external": True},
    ],
    "groups": [
        {
            "path": "alpha",
            "name": "Zulu",
            "visibility": "public",
            "members": {"ann": "owner", "ben": "reporter"},
            "groups": [
                {
                    "path": "inner",
                    "name": "Same",
                    "visibility": "private",
                    "groups": [
                        {
                            "path": "core",
                            "name": "Core",
                            "visibility": "private",
                            "projects": [{"path": "deep", "name": "Deep", "visibility": "private"}],
                        }
                    ],
                },
                {"path": "open", "name": "Open", "visibility": "public"},
            ],
            "projects": [
                {
                    "path": "one",
                    "name": "One door",
                    "visibility": "public",
                    "created_at": "2020-01-02T00:00:00Z",
                    "last_activity_at": "2020-05-01T00:00:00Z",
                    "starrers": ["ben"],
                },
                {
                    "path": "two",
                    "name": "Two",
                    "visibility": "private",
                    "description": "Has a door",
                    "created_at": "2020-01-01T00:00:00Z",
                    "last_activity_at": "2020-05-02T00:00:00Z",
                    "issues_enabled": False,
                    "merge_requests_enabled": False,
                },
                {
                    "path": "old",
                    "name": "Another",
                    "visibility": "internal",
                    "created_at": "2020-01-03T00:00:00Z",
                    "last_activity_at": "2020-04-01T00:00:00Z",
                    "archived": True,
                    "custom_attributes": {"team": "x"},
                },
            ],
        },
        {
            "path": "beta",
            "name": "Beta",
            "visibility": "internal",
            "members": {"cat": "developer"},
            "custom_attributes": {"team": "x", "room": "1"},
        },
        {
            "path": "gamma",
            "name": "Same",
            "visibility": "private",
            "projects": [{"path": "work", "visibility": "private", "members": {"dan": "guest"}}],
        },
        {"path": "delta", "name": "Alfa", "visibility": "public", "custom_attributes": {"team": "x"}},
        {"path": "omega", "name": "Omega", "visibility": "private"},
    ],
    "projects": [
        {
            "path_with_namespace": "ann/lent",
            "name": "Lent",
            "visibility": "private",
            "created_at": "2020-01-04T00:00:00Z",
        }
    ],
}
pytestmark = pytest.mark.fakeplat(scenario=WORLD)

INNER, CORE, OPEN = "alpha/inner", "alpha/inner/core", "alpha/open"
BELOW = {"alpha", INNER, CORE, OPEN}
ALL = BELOW | {"beta", "gamma", "delta", "omega"}


@pytest.fixture
def shared(fakeplat: Fakeplat) -> Fakeplat:
    """omega is shared with beta, ann's own project with alpha."""
    beta, alpha = (fakeplat.world.group(path).id for path in ("beta", "alpha"))
    calls = fakeplat.as_user("root")
    assert 201 == calls.post("groups/omega/share", json={"group_id": beta, "group_access": 30}).status
    assert 201 == calls.post("projects/ann%2Flent/share", json={"group_id": alpha, "group_access": 30}).status
    return fakeplat


def full_paths(fake: Fakeplat, viewer: str | None, path: str) -> list[str]:
    reply = fake.as_user(viewer).get(path)
    assert 200 == reply.status, reply.text
    return names(reply.json(), "full_path")


# groups


@pytest.mark.parametrize(
    ("viewer", "query", "expected"),
    [
        (None, "", {"alpha", OPEN, "delta"}),
        (None, "all_available=false", {"alpha", OPEN, "delta"}),
        (None, "owned=true", {"alpha", OPEN, "delta"}),
        ("ann", "", BELOW),
        ("ben", "", BELOW),
        ("cat", "", {"beta", "omega"}),
        ("dan", "", {"gamma"}),
        ("eli", "", set()),
        ("root", "", ALL),
        ("ann", "all_available=true", BELOW | {"beta", "delta"}),
        ("cat", "all_available=true", {"alpha", OPEN, "beta", "delta", "omega"}),
        ("dan", "all_available=true", {"alpha", OPEN, "beta", "gamma", "delta"}),
        ("eli", "all_available=true", {"alpha", OPEN, "beta", "delta"}),
        ("ext", "all_available=true", {"alpha", OPEN, "delta"}),
        ("root", "all_available=true", ALL),
        ("root", "all_available=false", set()),
        ("ann", "owned=true", {"alpha"}),
        ("ann", "owned=true&all_available=true", {"alpha"}),
        ("ben", "owned=true", set()),
        ("root", "owned=true", set()),
        ("ben", "min_access_level=20", BELOW),
        ("ben", "min_access_level=20&all_available=true", BELOW),
        ("ben", "min_access_level=30", set()),
        ("ann", "min_access_level=50", BELOW),
        ("cat", "min_access_level=30", {"beta"}),
        ("cat", "min_access_level=40", set()),
        ("root", "top_level_only=true", {"alpha", "beta", "gamma", "delta", "omega"}),
        ("ann", "top_level_only=true", {"alpha"}),
    ],
)
def test_which_groups_are_listed(shared: Fakeplat, viewer: str | None, query: str, expected: set[str]) -> None:
    """Groups of the caller are listed with their hierarchy unless another selection is requested."""
    assert expected == set(full_paths(shared, viewer, f"groups?{query}"))


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("search=ALF", {"delta"}),
        ("search=LPH", {"alpha"}),
        ("search=zul", {"alpha"}),
        ("search=inner", {INNER}),
        ("search=inner/", {CORE}),
        ("search=ALPHA/IN", {INNER, CORE}),
        ("search=nothing", set()),
        ("search=", ALL),
        ("search=%20", ALL),
        ("custom_attributes[team]=x", {"beta", "delta"}),
        ("custom_attributes[team]=x&custom_attributes[room]=1", {"beta"}),
        ("custom_attributes[team]=y", set()),
    ],
)
def test_filters(fakeplat: Fakeplat, query: str, expected: set[str]) -> None:
    """A search looks at name and path, with a slash at the full path; custom attributes all have to fit."""
    assert expected == set(full_paths(fakeplat, "root", f"groups?{query}"))


@pytest.mark.parametrize("form", ["skip_groups={0},{1}", "skip_groups[]={0}&skip_groups[]={1}"])
def test_groups_are_skipped(fakeplat: Fakeplat, form: str) -> None:
    """`skip_groups` takes ids as an array or separated by commas."""
    query = form.format(*(fakeplat.world.group(path).id for path in ("alpha", "beta")))

    assert ALL - {"alpha", "beta"} == set(full_paths(fakeplat, "root", f"groups?{query}"))


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", ["delta", "beta", CORE, "omega", OPEN, "SAME", "alpha"]),
        ("sort=desc", ["alpha", "SAME", OPEN, "omega", CORE, "beta", "delta"]),
        ("order_by=path", ["alpha", "beta", CORE, "delta", "gamma", INNER, "omega", OPEN]),
        ("order_by=path&sort=desc", [OPEN, "omega", INNER, "gamma", "delta", CORE, "beta", "alpha"]),
    ],
)
def test_orders(fakeplat: Fakeplat, query: str, expected: list[str]) -> None:
    """Groups are listed by name by default; equal names are ordered by id in both directions."""
    same = sorted((INNER, "gamma"), key=lambda path: fakeplat.world.group(path).id)
    wanted = [path for entry in expected for path in (same if entry == "SAME" else [entry])]

    assert wanted == full_paths(fakeplat, "root", f"groups?{query}")


@pytest.mark.parametrize("sort", ["asc", "desc"])
def test_by_id(fakeplat: Fakeplat, sort: str) -> None:
    """Ids go up or down."""
    ids = names(fakeplat.as_user("root").get(f"groups?order_by=id&sort={sort}").json(), "id")

    assert sorted(ids, reverse=sort == "desc") == ids


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("order_by=similarity", "order_by does not have a valid value"),
        ("sort=up", "sort does not have a valid value"),
        ("min_access_level=5", "min_access_level does not have a valid value"),
        ("min_access_level=11", "min_access_level does not have a valid value"),
        ("owned=perhaps", "owned is invalid"),
        ("all_available=perhaps", "all_available is invalid"),
        ("skip_groups[]=x", "skip_groups is invalid"),
        ("statistics=perhaps", "statistics is invalid"),
        ("per_page=0", "per_page has a value not allowed"),
    ],
)
@pytest.mark.parametrize("path", ["groups", "groups/alpha/subgroups", "groups/alpha/descendant_groups"])
def test_bad_parameters(fakeplat: Fakeplat, path: str, query: str, text: str) -> None:
    """Every bad value is told by its name, in all three lists, and to nobody too."""
    assert invalid(text) == refusal(fakeplat, None, "GET", f"{path}?{query}")


@pytest.mark.parametrize(
    ("viewer", "query", "fields"),
    [
        (None, "", GROUP),
        ("ann", "", GROUP),
        ("ann", "statistics=true&with_custom_attributes=true", GROUP),
        ("root", "statistics=true", GROUP | {"statistics"}),
        ("root", "with_custom_attributes=true", GROUP | {"custom_attributes"}),
    ],
)
@pytest.mark.parametrize("path", ["groups", "groups/alpha/subgroups", "groups/alpha/descendant_groups"])
def test_the_fields_of_groups_in_lists(
    fakeplat: Fakeplat, path: str, viewer: str | None, query: str, fields: set[str]
) -> None:
    """Statistics and custom attributes are for administrators; others do not get them, without a word."""
    group = fakeplat.as_user(viewer).get(f"{path}?{query}").json()[0]

    assert fields == set(group) - {"file_template_project_id"}
    if "statistics" in fields:
        parts = ("storage", "repository", "wiki", "lfs_objects", "job_artifacts", "packages", "snippets")
        assert {f"{part}_size" for part in parts} == set(group["statistics"])


@pytest.mark.fakeplat(scenario="starter")
def test_the_statistics_of_a_group_add_those_of_its_projects(fakeplat: Fakeplat) -> None:
    """Statistics of a group add up its own projects without subgroups."""
    root = fakeplat.as_user("root")
    projects = root.get("projects?statistics=true").json()

    for group in root.get("groups?statistics=true").json():
        own = [project["statistics"] for project in projects if project["namespace"]["id"] == group["id"]]
        assert 0 < group["statistics"]["storage_size"]
        assert {name: sum(row[name] for row in own) for name in group["statistics"]} == group["statistics"]


@pytest.mark.fakeplat(tier="premium")
def test_paid_tiers_show_more_of_a_group(fakeplat: Fakeplat) -> None:
    """Paid tiers add fields of their own."""
    assert GROUP | GROUP_PAID == set(fakeplat.as_user("ann").get("groups").json()[0])


def test_custom_attributes_of_groups_are_for_administrators(fakeplat: Fakeplat) -> None:
    """The filter by custom attributes is ignored except for administrators."""
    assert BELOW == set(full_paths(fakeplat, "ann", "groups?custom_attributes[team]=x"))


def test_pages(fakeplat: Fakeplat) -> None:
    """Lists come in pages, with every header."""
    reply = fakeplat.as_user("root").get("groups?per_page=3&page=2")

    assert 3 == len(reply.json())
    assert ("8", "3", "3", "2", "3", "1") == tuple(reply.headers[name] for name in PAGE_HEADERS[:6])


# below a group


@pytest.mark.parametrize(
    ("viewer", "path", "expected"),
    [
        ("ann", "alpha/subgroups", [OPEN, INNER]),
        ("ann", "alpha/descendant_groups", [CORE, OPEN, INNER]),
        ("ann", "alpha%2Finner/subgroups", [CORE]),
        ("ann", "alpha/subgroups?top_level_only=true", [OPEN, INNER]),
        ("ann", "alpha/subgroups?sort=desc", [INNER, OPEN]),
        ("ann", "alpha/descendant_groups?search=cor", [CORE]),
        ("ann", "alpha/descendant_groups?owned=true", []),
        ("ben", "alpha/descendant_groups?min_access_level=20", [CORE, OPEN, INNER]),
        ("ben", "alpha/descendant_groups?min_access_level=30", []),
        (None, "alpha/subgroups", [OPEN]),
        (None, "alpha/descendant_groups", [OPEN]),
        ("eli", "alpha/subgroups", []),
        ("eli", "alpha/subgroups?all_available=true", [OPEN]),
        ("root", "alpha/descendant_groups", [CORE, OPEN, INNER]),
        ("root", "beta/subgroups", []),
    ],
)
def test_groups_below_a_group(fakeplat: Fakeplat, viewer: str | None, path: str, expected: list[str]) -> None:
    """Direct ones, or at every depth, with the parameters of the list of groups."""
    assert expected == full_paths(fakeplat, viewer, f"groups/{path}")


@pytest.mark.parametrize("part", ["subgroups", "descendant_groups", "projects", "projects/shared"])
@pytest.mark.parametrize(
    ("viewer", "group", "expected"),
    [(None, "beta", 404), ("eli", "gamma", 404), ("eli", "beta", 200), ("dan", "gamma", 200), ("root", "9999", 404)],
)
def test_lists_of_hidden_groups(fakeplat: Fakeplat, viewer: str | None, group: str, part: str, expected: int) -> None:
    """A hidden group is not found."""
    if expected == 404:
        assert resource_not_found("Group") == refusal(fakeplat, viewer, "GET", f"groups/{group}/{part}")
    else:
        assert expected == fakeplat.as_user(viewer).get(f"groups/{group}/{part}").status


# projects


ONE, TWO, OLD, DEEP, LENT = "alpha/one", "alpha/two", "alpha/old", "alpha/inner/core/deep", "ann/lent"


@pytest.mark.parametrize(
    ("viewer", "query", "expected"),
    [
        ("ben", "", [LENT, OLD, ONE, TWO]),
        ("ben", "with_shared=false", [OLD, ONE, TWO]),
        ("ben", "with_shared=false&sort=asc", [TWO, ONE, OLD]),
        ("ben", "with_shared=false&include_subgroups=true", [DEEP, OLD, ONE, TWO]),
        ("ben", "with_shared=false&archived=true", [OLD]),
        ("ben", "with_shared=false&archived=false", [ONE, TWO]),
        ("ben", "with_shared=false&visibility=private", [TWO]),
        ("ben", "with_shared=false&search=DOOR", [ONE, TWO]),
        ("ben", "with_shared=false&order_by=name&sort=asc", [OLD, ONE, TWO]),
        ("ben", "with_shared=false&order_by=path", [TWO, ONE, OLD]),
        ("ben", "with_shared=false&order_by=last_activity_at", [TWO, ONE, OLD]),
        ("ben", "with_shared=false&starred=true", [ONE]),
        ("ben", "with_shared=false&with_issues_enabled=true", [OLD, ONE]),
        ("ben", "with_shared=false&with_merge_requests_enabled=true", [OLD, ONE]),
        ("ben", "with_shared=false&min_access_level=20", [OLD, ONE, TWO]),
        ("ben", "with_shared=false&min_access_level=30", []),
        ("ben", "with_shared=false&owned=true", []),
        ("ben", "with_shared=false&order_by=similarity&sort=desc", [OLD, ONE, TWO]),
        ("ben", "with_shared=false&order_by=similarity&sort=asc&search=two", [TWO]),
        ("ben", "with_shared=false&order_by=similarity&sort=asc&search=door", [ONE, TWO]),
        ("ben", "with_shared=false&order_by=similarity&sort=desc&search=door", [ONE, TWO]),
        ("eli", "", [OLD, ONE]),
        ("ext", "", [ONE]),
        (None, "", [ONE]),
    ],
)
def test_projects_of_a_group(shared: Fakeplat, viewer: str | None, query: str, expected: list[str]) -> None:
    """A group lists its projects newest first with shared ones, and subgroups on request."""
    assert expected == paths(shared.as_user(viewer).get(f"groups/alpha/projects?{query}"))


@pytest.mark.parametrize(
    ("viewer", "query", "expected"),
    [
        ("ben", "", [LENT]),
        ("ben", "search=len", [LENT]),
        ("ben", "search=nothing", []),
        ("ben", "visibility=public", []),
        ("eli", "", []),
        (None, "", []),
    ],
)
def test_projects_shared_with_a_group(shared: Fakeplat, viewer: str | None, query: str, expected: list[str]) -> None:
    """A group lists the visible projects that are shared with it."""
    assert expected == paths(shared.as_user(viewer).get(f"groups/alpha/projects/shared?{query}"))


def test_similarity_is_not_for_shared_projects(fakeplat: Fakeplat) -> None:
    """The list of shared projects does not know that order."""
    expected = invalid("order_by does not have a valid value")
    assert expected == refusal(fakeplat, "ann", "GET", "groups/alpha/projects/shared?order_by=similarity")


@pytest.mark.parametrize(
    ("viewer", "query", "fields"),
    [
        ("ben", "", PROJECT_FULL),
        ("eli", "", PROJECT_FULL),
        ("ben", "simple=true", PROJECT_SIMPLE),
        (None, "", PROJECT_SIMPLE),
        ("ben", "with_custom_attributes=true", PROJECT_FULL),
        ("root", "with_custom_attributes=true", PROJECT_FULL | {"custom_attributes"}),
    ],
)
def test_the_fields_of_a_groups_projects(fakeplat: Fakeplat, viewer: str | None, query: str, fields: set[str]) -> None:
    """The full view without permissions; the simple one on request and for nobody."""
    assert fields == set(fakeplat.as_user(viewer).get(f"groups/alpha/projects?{query}").json()[0])


@pytest.mark.fakeplat(documented=False)
@pytest.mark.parametrize(("query", "fields"), [("", PLATFORM_FULL), ("simple=true", PROJECT_SIMPLE)])
def test_a_groups_projects_are_full_for_anonymous_callers(fakeplat: Fakeplat, query: str, fields: set[str]) -> None:
    """On the platform anonymous callers get full projects of a group (ruling 5)."""
    assert fields == set(fakeplat.as_user(None).get(f"groups/alpha/projects?{query}").json()[0])


@pytest.mark.fakeplat(tier="premium")
def test_paid_fields_of_a_groups_projects(fakeplat: Fakeplat) -> None:
    """Paid tiers add their fields there too."""
    assert PROJECT_FULL | PROJECT_PAID == set(fakeplat.as_user("ben").get("groups/alpha/projects").json()[0])


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("order_by=stars", invalid("order_by does not have a valid value")),
        ("visibility=secret", invalid("visibility does not have a valid value")),
        ("sort=up", invalid("sort does not have a valid value")),
        ("include_subgroups=perhaps", invalid("include_subgroups is invalid")),
        ("with_shared=perhaps", invalid("with_shared is invalid")),
        ("min_access_level=7", invalid("min_access_level does not have a valid value")),
    ],
)
def test_bad_parameters_of_group_projects(fakeplat: Fakeplat, query: str, expected: Outcome) -> None:
    """Every bad value is told by its name."""
    assert expected == refusal(fakeplat, "ann", "GET", f"groups/alpha/projects?{query}")
