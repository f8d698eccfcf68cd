"""Details of namespaces, sizes of their repositories, and lists of what is shared, as the platform's specs say."""

from typing import Any

import pytest

from fakeplat.core.release import Lifetime
from fakeplat.harness.fake import Fakeplat
from tests.by_release import by_release
from tests.graphql.queries import (
    WORLD,
    list_messages,
    post_query,
    query_data,
    query_project,
    query_refused,
)

pytestmark = pytest.mark.fakeplat(scenario=WORLD, version="latest", tier="ultimate")

PERMISSIONS = """adminIssue adminLabel adminProject createProjects importIssues readCrmContact readCrmOrganization
    readNamespace"""
SIZES = """actualRepositorySizeLimit actualSizeLimit additionalPurchasedStorageSize containsLockedProjects
    totalRepositorySize totalRepositorySizeExcess repositorySizeExcessProjectCount"""
FEATURES = """hasBlockedIssuesFeature hasCustomFieldsFeature hasDesignManagementFeature hasEpicsFeature
    hasGroupBulkEditFeature hasIssuableHealthStatusFeature hasIssueDateFilterFeature hasIssueWeightsFeature
    hasIterationsFeature hasLinkedItemsEpicsFeature hasOkrsFeature hasQualityManagementFeature hasScopedLabelsFeature
    hasSubepicsFeature hasWorkItemStatusFeature"""
OF_ULTIMATE = {
    "hasIssuableHealthStatusFeature",
    "hasOkrsFeature",
    "hasQualityManagementFeature",
    "hasSubepicsFeature",
}
MEBIBYTE = 1024 * 1024


def query_namespace(fake: Fakeplat, by: str | None, selection: str, path: str = "acme") -> Any:
    query = f"query($path: ID!) {{ namespace(fullPath: $path) {{ {selection} }} }}"
    return query_data(fake, by, query, path=path)["namespace"]


def query_group(fake: Fakeplat, by: str | None, selection: str, path: str = "acme") -> Any:
    return query_data(fake, by, f'{{ group(fullPath: "{path}") {{ {selection} }} }}')["group"]


def list_true(values: dict[str, Any]) -> set[str]:
    return {name for name, value in values.items() if value is True}


def share(fake: Fakeplat, target: str, path: str) -> None:
    group = {"group_id": fake.as_user("root").get(f"groups/{path}").json()["id"], "group_access": 20}
    assert 201 == fake.as_user("root").post(f"{target}/share", json=group).status


# Pages


def test_namespaces_have_pages(fakeplat: Fakeplat) -> None:
    """Groups, users and projects show the addresses of their pages and of their pictures, as REST does."""
    ada = fakeplat.as_user("ada")
    for path, rest in (("acme", "groups/acme"), ("acme/site", "projects/acme%2Fsite"), ("ada", "namespaces/ada")):
        expected = ada.get(rest).json()
        shown = query_namespace(fakeplat, "ada", "webUrl avatarUrl", path)
        assert (path, expected["web_url"], expected["avatar_url"]) == (path, shown["webUrl"], shown["avatarUrl"])


@pytest.mark.parametrize(("path", "expected"), [("acme", True), ("ada", True), ("acme/site", False)])
def test_projects_do_without_merge_requests(fakeplat: Fakeplat, path: str, expected: bool) -> None:
    """Only a project may have no merge requests."""
    changes = {"merge_requests_access_level": "disabled"}
    assert 200 == fakeplat.as_user("ada").put("projects/acme%2Fsite", json=changes).status
    assert {"mergeRequestsEnabled": expected} == query_namespace(fakeplat, "ada", "mergeRequestsEnabled", path)


def test_pages_of_what_a_project_stores(fakeplat: Fakeplat) -> None:
    """A project names the pages that show what it stores."""
    names = "buildArtifacts containerRegistry packages repository snippets wiki"
    project = query_project(fakeplat, "gus", f"webUrl statisticsDetailsPaths {{ {names} }}")
    url = project["webUrl"]
    assert {
        "buildArtifacts": f"{url}/-/artifacts",
        "containerRegistry": f"{url}/container_registry",
        "packages": f"{url}/-/packages",
        "repository": f"{url}/-/tree/main",
        "snippets": f"{url}/-/snippets",
        "wiki": f"{url}/-/wikis/pages",
    } == project["statisticsDetailsPaths"]


