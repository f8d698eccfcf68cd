"""Files of repositories and snippets, tags of images, and branch rules, as today's clients read them."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.graphql.queries import NOT_AVAILABLE, list_messages, query_data, query_project, query_refused, write_mutation

FILES = {"README.md": "# Site\n", "src/app.py": "print(1)\n", "src/lib/a.py": "A = 1\n"}
SITE: dict[str, Any] = {
    "path_with_namespace": "acme/site",
    "repository": {"commits": [{"message": "First\n\nWhy.", "files": FILES}]},
    "topics": ["web"],
    "protected_branches": [{"name": "v*", "allow_force_push": True}],
    "container_repositories": [{"name": "web", "tags": ["latest", "v1"]}],
    "snippets": [
        {"title": "Hint", "description": "How", "author": "dev", "visibility": "internal", "files": {"a.md": "Do it."}}
    ],
}
pytestmark = pytest.mark.fakeplat(
    version="latest", tier="ultimate", clock="virtual", scenario={"extends": "starter", "projects": [SITE]}
)


def test_a_tree_lists_files_and_folders(fakeplat: Fakeplat) -> None:
    """A folder lists its files and folders, those below them only if asked for, as REST does."""
    query = """repository { tree(path: "src") { blobs { nodes { name path type mode webUrl } } trees { nodes { path } }
        lastCommit { title description webPath } } all: tree(recursive: true) { blobs { nodes { path sha } } } }"""
    repository = query_project(fakeplat, "dev", query)["repository"]
    rest = fakeplat.as_user("dev").get("projects/acme%2Fsite/repository/tree", params={"recursive": True}).json()

    (app,) = repository["tree"]["blobs"]["nodes"]
    assert ("app.py", "src/app.py", "blob", "100644") == (app["name"], app["path"], app["type"], app["mode"])
    assert app["webUrl"].endswith("/src/app.py")
    assert [{"path": "src/lib"}] == repository["tree"]["trees"]["nodes"]
    assert {row["path"]: row["id"] for row in rest if row["type"] == "blob"} == {
        row["path"]: row["sha"] for row in repository["all"]["blobs"]["nodes"]
    }
    assert ("First", "Why.") == (
        repository["tree"]["lastCommit"]["title"],
        repository["tree"]["lastCommit"]["description"],
    )


def test_files_show_their_content(fakeplat: Fakeplat) -> None:
    """``blobs`` returns the files at some paths with their content; what is not there is left out."""
    query = 'repository { blobs(paths: ["README.md", "none", "src"]) { nodes { path rawBlob rawSize rawPath oid } } }'
    (file,) = query_project(fakeplat, "dev", query)["repository"]["blobs"]["nodes"]

    assert ("README.md", "# Site\n", "7") == (file["path"], file["rawBlob"], file["rawSize"])
    assert "/-/raw/" in file["rawPath"]
    paged = query_project(fakeplat, "dev", "repository { paginatedTree { nodes { trees { nodes { path } } } } }")
    assert [{"trees": {"nodes": [{"path": "src"}]}}] == paged["repository"]["paginatedTree"]["nodes"]
    missing = query_project(fakeplat, "dev", 'repository { tree(path: "none") { blobs { nodes { path } } } }')
    assert {"blobs": {"nodes": []}} == missing["repository"]["tree"]
    history = query_project(fakeplat, "dev", 'repository { commits(ref: "main") { nodes { title } } }')
    assert [{"title": "First"}] == history["repository"]["commits"]["nodes"]


def test_a_commit_is_created(fakeplat: Fakeplat) -> None:
    """A commit changes files on a branch, for those who may push to it."""
    create = write_mutation("commitCreate", "commit { title sha }")
    action = {"action": "CREATE", "filePath": "b.txt", "content": "Yg==", "encoding": "BASE64"}
    given = {
        "projectPath": "acme/site",
        "branch": "topic",
        "startBranch": "main",
        "message": "Add",
        "actions": [action],
    }
    payload = query_data(fakeplat, "dev", create, input=given)["commitCreate"]

    assert ([], "Add") == (payload["errors"], payload["commit"]["title"])
    raw = fakeplat.as_user("dev").get("projects/acme%2Fsite/repository/files/b.txt/raw", params={"ref": "topic"})
    assert "b" == raw.text
    again = query_data(fakeplat, "dev", create, input={**given, "startBranch": None})["commitCreate"]
    assert (None, ["A file with this name already exists"]) == (again["commit"], again["errors"])
    assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, "rep", create, input=given))


def test_snippets_show_their_files(fakeplat: Fakeplat) -> None:
    """Snippets of projects and of everybody show their files to those who see them."""
    shown = "nodes { id title description fileName author { username } blobs { nodes { name path rawPlainData } } }"
    (row,) = query_project(fakeplat, "dev", f"snippets {{ {shown} }}")["snippets"]["nodes"]
    found = query_data(
        fakeplat, "dev", f"query($ids: [SnippetID!]) {{ snippets(ids: $ids) {{ {shown} }} }}", ids=[row["id"]]
    )

    assert ("Hint", "How", "a.md", "dev") == (
        row["title"],
        row["description"],
        row["fileName"],
        row["author"]["username"],
    )
    assert ["a.md"] == [file["name"] for file in row["blobs"]["nodes"]]
    assert [row] == found["snippets"]["nodes"]
    assert {"nodes": []} == query_data(fakeplat, None, "{ snippets { nodes { id } } }")["snippets"]


def test_image_repositories_show_and_lose_their_tags(fakeplat: Fakeplat) -> None:
    """An image repository shows its tags; who may delete them deletes some, and then all."""
    (row,) = query_project(fakeplat, "mia", "containerRepositories { nodes { id } }")["containerRepositories"]["nodes"]
    query = """query($id: ContainerRepositoryID!) { containerRepository(id: $id) { name tagsCount project { path }
        tags(name: "v") { nodes { name path digest totalSize shortRevision } } } }"""
    repository = query_data(fakeplat, "mia", query, id=row["id"])["containerRepository"]
    assert ("web", 2, ["v1"]) == (
        repository["name"],
        repository["tagsCount"],
        [tag["name"] for tag in repository["tags"]["nodes"]],
    )
    destroy = write_mutation("destroyContainerRepositoryTags", "deletedTagNames")
    given = {"id": row["id"], "tagNames": ["v1"]}
    assert [NOT_AVAILABLE] == list_messages(query_refused(fakeplat, "rep", destroy, input=given))
    done = query_data(fakeplat, "mia", destroy, input=given)["destroyContainerRepositoryTags"]
    assert (["v1"], []) == (done["deletedTagNames"], done["errors"])
    remove = write_mutation("destroyContainerRepository", "containerRepository { status }")
    gone = query_data(fakeplat, "mia", remove, input={"id": row["id"]})
    assert "DELETE_SCHEDULED" == gone["destroyContainerRepository"]["containerRepository"]["status"]
    assert None is query_data(fakeplat, None, query, id=row["id"])["containerRepository"]


def test_branch_rules_are_for_maintainers(fakeplat: Fakeplat) -> None:
    """Branch rules are the protected branches, with the number of branches that match."""
    query = (
        "branchRules { nodes { name isDefault isProtected matchingBranchesCount branchProtection { allowForcePush } } }"
    )
    rules = query_project(fakeplat, "mia", query)["branchRules"]["nodes"]

    assert {
        "name": "v*",
        "isDefault": False,
        "isProtected": True,
        "matchingBranchesCount": 0,
        "branchProtection": {"allowForcePush": True},
    } in rules
    assert None is query_project(fakeplat, "dev", query)["branchRules"]


def test_a_branch_rule_shows_who_must_approve(fakeplat: Fakeplat) -> None:
    """A branch rule has the approval rules and the status checks that are limited to its protected branch."""
    maintainer = fakeplat.as_user("mia")
    branches = maintainer.get("projects/acme%2Fsite/protected_branches").json()
    (id_,) = [row["id"] for row in branches if row["name"] == "v*"]
    limited = {"name": "Leads", "approvals_required": 2, "protected_branch_ids": [id_], "usernames": ["ada"]}
    maintainer.post("projects/acme%2Fsite/approval_rules", json=limited)
    maintainer.post("projects/acme%2Fsite/approval_rules", json={"name": "Others", "approvals_required": 1})
    check = {"name": "Scan", "external_url": "https://scan.example.test", "protected_branch_ids": [id_]}
    maintainer.post("projects/acme%2Fsite/external_status_checks", json=check)
    query = """branchRules { nodes { name
        approvalRules { nodes { name type approvalsRequired eligibleApprovers { nodes { username } } } }
        externalStatusChecks { nodes { name externalUrl } } } }"""
    rules = {row["name"]: row for row in query_project(fakeplat, "mia", query)["branchRules"]["nodes"]}

    approvers = {"nodes": [{"username": "ada"}]}
    rule = {"name": "Leads", "type": "REGULAR", "approvalsRequired": 2, "eligibleApprovers": approvers}
    assert {
        "name": "v*",
        "approvalRules": {"nodes": [rule]},
        "externalStatusChecks": {"nodes": [{"name": "Scan", "externalUrl": "https://scan.example.test"}]},
    } == rules["v*"]
    assert [] == rules["main"]["approvalRules"]["nodes"]


def test_a_project_shows_topics_languages_and_sizes(fakeplat: Fakeplat) -> None:
    """Topics, languages and sizes are those of REST; sizes are for those who may read them."""
    query = "topics webPath languages { name share } statistics { commitCount repositorySize } openMergeRequestsCount"
    project = query_project(fakeplat, "mia", query)
    rest = fakeplat.as_user("mia").get("projects/acme%2Fsite", params={"statistics": True}).json()
    languages = fakeplat.as_user("mia").get("projects/acme%2Fsite/languages").json()
    opened = fakeplat.as_user("mia").get("projects/acme%2Fsite/merge_requests", params={"state": "opened"}).json()

    assert (["web"], "/acme/site") == (project["topics"], project["webPath"])
    assert len(opened) == project["openMergeRequestsCount"]
    assert languages == {row["name"]: row["share"] for row in project["languages"]}
    assert rest["statistics"]["commit_count"] == project["statistics"]["commitCount"]
    assert rest["statistics"]["repository_size"] == project["statistics"]["repositorySize"]
