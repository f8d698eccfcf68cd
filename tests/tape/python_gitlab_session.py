"""A session of python-gitlab with the starter scenario, as recorded in tests/tapes."""

from contextlib import suppress
from typing import Any

import gitlab
from gitlab.base import RESTObject
from gitlab.exceptions import GitlabError
from gitlab.v4.objects import Project

DEVELOPER = 30


def drive(url: str) -> None:
    """Read and write as several users."""
    ada, root = (gitlab.Gitlab(url, private_token=f"{name}-token") for name in ("ada", "root"))
    ada.auth()
    ada.version()
    _read(ada)
    _manage_issues(ada)
    _manage_projects(ada)
    _manage_repositories(ada)
    _manage_groups(ada)
    _manage_users(root)
    _cause_refusals(url, ada)


def reread(manager: Any, record: RESTObject) -> RESTObject:
    """Get a record of a list by its id."""
    current = manager.get(record.get_id())
    assert isinstance(current, RESTObject)
    return current


def _read(client: gitlab.Gitlab) -> None:
    client.projects.list(get_all=True, order_by="id", pagination="keyset", per_page=2)
    client.projects.list(get_all=False, per_page=2, page=2)
    project = client.projects.get("acme/site")
    project.languages()
    project.users.list(get_all=True)
    project.members_all.list(get_all=True)
    for manager in (project.members, project.labels, project.milestones, project.issues):
        for record in manager.list(get_all=True):
            reread(manager, record)
    client.issues.list(get_all=True, scope="all", state="opened")
    client.issues_statistics.get(scope="all")
    client.namespaces.list(get_all=True)


def _manage_issues(client: gitlab.Gitlab) -> None:
    project, me = client.projects.get("acme/site"), client.user
    assert me is not None
    project.labels.create({"name": "later", "color": "#8899aa", "description": "Not now"})
    milestone = project.milestones.create({"title": "v9", "due_date": "2020-12-24"})
    issue = project.issues.create(
        {"title": "Found", "labels": ["later"], "assignee_ids": [me.id], "milestone_id": milestone.id}
    )
    issue.description = "- [x] seen\n- [ ] solved"
    issue.state_event = "close"
    issue.save()
    issue.time_stats()
    project.issues.list(milestone="v9", get_all=True, state="closed")
    milestone.issues(get_all=True)
    issue.delete()
    project.labels.delete("later")


def _manage_projects(client: gitlab.Gitlab) -> None:
    project = client.projects.create({"name": "Kept on tape", "visibility": "private", "description": "A project"})
    project.description = "Another text"
    project.save()
    member = project.members.create({"user_id": client.users.list(username="eve")[0].id, "access_level": DEVELOPER})
    member.access_level = 20
    member.save()
    project.star()
    client.http_list(f"/projects/{project.id}/starrers", get_all=True)
    project.unstar()
    project.archive()
    project.unarchive()
    project.members.delete(member.id)
    client.projects.get(project.id)


def _manage_repositories(client: gitlab.Gitlab) -> None:
    """Create a project with a history, all of which is on the tape."""
    client.projects.get("acme/site").protectedbranches.list(get_all=True)
    project = client.projects.create({"name": "Taped code"})
    with suppress(GitlabError):
        project.repository_tree()
    first = project.commits.create(
        {
            "branch": "master",
            "commit_message": "Begin",
            "actions": [
                {"action": "create", "file_path": "README.md", "content": "# Taped\n"},
                {"action": "create", "file_path": "src/main.py", "content": "print(1)\n"},
            ],
        }
    )
    project.branches.create({"branch": "topic", "ref": first.id})
    project.files.create(
        {"file_path": "src/more.py", "branch": "topic", "content": "print(2)\n", "commit_message": "Print more"}
    )
    file = project.files.get("src/main.py", ref="topic")
    file.content = "print(3)\n"
    file.save(branch="topic", commit_message="Print another", last_commit_id=file.last_commit_id)
    project.tags.create({"tag_name": "v1", "ref": first.short_id, "message": "First"})
    project.tags.create({"tag_name": "2020", "ref": "topic"})
    _read_commits(project, first.id)
    _read_content(project)
    _manage_protection(project)
    with suppress(GitlabError):
        project.branches.create({"branch": "topic", "ref": "nowhere"})
    with suppress(GitlabError):
        project.files.delete("src/none.py", branch="topic", commit_message="Remove")
    project.files.delete("src/more.py", branch="topic", commit_message="Print less")
    project.branches.delete("topic")
    project.tags.delete("2020")
    project.commits.list(get_all=True, all=True)
    client.projects.get(project.id)


