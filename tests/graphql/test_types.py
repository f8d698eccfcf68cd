"""What each type shows, and to whom."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.graphql.queries import NOW, WORLD, list_scalar_fields, query_data, query_project, query_refused

pytestmark = pytest.mark.fakeplat(scenario=WORLD)


def test_nobody_is_the_current_user_of_an_anonymous_query(fakeplat: Fakeplat) -> None:
    """``currentUser`` is null without a credential."""
    assert {"currentUser": None} == query_data(fakeplat, None, "{ currentUser { id } }")


def test_the_current_user_shows_its_profile(fakeplat: Fakeplat) -> None:
    """The current user shows every field of a user, with a global id and a lower-case state."""
    number = fakeplat.world.user("ada").id
    user = query_data(fakeplat, "ada", f"{{ currentUser {{ id {list_scalar_fields('User')} }} }}")["currentUser"]

    assert user.pop("avatarUrl").startswith(f"{fakeplat.url}/avatar/")
    assert {
        "id": f"gid://gitlab/User/{number}",
        "username": "ada",
        "name": fakeplat.world.user("ada").name,
        "state": "active",
        "email": None,
        "webUrl": f"{fakeplat.url}/ada",
        "webPath": "/ada",
    } == user


@pytest.mark.parametrize(
    ("state", "shown"),
    [
        pytest.param("banned", "blocked", marks=pytest.mark.fakeplat(version="16.7")),
        pytest.param("banned", "banned", marks=pytest.mark.fakeplat(version="16.8")),
        pytest.param(
            "blocked_pending_approval", "blocked_pending_approval", marks=pytest.mark.fakeplat(version="18.5")
        ),
    ],
)
def test_accounts_are_shown_in_the_states_that_the_release_names(fakeplat: Fakeplat, state: str, shown: str) -> None:
    """Accounts that cannot sign in are all blocked, until the enum got values for the other states."""
    fakeplat.load({"users": [{"username": "zed", "state": state}]})
    query = '{ user(username: "zed") { state } }'

    assert {"user": {"state": shown}} == query_data(fakeplat, "root", query)


@pytest.mark.fakeplat(version="13.11")
def test_users_of_later_releases_have_another_type(fakeplat: Fakeplat) -> None:
    """From release 13.11 on users are of the type ``UserCore``, which implements the interface ``User``."""
    query = """{ currentUser { __typename id ... on User { username } ... on UserCore { name } }
        project(fullPath: "acme/site") {
            issues(last: 1) { nodes { assignees { __typename edges { __typename node { username } } } } } } }"""
    data = query_data(fakeplat, "ada", query)
    ada = fakeplat.world.user("ada")

    assert {
        "__typename": "UserCore",
        "id": f"gid://gitlab/User/{ada.id}",
        "username": "ada",
        "name": ada.name,
    } == data["currentUser"]
    edge = {"__typename": "UserCoreEdge", "node": {"username": "dev"}}
    assert [{"assignees": {"__typename": "UserCoreConnection", "edges": [edge]}}] == data["project"]["issues"]["nodes"]


def test_users_are_of_the_type_user_at_first(fakeplat: Fakeplat) -> None:
    """Before release 13.11 there is no type ``UserCore``."""
    (error,) = query_refused(fakeplat, "ada", "{ currentUser { ... on UserCore { name } } }")["errors"]

    assert "No such type UserCore" in error["message"]
    assert "`UserCore` exists since 13.11; this world is 13.5.1" in str(fakeplat.requests.find()[-1].reason)


@pytest.mark.fakeplat(version="18.5")
def test_the_current_user_is_active(fakeplat: Fakeplat) -> None:
    """Later releases show whether an account is active, and its public address under its own name."""
    assert {"currentUser": {"active": True, "publicEmail": None}} == query_data(
        fakeplat, "ada", "{ currentUser { active publicEmail } }"
    )


@pytest.mark.fakeplat(wire_names="neutral")
def test_neutral_names_show_no_vendor_in_ids(fakeplat: Fakeplat) -> None:
    """With ``wire_names: neutral`` the app in a global id is ``platform``."""
    assert query_data(fakeplat, "root", "{ currentUser { id } }")["currentUser"]["id"] == "gid://platform/User/1"


def test_a_user_is_found_by_name_in_any_case(fakeplat: Fakeplat) -> None:
    """``user(username)`` finds a user in any case, or gives null."""
    users = query_data(
        fakeplat, "eve", '{ a: user(username: "ADA") { username } b: user(username: "nobody") { username } }'
    )

    assert {"a": {"username": "ada"}, "b": None} == users


def test_metadata_is_for_those_who_are_signed_in(fakeplat: Fakeplat) -> None:
    """``metadata`` has the release and revision of REST, and is null for anonymous callers."""
    query = "{ metadata { version revision } }"

    assert {"metadata": fakeplat.as_user("eve").get("version").json()} == query_data(fakeplat, "eve", query)
    assert {"metadata": None} == query_data(fakeplat, None, query)


def test_echo_tells_who_said_it(fakeplat: Fakeplat) -> None:
    """``echo`` returns a text with the caller's name, or nil."""
    assert {"echo": '"ada" says: hi'} == query_data(fakeplat, "ada", '{ echo(text: "hi") }')
    assert {"echo": "nil says: hi"} == query_data(fakeplat, None, '{ echo(text: "hi") }')