def test_the_page_of_a_resource_of_the_catalogue(fakeplat: Fakeplat) -> None:
    """Only a project of the catalogue has a page in it."""
    assert {"exploreCatalogPath": None} == query_project(fakeplat, "gus", "exploreCatalogPath")
    mutation = 'mutation { catalogResourcesCreate(input: { projectPath: "acme/site" }) { errors } }'
    assert {"catalogResourcesCreate": {"errors": []}} == query_data(fakeplat, "ada", mutation)
    path = "/explore/catalog/acme/site"
    assert {"exploreCatalogPath": path} == query_project(fakeplat, "gus", "exploreCatalogPath")


SIDEBAR = "sidebar { openIssuesCount openMergeRequestsCount openEpicsCount }"
EPICS = [{"title": "Next", "author": "ada"}, {"title": "Done", "author": "ada", "state": "closed"}]
WITH_EPICS = {**WORLD, "groups": [{**WORLD["groups"][0], "epics": EPICS}]}


@pytest.mark.fakeplat(scenario=WITH_EPICS)
@pytest.mark.parametrize(("by", "issues"), [("gus", 1), ("rep", 2), ("root", 2)])
def test_the_sidebar_shows_open_work(fakeplat: Fakeplat, by: str, issues: int) -> None:
    """Sidebars count open issues, the confidential ones for Reporters, and open epics of groups."""
    expected: dict[str, Any] = {"openIssuesCount": issues, "openMergeRequestsCount": 0, "openEpicsCount": 1}
    assert {"sidebar": expected} == query_group(fakeplat, by, SIDEBAR) == query_namespace(fakeplat, by, SIDEBAR)
    expected = {**expected, "openEpicsCount": None}
    assert {"sidebar": expected} == query_namespace(fakeplat, by, SIDEBAR, "acme/site")
    nothing = dict.fromkeys(expected)
    assert {"sidebar": nothing} == query_namespace(fakeplat, "ada", SIDEBAR, "ada")


# Permissions


@pytest.mark.parametrize(
    ("by", "path", "expected"),
    [
        (None, "acme", set()),
        ("eve", "acme", set()),
        ("gus", "acme", {"readNamespace"}),
        ("rep", "acme", {"readNamespace", "adminIssue", "adminLabel", "readCrmContact", "readCrmOrganization"}),
        ("gus", "acme/site", {"readNamespace"}),
        ("rep", "acme/site", {"readNamespace", "adminIssue", "adminLabel", "readCrmContact", "readCrmOrganization"}),
        ("ada", "ada", {"readNamespace"}),
    ],
)
def test_permissions_in_a_namespace(fakeplat: Fakeplat, by: str | None, path: str, expected: set[str]) -> None:
    """A namespace shows what the caller may do in the group or project that it is."""
    shown = query_namespace(fakeplat, by, f"userPermissions {{ {PERMISSIONS} }}", path)["userPermissions"]
    assert expected == list_true(shown) - {"createProjects"}


def test_higher_roles_have_more_permissions_in_a_namespace(fakeplat: Fakeplat) -> None:
    """Developers create projects and import issues, Maintainers administer projects."""
    names = "createProjects importIssues adminProject"
    shown = {
        (by, path): list_true(query_namespace(fakeplat, by, f"userPermissions {{ {names} }}", path)["userPermissions"])
        for by, path in (("rep", "acme"), ("dev", "acme"), ("rep", "acme/site"), ("dev", "acme/site"))
    }
    assert {
        ("rep", "acme"): set(),
        ("dev", "acme"): {"createProjects"},
        ("rep", "acme/site"): set(),
        ("dev", "acme/site"): {"importIssues"},
    } == shown
    maintained = query_namespace(fakeplat, "mia", f"userPermissions {{ {names} }}", "acme/site")["userPermissions"]
    assert {"importIssues", "adminProject"} == list_true(maintained)


# Paid features


def test_features_of_the_highest_tier(fakeplat: Fakeplat) -> None:
    """In the highest tier a namespace has each paid feature; designs belong to projects with Git LFS."""
    selection = f"availableFeatures {{ {FEATURES} }} licensedFeatures {{ {FEATURES} }}"
    group, project = (query_namespace(fakeplat, "gus", selection, path) for path in ("acme", "acme/site"))
    special = {"hasIssueDateFilterFeature", "hasDesignManagementFeature"}
    assert set(FEATURES.split()) - special == list_true(group["availableFeatures"])
    assert (
        group["availableFeatures"]
        == group["licensedFeatures"]
        == query_group(fakeplat, "gus", selection)["availableFeatures"]
    )
    assert {"hasDesignManagementFeature"} == list_true(project["availableFeatures"]) - list_true(
        group["availableFeatures"]
    )