def _read_commits(project: Project, first: str) -> None:
    listed = project.commits.list(get_all=True, ref_name="topic", with_stats=True)
    top = project.commits.get(listed[0].short_id)
    top.diff(get_all=True)
    top.refs(get_all=True)
    top.comments.create({"note": "Seen"})
    top.comments.list(get_all=True)
    project.commits.get(first).refs(type="tag", get_all=True)
    project.repository_compare(first, "topic")
    project.repository_merge_base(["master", top.id])
    top.cherry_pick(branch="master")
    project.commits.list(get_all=True, query_parameters={"path": "src/main.py"})


def _read_content(project: Project) -> None:
    for branch in project.branches.list(get_all=True):
        reread(project.branches, branch)
    for tag in project.tags.list(get_all=True):
        reread(project.tags, tag)
    tree = project.repository_tree(ref="topic", recursive=True, get_all=True)
    blob = next(entry["id"] for entry in tree if entry["type"] == "blob")
    project.repository_blob(blob)
    project.repository_raw_blob(blob)
    project.files.raw(file_path="src/main.py", ref="topic")
    project.files.blame(file_path="src/main.py", ref="topic")
    project.repository_contributors(get_all=True)
    project.repository_archive(format="zip")
    project.languages()


def _manage_protection(project: Project) -> None:
    project.protectedbranches.create({"name": "release/*", "push_access_level": 0, "merge_access_level": DEVELOPER})
    for branch in project.protectedbranches.list(get_all=True):
        reread(project.protectedbranches, branch)
    project.protectedtags.create({"name": "v*", "create_access_level": DEVELOPER})
    for tag in project.protectedtags.list(get_all=True):
        reread(project.protectedtags, tag)
    project.protectedbranches.delete("release/*")
    project.protectedtags.delete("v*")


def _manage_groups(client: gitlab.Gitlab) -> None:
    group = client.groups.create({"name": "Taped", "path": "taped", "visibility": "internal"})
    inner = client.groups.create({"name": "Inner", "path": "inner", "parent_id": group.id})
    inner.description = "Within"
    inner.save()
    client.projects.create({"name": "Deep", "namespace_id": inner.id})
    group.subgroups.list(get_all=True)
    group.descendant_groups.list(get_all=True)
    group.projects.list(get_all=True, include_subgroups=True)
    group.labels.create({"name": "shared", "color": "#112233"})
    group.milestones.create({"title": "All"})
    group.members.list(get_all=True)
    group.issues.list(get_all=True)
    inner.delete()


def _manage_users(client: gitlab.Gitlab) -> None:
    client.users.list(get_all=True)
    attributes = {"email": "zoe@example.test", "username": "zoe", "name": "Zoe", "password": "long enough for all"}
    user = client.users.create({**attributes, "skip_confirmation": True})
    user.customattributes.set("team", "red")
    user.customattributes.list(get_all=True)
    user.block()
    user.unblock()
    user.bio = "Taped"
    user.save()
    client.users.get(user.id)
    user.delete()


def _cause_refusals(url: str, client: gitlab.Gitlab) -> None:
    with suppress(GitlabError):
        gitlab.Gitlab(url, private_token="of-nobody-at-all").auth()
    with suppress(GitlabError):
        client.projects.get("acme/nothing")
    with suppress(GitlabError):
        client.users.create({"email": "a@example.test", "username": "a", "name": "A", "password": "long enough"})
    with suppress(GitlabError):
        client.projects.create({"name": ""})
