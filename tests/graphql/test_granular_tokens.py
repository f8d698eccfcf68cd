"""Fine-grained tokens in GraphQL: what they see of queries, and which mutations they run.

Source: docs/platform/fine-grained-tokens.md.
"""

from collections.abc import Callable
from typing import Any, Final

import pytest

from fakeplat.core.release import LATEST_RELEASE, profile_of
from fakeplat.graphql.granular_tokens import list_requirements
from fakeplat.graphql.schema import schema
from fakeplat.graphql.schema_builder import MUTATIONS
from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.abilities import Ability
from fakeplat.policy.behaviours import GRANULAR_TOKENS_IN_GRAPHQL
from fakeplat.policy.granular_scopes import FLAG, name_permission
from tests.by_release import by_release
from tests.graphql.client_world import SCENARIO
from tests.graphql.queries import NOT_AVAILABLE, PATH

Factory = Callable[..., Fakeplat]
Content = dict[str, Any]
SITE: Final = 'project(fullPath: "acme/site")'
NO_TOKENS: Final = "Access denied: Fine-grained personal access tokens are not yet supported."
CREATE_ISSUE: Final = 'createIssue(input: {projectPath: "acme/site", title: "New"})'
ALL: Final = sorted({name_permission(each) for row in list_requirements().values() for each in row.permissions})
_EXTRA: Final[Content] = {
    "path_with_namespace": "acme/site",
    "freeze_periods": [{"freeze_start": "0 23 * * 5", "freeze_end": "0 7 * * 1"}],
    "environments": [{"name": "live"}],
    "pipeline_schedules": [{"description": "Nightly", "ref": "main", "cron": "0 1 * * *"}],
    "cluster_agents": [{"name": "edge"}],
}
pytestmark = pytest.mark.fakeplat(scenario=SCENARIO, version="latest")


def everywhere(*permissions: str) -> Content:
    """Return a scope for all projects and groups of a user."""
    return {"access": "all_memberships", "permissions": list(permissions)}


def of_user(*permissions: str) -> Content:
    """Return a scope for what is the user's own."""
    return {"access": "user", "permissions": list(permissions)}


def issue(fake: Fakeplat, *scopes: Content, user: str = "dev") -> str:
    """Create a fine-grained token of a user, and return its value."""
    body = {"name": "fine", "granular_scopes": list(scopes)}
    return str(fake.as_user(user).post("user/personal_access_tokens", json=body).json()["token"])


def issue_full(fake: Fakeplat, user: str) -> str:
    """Create a fine-grained token with all permissions everywhere."""
    scopes = ({"access": access, "permissions": ALL} for access in ("all_memberships", "user", "instance"))
    return issue(fake, *scopes, user=user)


def post(fake: Fakeplat, value: str, text: str) -> Content:
    """Send a query or a mutation with a token, and return the content of the answer."""
    reply = fake.as_user(None).post(PATH, json={"query": text}, headers={"PRIVATE-TOKEN": value})
    assert 200 == reply.status, reply.text
    content: Content = reply.json()
    return content


def query(fake: Fakeplat, value: str, selection: str) -> Any:
    """Return the data of a query that has no errors."""
    content = post(fake, value, f"{{ {selection} }}")
    assert {"data"} == content.keys(), content
    return content["data"]


def refuse(fake: Fakeplat, value: str, mutation: str) -> list[str]:
    """Return the messages of a mutation that changes nothing but the last use of the token."""
    query(fake, value, "__typename")
    before = fake.bench.platform.state
    content = post(fake, value, f"mutation {{ {mutation} {{ errors }} }}")
    assert before is fake.bench.platform.state
    assert [None] == list(content["data"].values())
    return [error["message"] for error in content["errors"]]


def lacking(kind: str, *permissions: str) -> str:
    """Return the refusal of a fine-grained token that lacks permissions."""
    return (
        f"Access denied: This operation requires a fine-grained personal access token with the following {kind} "
        f"permissions: [{', '.join(permissions)}]."
    )


# the table


def test_rows_name_what_the_latest_release_has() -> None:
    """Each row of the table is a type or a mutation of the latest release; only types may be public."""
    latest = profile_of(LATEST_RELEASE)
    names = {"type": set(schema(latest).type_map), "mutation": set(MUTATIONS)}
    abilities = {ability.value for ability in Ability}
    for (kind, name), requirement in list_requirements().items():
        assert name in names[kind], name
        assert bool(requirement.access) is bool(requirement.permissions), name
        assert {"project", "group", "user", "instance"}.issuperset(requirement.access), name
        assert requirement.public in {"", *abilities}, name
        assert kind == "type" or not requirement.public, name