@pytest.mark.parametrize(
    "is_premium",
    [
        pytest.param(True, id="premium", marks=pytest.mark.fakeplat(tier="premium")),
        pytest.param(False, id="free", marks=pytest.mark.fakeplat(tier="free")),
    ],
)
def test_features_of_lower_tiers(fakeplat: Fakeplat, is_premium: bool) -> None:
    """Other tiers lack features of the highest one, or all that are paid; also pipelines across projects."""
    shown = query_group(fakeplat, "gus", f"crossProjectPipelineAvailable availableFeatures {{ {FEATURES} }}")
    special = {"hasIssueDateFilterFeature", "hasDesignManagementFeature"}
    expected = set(FEATURES.split()) - special - OF_ULTIMATE if is_premium else set()
    assert expected == list_true(shown["availableFeatures"])
    assert is_premium == shown["crossProjectPipelineAvailable"]


def test_filters_by_dates_are_switched_on(fakeplat: Fakeplat) -> None:
    """Filters by dates are a feature of the platform that is off, until it is switched on for a user or a group."""
    selection = "availableFeatures { hasIssueDateFilterFeature }"

    def list_shown(by: str) -> list[bool]:
        shown = (query_namespace(fakeplat, by, selection, path) for path in ("acme", "acme/site"))
        return [namespace["availableFeatures"]["hasIssueDateFilterFeature"] for namespace in shown]

    root = fakeplat.as_user("root")
    assert [False, False] == list_shown("gus")
    assert 201 == root.post("features/issue_date_filter", json={"value": "true", "user": "gus"}).status
    assert ([True, True], [False, False]) == (list_shown("gus"), list_shown("rep"))
    assert 201 == root.post("features/issue_date_filter", json={"value": "true", "group": "acme"}).status
    assert [True, True] == list_shown("rep")


def test_features_of_the_platform_are_shown(fakeplat: Fakeplat) -> None:
    """Known features of the platform are on or off for the caller; unknown ones are left out, and off."""
    query = """{ metadata { featureFlags(names: ["usage_data_api", "ours", "none"]) { name enabled } }
        known: featureFlagEnabled(name: "usage_data_api") ours: featureFlagEnabled(name: "ours")
        none: featureFlagEnabled(name: "none") }"""
    known = {"name": "usage_data_api", "enabled": True}
    shown = {"known": True, "ours": False, "none": False}
    assert {"metadata": {"featureFlags": [known]}, **shown} == query_data(fakeplat, "gus", query)
    assert {"metadata": None, "known": False, "ours": False, "none": False} == query_data(fakeplat, None, query)
    fakeplat.as_user("root").post("features/ours", json={"value": "true", "user": "gus"})
    flags = {"featureFlags": [known, {"name": "ours", "enabled": True}]}
    assert {"metadata": flags, **shown, "ours": True} == query_data(fakeplat, "gus", query)
    flags = {"featureFlags": [known, {"name": "ours", "enabled": False}]}
    assert flags == query_data(fakeplat, "rep", query)["metadata"]


def test_only_some_features_are_shown_at_once(fakeplat: Fakeplat) -> None:
    """A query for more than twenty features is refused."""
    query = "query($names: [String!]!) { metadata { featureFlags(names: $names) { name } } }"
    content = query_refused(fakeplat, "gus", query, names=["a"] * 21)
    assert ["names is too long (maximum is 20)"] == list_messages(content)
    assert {"metadata": {"featureFlags": []}} == query_data(fakeplat, "gus", query, names=["a"] * 20)


# Sizes


def test_repositories_exceed_their_limit(fakeplat: Fakeplat) -> None:
    """Namespaces are as large as their repositories; one that exceeds the limit of the instance is locked."""
    root = fakeplat.as_user("root")
    content = {"branch": "main", "commit_message": "Fill", "content": "x" * (MEBIBYTE + 1000), "start_branch": "main"}
    assert 201 == root.post("projects/acme%2Fsite/repository/files/big.txt", json=content).status
    size = root.get("projects/acme%2Fsite?statistics=true").json()["statistics"]["repository_size"]
    unlimited = query_group(fakeplat, "gus", SIZES)
    assert {
        "actualRepositorySizeLimit": 0.0,
        "actualSizeLimit": 0.0,
        "additionalPurchasedStorageSize": 0.0,
        "containsLockedProjects": False,
        "totalRepositorySize": unlimited["totalRepositorySize"],
        "totalRepositorySizeExcess": 0.0,
        "repositorySizeExcessProjectCount": 0,
    } == unlimited
    assert size <= unlimited["totalRepositorySize"]
    assert 200 == root.put("application/settings", json={"repository_size_limit": 1}).status
    limited = query_namespace(fakeplat, "gus", SIZES)
    excess = size - MEBIBYTE
    assert {
        "actualRepositorySizeLimit": float(MEBIBYTE),
        "actualSizeLimit": float(MEBIBYTE),
        "additionalPurchasedStorageSize": 0.0,
        "containsLockedProjects": True,
        "totalRepositorySize": unlimited["totalRepositorySize"],
        "totalRepositorySizeExcess": float(excess),
        "repositorySizeExcessProjectCount": 1,
    } == limited
    fields = "actualRepositorySizeLimit repositorySizeExcess"
    assert {
        "actualRepositorySizeLimit": float(MEBIBYTE),
        "repositorySizeExcess": float(excess),
    } == query_project(fakeplat, "gus", fields)
    assert 200 == root.put("application/settings", json={"repository_size_limit": 0}).status
    assert {"actualRepositorySizeLimit": 0.0, "repositorySizeExcess": 0.0} == query_project(fakeplat, "gus", fields)
    assert 0 == query_group(fakeplat, "gus", SIZES)["repositorySizeExcessProjectCount"]