SHARED = (
    "name path visibility archived lfsEnabled containerRegistryEnabled sharedRunnersEnabled requestAccessEnabled "
    "autocloseReferencedIssues importStatus issuesEnabled mergeRequestsEnabled wikiEnabled jobsEnabled "
    "snippetsEnabled starCount forksCount openIssuesCount publicJobs webUrl httpUrlToRepo sshUrlToRepo description "
    "removeSourceBranchAfterMerge onlyAllowMergeIfPipelineSucceeds onlyAllowMergeIfAllDiscussionsAreResolved "
    "suggestionCommitMessage avatarUrl nameWithNamespace"
).split()
SPELLED = {"publicJobs": "public_jobs", "forksCount": "forks_count"}


def to_rest_name(name: str) -> str:
    return "".join(f"_{sign.lower()}" if sign.isupper() else sign for sign in name)


def test_a_project_shows_what_rest_shows(fakeplat: Fakeplat) -> None:
    """The fields of a project that both APIs have are equal."""
    rest = fakeplat.as_user("ada").get("projects/acme%2Fsite").json()
    project = query_project(fakeplat, "ada", " ".join([*SHARED, "id fullPath createdAt"]))

    assert rest["path_with_namespace"] == project.pop("fullPath")
    assert f"gid://gitlab/Project/{rest['id']}" == project.pop("id")
    assert NOW == project.pop("createdAt")
    assert {name: rest[to_rest_name(name)] for name in SHARED} == project


def test_every_field_of_every_type_can_be_shown(fakeplat: Fakeplat) -> None:
    """A query that asks for all plain fields of a project, its group and its issues has no errors."""
    group = f"id {list_scalar_fields('Group')}"
    issue = f"id {list_scalar_fields('Issue')} author {{ {list_scalar_fields('User')} }}"
    label, milestone = list_scalar_fields("Label"), list_scalar_fields("Milestone")
    project = query_project(
        fakeplat,
        "ada",
        f"{list_scalar_fields('Project')} group {{ {group} parent {{ id }} }} "
        f"namespace {{ {list_scalar_fields('Namespace')} }} "
        f"issues(first: 1) {{ nodes {{ {issue} }} }} labels(first: 1) {{ nodes {{ {label} }} }}"
        f"milestones(first: 1) {{ nodes {{ {milestone} }} }}",
    )

    assert project["group"]["parent"] is None
    assert [1, 1, 1] == [len(project[name]["nodes"]) for name in ("issues", "labels", "milestones")]


@pytest.mark.parametrize(
    ("by", "path", "seen"),
    [
        (None, "acme/docs", True),
        (None, "acme/site", False),
        (None, "acme/tools/kit", False),
        ("eve", "acme/tools/kit", True),
        ("ext", "acme/tools/kit", False),
        ("eve", "acme/site", False),
        ("gus", "acme/site", True),
        ("root", "ada/notes", True),
        ("mia", "ada/notes", False),
        ("ada", "acme/nothing", False),
        ("ada", "acme", False),
        ("ada", "5001", False),
        ("ada", "", False),
    ],
)
def test_a_project_that_is_not_visible_is_null(fakeplat: Fakeplat, by: str | None, path: str, seen: bool) -> None:
    """A project that the caller cannot see by its visibility and membership is null."""
    assert seen is (query_project(fakeplat, by, "id", path) is not None)