# what is shown


def test_types_need_their_permission(fakeplat: Fakeplat) -> None:
    """A record is null without the permission of its type, and rows of it are left out of pages; there is no error."""
    value = issue(fakeplat, everywhere("read_project"))
    selection = (
        "name issues { count nodes { title } edges { node { title } } pageInfo { hasNextPage } } repository { rootRef }"
    )

    site = query(fakeplat, value, f"{SITE} {{ {selection} }}")["project"]
    assert ("Site", [], [], None) == (
        site["name"],
        site["issues"]["nodes"],
        site["issues"]["edges"],
        site["repository"],
    )
    assert (6, {"hasNextPage": False}) == (site["issues"]["count"], site["issues"]["pageInfo"])
    assert {"project": None} == query(fakeplat, issue(fakeplat, everywhere("read_work_item")), f"{SITE} {{ name }}")
    assert {"__typename": "Query"} == query(fakeplat, value, "__typename")


def test_both_the_owner_and_its_records_need_permissions(fakeplat: Fakeplat) -> None:
    """Issues are reached through a project, whose type needs a permission too."""
    value = issue(fakeplat, everywhere("read_project", "read_work_item"))

    nodes = query(fakeplat, value, f"{SITE} {{ issues(first: 1) {{ nodes {{ title }} }} }}")["project"]["issues"]
    assert {"nodes": [{"title": "Broken link"}]} == nodes
    alone = issue(fakeplat, everywhere("read_work_item"))
    assert {"project": None} == query(fakeplat, alone, f"{SITE} {{ issues {{ nodes {{ title }} }} }}")


def test_types_of_users_and_of_the_instance(fakeplat: Fakeplat) -> None:
    """Users and to-dos need permissions for what is the user's own, metadata one for the instance."""
    selection = "currentUser { username } metadata { version }"
    nobody = {"currentUser": None, "metadata": None}

    assert nobody == query(fakeplat, issue(fakeplat, everywhere("read_user", "read_metadata")), selection)
    value = issue(fakeplat, of_user("read_user"))
    assert {**nobody, "currentUser": {"username": "dev"}} == query(fakeplat, value, selection)
    value = issue(fakeplat, {"access": "instance", "permissions": ["read_metadata"]})
    assert {"version"} == query(fakeplat, value, selection)["metadata"].keys()


def test_types_without_permissions_are_hidden(fakeplat: Fakeplat) -> None:
    """A type for which no permission is declared is null for every fine-grained token."""
    value = issue_full(fakeplat, "ada")

    site = query(fakeplat, value, f"{SITE} {{ name namespace {{ id }} releases {{ nodes {{ name }} }} }}")["project"]
    assert {"name": "Site", "namespace": None, "releases": {"nodes": []}} == site
    assert {"queryComplexity": None} == query(fakeplat, value, "queryComplexity { score }")
    folder = "repository { tree { trees { nodes { name } } } }"
    assert [None] == list(
        {*query(fakeplat, value, f"{SITE} {{ {folder} }}")["project"]["repository"]["tree"]["trees"]["nodes"]}
    )


def test_a_hidden_record_that_is_required_hides_what_shows_it(fakeplat: Fakeplat) -> None:
    """A field that cannot be null makes its parent null, with an error, when its type is hidden."""
    value = issue_full(fakeplat, "ada")

    content = post(fakeplat, value, f"{{ {SITE} {{ userPermissions {{ readProject }} }} }}")
    assert {"project": None} == content["data"]
    assert [("Cannot return null for non-nullable field Project.userPermissions", ["project", "userPermissions"])] == [
        (error["message"], error["path"]) for error in content["errors"]
    ]


def test_widgets_show_what_their_work_item_does(fakeplat: Fakeplat) -> None:
    """Widgets are open to tokens that see the work item; what they show needs its own permission."""
    value = issue(fakeplat, everywhere("read_project", "read_work_item"))
    widgets = "widgets { ... on WorkItemWidgetLabels { labels { nodes { title } } } }"
    item = 'workItems(search: "Broken") { nodes { title ' + widgets + " } }"

    node = query(fakeplat, value, f"{SITE} {{ {item} }}")["project"]["workItems"]["nodes"][0]
    assert ("Broken link", [{"labels": {"nodes": []}}]) == (node["title"], [each for each in node["widgets"] if each])


def test_public_projects_need_no_permission_for_what_all_may_read(fakeplat: Fakeplat) -> None:
    """What anonymous callers read in a public project is shown to every fine-grained token."""
    value = issue(fakeplat, of_user("read_user"))

    selection = 'project(fullPath: "acme/docs") { name issues { nodes { title } } pipelineTriggers { nodes { id } } }'
    assert "Docs" == query(fakeplat, value, selection)["project"]["name"]
    assert {"project": None} == query(fakeplat, value, f"{SITE} {{ name }}")