@pytest.mark.parametrize("by", [None, "eve"])
def test_only_members_see_sizes(fakeplat: Fakeplat, by: str | None) -> None:
    """Who is no member of a group sees neither its limit nor its size."""
    assert {None} == set(query_group(fakeplat, by, SIZES).values())


def test_owners_see_how_many_seats_are_taken(fakeplat: Fakeplat) -> None:
    """Owners see the number of members who take a seat; a plan with free Guests counts fewer."""
    selection = 'billableMembersCount top: billableMembersCount(requestedHostedPlan: "ultimate")'
    shown = {by: query_group(fakeplat, by, selection) for by in ("mia", "ada")}
    assert {"mia": {"billableMembersCount": None, "top": None}, "ada": {"billableMembersCount": 5, "top": 4}} == shown


# Lists


def test_groups_and_projects_are_shared_with_a_group(fakeplat: Fakeplat) -> None:
    """A group shows the groups and projects that are shared with it, if the caller sees them."""
    for path in ("beta", "alpha"):
        group = {"name": path.title(), "path": path, "visibility": "private"}
        assert 201 == fakeplat.as_user("root").post("groups", json=group).status
        share(fakeplat, f"groups/{path}", "acme")
    share(fakeplat, "projects/ada%2Fnotes", "acme")
    query = """sharedGroups { nodes { path } } found: sharedGroups(search: "BET", sort: NAME_DESC) { nodes { path } }
        sharedProjects { nodes { fullPath } } none: sharedProjects(search: "x") { nodes { fullPath } }"""
    shown = query_group(fakeplat, "gus", query)
    assert {
        "sharedGroups": {"nodes": [{"path": "alpha"}, {"path": "beta"}]},
        "found": {"nodes": [{"path": "beta"}]},
        "sharedProjects": {"nodes": [{"fullPath": "ada/notes"}]},
        "none": {"nodes": []},
    } == shown
    none: dict[str, Any] = {"nodes": []}
    assert {"sharedGroups": none, "found": none, "sharedProjects": none, "none": none} == query_group(
        fakeplat, "eve", query
    )


def test_administrators_list_groups_and_projects(fakeplat: Fakeplat) -> None:
    """The lists for the pages of administrators show what the caller sees, as records of their own types."""
    query = """{ adminGroups(search: "oo") { count nodes { __typename fullPath userPermissions { removeGroup }
        ... on Group { projectsCount } } } adminProjects(sort: "path_asc") { count nodes { __typename fullPath
        nameWithNamespace userPermissions { removeProject } ... on Project { starCount } } } }"""
    data = query_data(fakeplat, "root", query)
    group = {"__typename": "Group", "fullPath": "acme/tools", "userPermissions": {"removeGroup": True}}
    assert {"count": 1, "nodes": [{**group, "projectsCount": 1}]} == data["adminGroups"]
    paths = ["acme/docs", "acme/tools/kit", "ada/notes", "acme/site"]
    assert (4, paths) == (data["adminProjects"]["count"], [row["fullPath"] for row in data["adminProjects"]["nodes"]])
    assert {"Project"} == {row["__typename"] for row in data["adminProjects"]["nodes"]}
    assert 1 == query_data(fakeplat, None, query)["adminProjects"]["count"]


@by_release(Lifetime("18.4"), "is_known", {"18.3": False, "18.4": True})
def test_lists_of_administrators_are_new(fakeplat: Fakeplat, is_known: bool) -> None:
    """The lists for the pages of administrators came with 18.4, and so did their types."""
    content = query_refused(fakeplat, "root", "{ adminGroups { nodes { id } } }")
    assert is_known == ("errors" not in content)
    kind = post_query(fakeplat, "root", '{ __type(name: "GroupInterface") { kind } }')["data"]["__type"]
    assert is_known == (kind is not None)
