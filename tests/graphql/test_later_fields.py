"""Permissions, details of projects, groups and commits, snippets, complexity and subscriptions."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.graphql.queries import (
    NOT_AVAILABLE,
    WORLD,
    list_messages,
    query_data,
    query_project,
    query_refused,
    write_mutation,
)

pytestmark = pytest.mark.fakeplat(scenario=WORLD, version="latest")
PERMISSIONS = "userPermissions { readProject createIssue createSnippet pushCode adminProject removeProject }"


@pytest.mark.parametrize(
    ("by", "granted"),
    [
        ("gus", {"readProject", "createIssue"}),
        ("rep", {"readProject", "createIssue", "createSnippet"}),
        ("dev", {"readProject", "createIssue", "createSnippet", "pushCode"}),
        ("mia", {"readProject", "createIssue", "createSnippet", "pushCode", "adminProject"}),
        ("ada", {"readProject", "createIssue", "createSnippet", "pushCode", "adminProject", "removeProject"}),
    ],
)
def test_permissions_in_a_project_follow_the_role(fakeplat: Fakeplat, by: str, granted: set[str]) -> None:
    """A project shows what the caller's role permits."""
    permissions = query_project(fakeplat, by, PERMISSIONS)["userPermissions"]

    assert granted == {name for name, allowed in permissions.items() if allowed}


def test_permissions_in_a_group_follow_the_role(fakeplat: Fakeplat) -> None:
    """A group shows what the caller's role permits."""
    query = '{ group(fullPath: "acme") { userPermissions { readGroup createProjects removeGroup viewEditPage } } }'
    permissions = {by: query_data(fakeplat, by, query)["group"]["userPermissions"] for by in ("gus", "ada")}

    assert {"readGroup": True, "createProjects": False, "removeGroup": False, "viewEditPage": False} == permissions[
        "gus"
    ]
    assert {"readGroup": True, "createProjects": True, "removeGroup": True, "viewEditPage": True} == permissions["ada"]


def test_a_project_shows_its_settings(fakeplat: Fakeplat) -> None:
    """Settings of merging and of CI are shown, the path of the settings only to those who may change them."""
    changes = {"merge_method": "ff", "squash_option": "always", "ci_config_path": "ci.yml"}
    assert 200 == fakeplat.as_user("ada").put("projects/acme%2Fsite", json=changes).status
    fields = "mergeRequestsFfOnlyEnabled squashReadOnly ciConfigPathOrDefault allowMergeOnSkippedPipeline editPath"

    assert {
        "mergeRequestsFfOnlyEnabled": True,
        "squashReadOnly": True,
        "ciConfigPathOrDefault": "ci.yml",
        "allowMergeOnSkippedPipeline": None,
        "editPath": "/acme/site/edit",
    } == query_project(fakeplat, "ada", fields)
    assert {"editPath": None} == query_project(fakeplat, "gus", "editPath")


def test_a_requested_deletion_is_shown(fakeplat: Fakeplat) -> None:
    """A project tells when its deletion was requested, and when it happens; a group shows the same of itself."""
    fields = "isSelfDeletionScheduled isSelfDeletionInProgress markedForDeletion permanentDeletionDate"
    before = query_project(fakeplat, "ada", fields)
    assert 202 == fakeplat.as_user("ada").delete("projects/acme%2Fsite").status
    marked = query_data(
        fakeplat,
        "ada",
        f"{{ projects(aimedForDeletion: true) {{ nodes {{ {fields} markedForDeletionOn }} }} "
        f'group(fullPath: "acme") {{ {fields} markedForDeletionOn archived emailsEnabled epicsEnabled editPath }} }}',
    )
    (project,) = marked["projects"]["nodes"]

    assert (False, False) == (before["isSelfDeletionScheduled"], before["markedForDeletion"])
    assert (True, True, before["permanentDeletionDate"]) == (
        project["isSelfDeletionScheduled"],
        project["markedForDeletion"],
        project["permanentDeletionDate"],
    )
    assert (False, None) == (marked["group"]["markedForDeletion"], marked["group"]["markedForDeletionOn"])