@pytest.mark.parametrize(
    "selection",
    [
        "boards { nodes { name } }",
        "labels { nodes { title } }",
        "languages { name }",
        "mergeRequests { nodes { title author { username } notes { nodes { body } } approvalState { rules { id } } } }",
        "milestones { nodes { title } }",
        "pipelines { nodes { iid stages { nodes { name } } jobs { nodes { name artifacts { nodes { name } } } } } }",
        "pipelineSchedules { nodes { description } }",
        "projectMembers { nodes { ... on ProjectMember { id } user { username } } }",
        "repository { rootRef tree { lastCommit { sha } blobs { nodes { name } } } }",
        'repository { blobs(paths: ["README.md"]) { nodes { name } } }',
        "environments { nodes { name deployFreezes { status } } }",
        "clusterAgents { nodes { name } }",
        "group { name labels { nodes { title } } milestones { nodes { title } } }",
        "issues { nodes { title labels { nodes { title } } milestone { title } notes { nodes { body } } } }",
        "workItems { nodes { title } }",
    ],
)
def test_a_token_with_all_permissions_sees_what_its_user_sees(fakeplat_factory: Factory, selection: str) -> None:
    """Each declared type finds the project or group in which the token has permissions."""
    scenario = {"extends": "starter", "projects": [{**SCENARIO["projects"][0], **_EXTRA}]}
    fake = fakeplat_factory(scenario=scenario, version="latest")
    text = f"{SITE} {{ {selection} }}"

    expected = fake.as_user("ada").post(PATH, json={"query": f"{{ {text} }}"}).json()
    assert {"data"} == expected.keys(), expected
    assert expected["data"] == query(fake, issue_full(fake, "ada"), text)


# what is changed


def test_mutations_need_their_permission(fakeplat: Fakeplat) -> None:
    """A mutation without its permission changes nothing, and its error names what is missing."""
    value = issue(fakeplat, everywhere("read_project"))

    assert [lacking("project", "Work Item: Create")] == refuse(fakeplat, value, CREATE_ISSUE)
    value = issue(fakeplat, everywhere("create_work_item"))
    content = post(fakeplat, value, f"mutation {{ {CREATE_ISSUE} {{ errors issue {{ title }} }} }}")
    assert {"data": {"createIssue": {"errors": [], "issue": None}}} == content


def test_mutations_find_the_project_of_a_record(fakeplat: Fakeplat) -> None:
    """A mutation that names a record needs its permission in the project to which that belongs."""
    site = fakeplat.as_user("dev").get("projects/acme%2Fsite").json()["id"]
    inside = {"access": "selected_memberships", "project_ids": [site], "permissions": ["create_work_item"]}
    number = fakeplat.as_user("dev").get("projects/acme%2Fsite/issues?search=Broken").json()[0]["id"]
    note = f'createNote(input: {{noteableId: "gid://gitlab/Issue/{number}", body: "So"}})'

    content = post(fakeplat, issue(fakeplat, inside), f"mutation {{ {note} {{ errors }} }}")
    assert {"data": {"createNote": {"errors": []}}} == content
    value = issue(fakeplat, everywhere("read_work_item"))
    assert [lacking("project", "Work Item: Create")] == refuse(fakeplat, value, note)


def test_records_that_do_not_exist_are_not_found(fakeplat: Fakeplat) -> None:
    """A mutation that names no project or group of the user is refused as not found."""
    value = issue(fakeplat, everywhere("create_work_item"), user="eve")

    for path in ("acme/nothing", "acme/site"):
        mutation = f'createIssue(input: {{projectPath: "{path}", title: "New"}})'
        assert ["404 Not Found"] == refuse(fakeplat, value, mutation)


def test_mutations_without_permissions_are_refused(fakeplat: Fakeplat) -> None:
    """A mutation for which no permission is declared is refused to every fine-grained token."""
    value = issue_full(fakeplat, "ada")

    assert [NOT_AVAILABLE] == refuse(
        fakeplat, value, 'awardEmojiAdd(input: {awardableId: "gid://gitlab/Issue/1", name: "tada"})'
    )


def test_a_permission_does_not_replace_the_role_in_graphql(fakeplat: Fakeplat) -> None:
    """A mutation is refused to a user who may not run it, whatever the permissions of the token."""
    value = issue_full(fakeplat, "gus")
    mutation = 'createBranch(input: {projectPath: "acme/site", name: "new", ref: "main"})'

    assert [NOT_AVAILABLE] == refuse(fakeplat, value, mutation)