@pytest.mark.parametrize(
    ("by", "path", "group", "namespace"),
    [
        (None, "acme", True, False),
        (None, "acme/tools", False, False),
        ("eve", "acme/tools", True, False),
        ("gus", "acme/tools", True, True),
        ("ada", "ada", False, True),
        ("eve", "ada", False, False),
        ("ada", "no/such", False, False),
    ],
)
def test_groups_and_namespaces(fakeplat: Fakeplat, by: str | None, path: str, group: bool, namespace: bool) -> None:
    """A group is shown by its visibility, a namespace to its members and owner; else they are null."""
    query = "query($path: ID!) { group(fullPath: $path) { fullPath } namespace(fullPath: $path) { fullPath } }"
    records = query_data(fakeplat, by, query, path=path)

    assert {"group": group, "namespace": namespace} == {name: record is not None for name, record in records.items()}


@pytest.mark.fakeplat(version="15.3")
def test_a_group_lists_the_projects_that_the_caller_sees(fakeplat: Fakeplat) -> None:
    """A group lists its visible projects and, on request, those of its subgroups."""
    query = """{ group(fullPath: "acme") {
        own: projects { nodes { fullPath } } all: projects(includeSubgroups: true) { count nodes { fullPath } } } }"""
    groups = {by: query_data(fakeplat, by, query)["group"] for by in (None, "ada")}

    assert [{"fullPath": "acme/docs"}] == groups[None]["own"]["nodes"]
    assert [{"fullPath": "acme/docs"}] == groups[None]["all"]["nodes"]
    assert {"acme/docs", "acme/site"} == {project["fullPath"] for project in groups["ada"]["own"]["nodes"]}
    assert 3 == groups["ada"]["all"]["count"]


def test_projects_are_those_that_the_caller_sees(fakeplat: Fakeplat) -> None:
    """Visible projects are listed, filtered by ``membership`` and by ``search`` in their names."""
    query = "query($m: Boolean, $s: String) { projects(membership: $m, search: $s) { nodes { path } } }"

    def paths(by: str | None, **given: Any) -> list[str]:
        return [project["path"] for project in query_data(fakeplat, by, query, **given)["projects"]["nodes"]]

    assert ["docs"] == paths(None)
    assert {"docs", "kit"} == {*paths("eve")}
    assert [] == paths("eve", m=True)
    assert ["site"] == paths("ada", s="SIT")


@pytest.mark.fakeplat(version="14.1")
def test_labels_and_milestones_of_a_project(fakeplat: Fakeplat) -> None:
    """A project lists labels by title and milestones by due date, with their fields."""
    project = query_project(
        fakeplat,
        "gus",
        'labels { count nodes { id title color description textColor } } label(title: "idea") { title }'
        "milestones { nodes { iid title state dueDate expired createdAt webPath projectMilestone } }"
        'closed: milestones(state: closed) { nodes { title } } v1: milestones(title: "v1") { nodes { title } }',
    )
    ids = [label.pop("id") for label in project["labels"]["nodes"]]

    assert all(id_.startswith("gid://gitlab/ProjectLabel/") for id_ in ids)
    assert {"title": "bug", "color": "#d9534f", "description": "Wrong", "textColor": "#FFFFFF"} == (
        project["labels"]["nodes"][0]
    )
    assert (2, {"title": "idea"}) == (project["labels"]["count"], project["label"])
    assert {
        "iid": "1",
        "title": "v1",
        "state": "active",
        "dueDate": "2020-12-24",
        "expired": False,
        "createdAt": NOW,
        "webPath": "/acme/site/-/milestones/1",
        "projectMilestone": True,
    } == project["milestones"]["nodes"][1]
    assert [{"title": "v0"}] == project["closed"]["nodes"]
    assert [{"title": "v1"}] == project["v1"]["nodes"]
