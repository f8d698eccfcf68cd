"""What a user of python-gitlab does with a server that holds the starter, as it stands in tests/tapes."""

from contextlib import suppress

import gitlab
from gitlab.exceptions import GitlabError

DEVELOPER = 30


def drive(url: str) -> None:
    """Read and write as several people."""
    ada, root = (gitlab.Gitlab(url, private_token=f"{name}-token") for name in ("ada", "root"))
    ada.auth()
    ada.version()
    _reads(ada)
    _issues(ada)
    _projects(ada)
    _groups(ada)
    _people(root)
    _refusals(url, ada)


def _reads(client: gitlab.Gitlab) -> None:
    client.projects.list(get_all=True, order_by="id", pagination="keyset", per_page=2)
    client.projects.list(get_all=False, per_page=2, page=2)
    project = client.projects.get("acme/site")
    project.languages()
    project.users.list(get_all=True)
    project.members_all.list(get_all=True)
    for manager in (project.members, project.labels, project.milestones, project.issues):
        for one in manager.list(get_all=True):
            manager.get(one.get_id())
    client.issues.list(get_all=True, scope="all", state="opened")
    client.issues_statistics.get(scope="all")
    client.namespaces.list(get_all=True)


def _issues(client: gitlab.Gitlab) -> None:
    project, me = client.projects.get("acme/site"), client.user
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


def _projects(client: gitlab.Gitlab) -> None:
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


def _groups(client: gitlab.Gitlab) -> None:
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


def _people(client: gitlab.Gitlab) -> None:
    client.users.list(get_all=True)
    made = {"email": "zoe@example.test", "username": "zoe", "name": "Zoe", "password": "long enough for all"}
    user = client.users.create({**made, "skip_confirmation": True})
    user.customattributes.set("team", "red")
    user.customattributes.list(get_all=True)
    user.block()
    user.unblock()
    user.bio = "Taped"
    user.save()
    client.users.get(user.id)
    user.delete()


def _refusals(url: str, client: gitlab.Gitlab) -> None:
    with suppress(GitlabError):
        gitlab.Gitlab(url, private_token="of-nobody-at-all").auth()
    with suppress(GitlabError):
        client.projects.get("acme/nothing")
    with suppress(GitlabError):
        client.users.create({"email": "a@example.test", "username": "a", "name": "A", "password": "long enough"})
    with suppress(GitlabError):
        client.projects.create({"name": ""})