def test_a_commit_shows_its_author_and_differences(fakeplat: Fakeplat) -> None:
    """The author is the user with the e-mail address of the commit; differences have texts for true and false."""
    actions = [{"action": "create", "file_path": "new.txt", "content": "one\n"}]
    body = {"branch": "topic", "start_branch": "main", "commit_message": "Add", "actions": actions}
    assert 201 == fakeplat.as_user("dev").post("projects/acme%2Fsite/repository/commits", json=body).status
    shown = query_project(
        fakeplat,
        "dev",
        'repository { commit(ref: "topic") { author { username } diffs { newPath newFile deletedFile renamedFile } } }',
    )

    assert {
        "author": {"username": "dev"},
        "diffs": [{"newPath": "new.txt", "newFile": "true", "deletedFile": "false", "renamedFile": "false"}],
    } == shown["repository"]["commit"]


def test_a_user_is_found_by_id(fakeplat: Fakeplat) -> None:
    """A user is found by a global id or by a name, not by both, and has a namespace."""
    id_ = f"gid://gitlab/User/{fakeplat.world.user('dev').id}"
    found = query_data(
        fakeplat, "ada", f'{{ user(id: "{id_}") {{ username }} currentUser {{ namespace {{ path }} }} }}'
    )
    refused = query_refused(fakeplat, "ada", f'{{ user(id: "{id_}", username: "dev") {{ username }} }}')

    assert {"user": {"username": "dev"}, "currentUser": {"namespace": {"path": "ada"}}} == found
    assert ["One and only one of [id, username] arguments is required."] == list_messages(refused)


def test_projects_are_sorted_by_size_and_path(fakeplat: Fakeplat) -> None:
    """Projects of a group are sorted by the sizes that their statistics show, or by full path."""
    by_size, by_path = (
        query_data(
            fakeplat,
            "root",
            f"""{{ group(fullPath: "acme") {{ projects(includeSubgroups: true, sort: {sort}) {{
                nodes {{ fullPath statistics {{ repositorySize costFactoredRepositorySize }} }} }} }} }}""",
        )["group"]["projects"]["nodes"]
        for sort in ("REPOSITORY_SIZE_DESC", "FULL_PATH_ASC")
    )
    sizes = [row["statistics"]["repositorySize"] for row in by_size]
    paths = [row["fullPath"] for row in by_path]

    assert sizes == sorted(sizes, reverse=True)
    assert sizes == [row["statistics"]["costFactoredRepositorySize"] for row in by_size]
    assert paths == sorted(paths)
    assert 1 < len(paths)


def test_later_parts_of_the_statistics_count_nothing(fakeplat: Fakeplat) -> None:
    """The statistics have the sizes of uploads, of artifacts of pipelines and of the registry, as in REST."""
    sizes = query_project(fakeplat, "mia", "statistics { uploadsSize pipelineArtifactsSize containerRegistrySize }")
    path = query_project(fakeplat, "mia", "fullPath")["fullPath"].replace("/", "%2F")
    of_rest = fakeplat.as_user("mia").get(f"projects/{path}?statistics=true").json()["statistics"]

    assert {
        "uploadsSize": of_rest["uploads_size"],
        "pipelineArtifactsSize": of_rest["pipeline_artifacts_size"],
        "containerRegistrySize": of_rest["container_registry_size"],
    } == sizes["statistics"]


def test_an_issue_shows_who_commented(fakeplat: Fakeplat) -> None:
    """The commenters of an issue are the authors of the comments that the caller may read, without system notes."""
    issue = fakeplat.as_user("dev").post("projects/acme%2Fsite/issues", json={"title": "One"}).json()
    path = f"projects/acme%2Fsite/issues/{issue['iid']}"
    for username, internal in (("dev", False), ("mia", True), ("dev", False)):
        body = {"body": "Yes", "internal": internal}
        assert 201 == fakeplat.as_user(username).post(f"{path}/notes", json=body).status
    fakeplat.as_user("ada").put(path, json={"title": "Two"})
    query = f'issue(iid: "{issue["iid"]}") {{ commenters {{ nodes {{ username }} }} }}'

    assert [["dev", "mia"], ["dev"]] == [
        [user["username"] for user in query_project(fakeplat, by, query)["issue"]["commenters"]["nodes"]]
        for by in ("mia", "gus")
    ]


FILES = [{"action": "create", "filePath": "a.md", "content": "One"}]
NEW = {"title": "Hint", "visibilityLevel": "private", "blobActions": FILES}