def test_snippets_of_users_need_a_permission_of_the_user(fakeplat: Fakeplat) -> None:
    """A snippet without a project is created with a permission for what is the user's own."""
    mutation = 'createSnippet(input: {title: "Tip", visibilityLevel: private, blobActions: [{action: create, '
    mutation += 'filePath: "a.md", content: "A"}]})'

    refused = refuse(fakeplat, issue(fakeplat, everywhere("create_snippet")), mutation)
    assert [lacking("user", "Snippet: Create")] == refused
    content = post(fakeplat, issue(fakeplat, of_user("create_snippet")), f"mutation {{ {mutation} {{ errors }} }}")
    assert {"data": {"createSnippet": {"errors": []}}} == content


# flags and releases


def test_the_flag_turns_graphql_off(fakeplat: Fakeplat) -> None:
    """Without the feature, queries show nothing, and mutations say that there are no such tokens."""
    value = issue_full(fakeplat, "ada")
    fakeplat.as_user("root").post(f"features/{FLAG}", json={"value": "false"})

    assert {"project": None} == query(fakeplat, value, f"{SITE} {{ name }}")
    assert [NO_TOKENS] == refuse(fakeplat, value, CREATE_ISSUE)


def test_permissions_of_mutations_that_came_later(fakeplat_factory: Factory) -> None:
    """In 19.2, fewer mutations have permissions."""
    resolve = f'discussionToggleResolve(input: {{id: "gid://gitlab/Discussion/{"a" * 40}", resolve: true}})'
    expected = {"19.2": NOT_AVAILABLE, "19.3": "404 Not Found"}
    for version, message in expected.items():
        fake = fakeplat_factory(scenario=SCENARIO, version=version)
        assert [message] == refuse(fake, issue_full(fake, "ada"), resolve)


@by_release(GRANULAR_TOKENS_IN_GRAPHQL, "expected", {"19.1": 501, "19.2": 200})
def test_graphql_before_its_permissions(fakeplat: Fakeplat, expected: int) -> None:
    """Before 19.2, with the flag, the permissions of types are not built."""
    scopes = [{"access": "user", "permissions": ["read_user"]}]
    fakeplat.load({"users": [{"username": "dev", "tokens": [{"value": "fine", "granular_scopes": scopes}]}]})
    fakeplat.as_user("root").post(f"features/{FLAG}", json={"value": "true"})

    body = {"query": "{ currentUser { username } }"}
    reply = fakeplat.as_user(None).post(PATH, json=body, headers={"PRIVATE-TOKEN": "fine"})
    assert expected == reply.status
    assert ("fine-grained token" in reply.text) is (expected == 501)


def test_rules_of_images_are_named_by_their_ids(fakeplat: Fakeplat) -> None:
    """A token with the permissions creates, changes and deletes rules; the id of a rule names its project."""
    words = {
        "ContainerProtectionRepositoryRule": (
            "Container Repository Protection Rule",
            'repositoryPathPattern: "acme/site/*"',
        ),
        "ContainerProtectionTagRule": ("Container Registry Protection Tag Rule", 'tagNamePattern: "^v"'),
    }
    levels = "minimumAccessLevelForPush: OWNER, minimumAccessLevelForDelete: OWNER"
    for name, (resource, pattern) in words.items():
        permissions = [name_permission(f"{resource}: {verb}") for verb in ("Create", "Update", "Delete")]
        scopes = (everywhere(*permissions), everywhere("read_project"))
        allowed, other = (issue(fakeplat, scope, user="mia") for scope in scopes)
        field = f"{name[0].lower()}{name[1:]}"
        create = f'create{name}(input: {{ projectPath: "acme/site", {pattern}, {levels} }})'
        assert 1 == len(refuse(fakeplat, other, create))
        created = post(fakeplat, allowed, f"mutation {{ {create} {{ errors }} }}")
        assert {"data": {f"create{name}": {"errors": []}}} == created
        text = f"{{ {SITE} {{ rules: {field}s {{ nodes {{ id }} }} }} }}"
        reply = fakeplat.as_user("mia").post(PATH, json={"query": text}).json()
        id_ = reply["data"]["project"]["rules"]["nodes"][0]["id"]
        for verb in ("update", "delete"):
            change = f'{verb}{name}(input: {{ id: "{id_}" }})'
            assert 1 == len(refuse(fakeplat, other, change))
            changed = post(fakeplat, allowed, f"mutation {{ {change} {{ errors }} }}")
            assert {"data": {f"{verb}{name}": {"errors": []}}} == changed