def test_a_snippet_is_created_changed_and_deleted(fakeplat: Fakeplat) -> None:
    """Mutations of snippets do what REST does: files by actions, errors in the payload."""

    def run(name: str, **input_: Any) -> Any:
        mutation = write_mutation(name, "snippet { id title }")
        return query_data(fakeplat, "rep", mutation, input=input_)[name]

    created = run("createSnippet", **NEW, projectPath="acme/site")
    id_ = created["snippet"]["id"]
    changed = run("updateSnippet", id=id_, title="Better", blobActions=[{**FILES[0], "action": "update"}])
    blank = run("createSnippet", **{**NEW, "title": ""})

    assert ("Hint", []) == (created["snippet"]["title"], created["errors"])
    assert {"snippet": {"id": id_, "title": "Better"}, "errors": []} == changed
    assert None is blank["snippet"]
    assert ["Title can't be blank"] == blank["errors"]
    assert {"snippet": None, "errors": []} == run("destroySnippet", id=id_)
    assert [] == fakeplat.as_user("rep").get("projects/acme%2Fsite/snippets").json()


@pytest.mark.parametrize(
    ("by", "name", "input_"),
    [
        ("gus", "createSnippet", {**NEW, "projectPath": "acme/site"}),
        ("eve", "createSnippet", {**NEW, "projectPath": "acme/secret"}),
        ("rep", "updateSnippet", {"id": "gid://gitlab/ProjectSnippet/9", "title": "New"}),
        ("rep", "destroySnippet", {"id": "gid://gitlab/PersonalSnippet/9"}),
    ],
)
def test_snippets_of_others_are_not_changed(fakeplat: Fakeplat, by: str, name: str, input_: dict[str, Any]) -> None:
    """Guests create no snippets in projects, and what a caller does not see is not available."""
    refused = query_refused(fakeplat, by, write_mutation(name, ""), input=input_)

    assert [NOT_AVAILABLE] == list_messages(refused)


@pytest.mark.parametrize(("by", "limit"), [(None, 200), ("gus", 250), ("root", 300)])
def test_a_query_knows_its_complexity(fakeplat: Fakeplat, by: str | None, limit: int) -> None:
    """The complexity of the whole query is shown with the limit of the caller."""
    small = query_data(fakeplat, by, "{ queryComplexity { score limit } }")
    larger = query_data(fakeplat, by, '{ queryComplexity { score limit } echo(text: "a") }')

    assert {"queryComplexity": {"score": 3, "limit": limit}} == small
    assert {"score": 4, "limit": limit} == larger["queryComplexity"]


def test_a_subscription_is_not_implemented_by_name(fakeplat: Fakeplat) -> None:
    """Subscriptions that the release has are answered over WebSockets by the platform, and with 501 here."""
    query = 'subscription { workItemUpdated(workItemId: "gid://gitlab/WorkItem/1") { id } }'
    answered = fakeplat.as_user("ada").post("/api/graphql", json={"query": query})
    message = "501 Not Implemented: Subscription.workItemUpdated. See /_fakeplat/coverage"

    assert (501, {"errors": [{"message": message}]}) == (answered.status, answered.json())


@pytest.mark.fakeplat(version="13.5")
def test_a_subscription_of_a_later_release_is_unknown(fakeplat: Fakeplat) -> None:
    """A release without a subscription has an error for it as for any unknown name."""
    query = 'subscription { workItemUpdated(workItemId: "1") { id } }'

    assert ["errors"] == [*query_refused(fakeplat, "ada", query)]


@pytest.mark.fakeplat(version="13.11", tier="premium")
def test_projects_show_whether_commits_must_be_signed(fakeplat: Fakeplat) -> None:
    """Push rules are null until there are some; then they tell whether commits must be signed."""
    query = "pushRules { rejectUnsignedCommits }"
    assert {"pushRules": None} == query_project(fakeplat, "rep", query)
    for is_rejected, method in ((False, "POST"), (True, "PUT")):
        body = {"deny_delete_tag": True, "reject_unsigned_commits": is_rejected}
        fakeplat.as_user("mia").request(method, "projects/acme%2Fsite/push_rule", json=body)
        assert {"pushRules": {"rejectUnsignedCommits": is_rejected}} == query_project(fakeplat, "rep", query)


@pytest.mark.fakeplat(version="13.5")
def test_groups_show_whether_jobs_are_made_for_projects(fakeplat: Fakeplat) -> None:
    """The decision of the group counts, else that of the instance."""
    query = '{ group(fullPath: "acme") { autoDevopsEnabled } }'
    assert {"autoDevopsEnabled": True} == query_data(fakeplat, "mia", query)["group"]
    fakeplat.as_user("root").put("application/settings", params={"auto_devops_enabled": False})
    assert {"autoDevopsEnabled": False} == query_data(fakeplat, "mia", query)["group"]
    fakeplat.as_user("ada").put("groups/acme", json={"auto_devops_enabled": True})
    assert {"autoDevopsEnabled": True} == query_data(fakeplat, "mia", query)["group"]


@pytest.mark.fakeplat(version="15.8")
def test_groups_list_agents_of_their_projects(fakeplat: Fakeplat) -> None:
    """The agents of all projects of a group, by name, for those who see them."""
    for path, name in (("site", "west"), ("tools%2Fkit", "east")):
        fakeplat.as_user("ada").post(f"projects/acme%2F{path}/cluster_agents", json={"name": name})
    query = '{ group(fullPath: "acme") { clusterAgents { nodes { name project { path } } } } }'
    agents = query_data(fakeplat, "ada", query)["group"]["clusterAgents"]["nodes"]
    assert [("east", "kit"), ("west", "site")] == [(agent["name"], agent["project"]["path"]) for agent in agents]
    assert {"clusterAgents": {"nodes": []}} == query_data(fakeplat, "gus", query)["group"]


@pytest.mark.fakeplat(version="14.10")
def test_the_instance_tells_whether_projects_open_in_an_editor(fakeplat: Fakeplat) -> None:
    """The setting of the instance is shown to everybody."""
    assert {"gitpodEnabled": False} == query_data(fakeplat, None, "{ gitpodEnabled }")
    settings = {"gitpod_enabled": True, "gitpod_url": "https://editor.example.test/"}
    fakeplat.as_user("root").put("application/settings", params=settings)
    assert {"gitpodEnabled": True} == query_data(fakeplat, None, "{ gitpodEnabled }")


@pytest.mark.fakeplat(version="18.5")
def test_maintainers_decide_how_pages_are_served(fakeplat: Fakeplat) -> None:
    """Maintainers have pages served encrypted only, and under a domain of their own."""
    shown = "pagesForceHttps pagesUseUniqueDomain"
    before = query_project(fakeplat, "rep", shown)
    for name, field in (("setPagesForceHttps", "pagesForceHttps"), ("setPagesUseUniqueDomain", "pagesUseUniqueDomain")):
        change = write_mutation(name, f"project {{ {field} }}")
        given = {"projectPath": "acme/site", "value": not before[field]}
        assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, "dev", change, input=given))
        payload = query_data(fakeplat, "mia", change, input=given)[name]
        assert {"project": {field: not before[field]}, "errors": []} == payload
    assert {field: not value for field, value in before.items()} == query_project(fakeplat, "rep", shown)


@pytest.mark.fakeplat(version="15.9", tier="ultimate")
def test_projects_show_whether_status_checks_must_pass(fakeplat: Fakeplat) -> None:
    """The highest tier shows whether merging waits for status checks."""
    query = "onlyAllowMergeIfAllStatusChecksPassed"
    assert {query: False} == query_project(fakeplat, "rep", query)
    body = {"only_allow_merge_if_all_status_checks_passed": True}
    fakeplat.as_user("mia").put("projects/acme%2Fsite", json=body)
    assert {query: True} == query_project(fakeplat, "rep", query)


@pytest.mark.fakeplat(version="15.8", tier="premium")
def test_other_tiers_know_no_status_checks(fakeplat: Fakeplat) -> None:
    """Below the highest tier, the field is null."""
    query = "onlyAllowMergeIfAllStatusChecksPassed"
    assert {query: None} == query_project(fakeplat, "rep", query)


@pytest.mark.fakeplat(version="18.2", tier="premium")
def test_users_who_may_push_show_their_picture(fakeplat: Fakeplat) -> None:
    """A user with access to a protected branch shows picture and public address."""
    dev = fakeplat.as_user("dev").get("user").json()
    body = {"name": "v*", "allowed_to_push": [{"user_id": dev["id"]}]}
    fakeplat.as_user("mia").post("projects/acme%2Fsite/protected_branches", json=body)
    shown = "branchProtection { pushAccessLevels { nodes { user { avatarUrl publicEmail } } } }"
    rules = query_project(fakeplat, "mia", f"branchRules {{ nodes {{ name {shown} }} }}")["branchRules"]["nodes"]
    (rule,) = [rule for rule in rules if rule["name"] == "v*"]
    (access,) = rule["branchProtection"]["pushAccessLevels"]["nodes"]
    assert {"avatarUrl": dev["avatar_url"], "publicEmail": dev["public_email"] or None} == access["user"]
