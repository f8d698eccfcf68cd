"""python-gitlab plans: issues are moved, linked, watched and timed; boards, activity and searches are looked at."""

from collections.abc import Iterator
from typing import Any

import gitlab
import pytest
from gitlab.v4.objects import Project

from fakeplat.domain.ci import pipelines

ALL = {"get_all": True}


@pytest.fixture
def client(fakeplat: Any) -> Iterator[gitlab.Gitlab]:
    """The owner of acme."""
    with gitlab.Gitlab(fakeplat.url, private_token=fakeplat.token("ada")) as signed_in:
        yield signed_in


@pytest.fixture
def site(client: gitlab.Gitlab) -> Project:
    return client.projects.get("acme/site")


def test_an_issue_is_moved(client: gitlab.Gitlab, site: Project) -> None:
    """Moving an issue creates the new one and closes the old one, which refers to it."""
    docs = client.projects.get("acme/docs")
    issue = site.issues.create({"title": "Elsewhere"})
    iid = issue.iid
    issue.move(docs.id)
    left = site.issues.get(iid)

    assert ("closed", "Elsewhere") == (left.state, left.title)
    assert left.moved_to_id in [issue.id for issue in docs.issues.list(**ALL)]
    with pytest.raises(gitlab.GitlabUpdateError) as refused:
        left.move(docs.id)
    assert (400, "Cannot move issue due to insufficient permissions!") == (
        refused.value.response_code,
        refused.value.error_message,
    )


def test_time_is_tracked(site: Project) -> None:
    """Time estimates and spent time are set, added and reset."""
    issue = site.issues.create({"title": "Long work"})
    assert "3h 30m" == issue.time_estimate("3h30m")["human_time_estimate"]
    issue.add_spent_time("1h")
    assert 5_400 == issue.add_spent_time("30m")["total_time_spent"]
    stats = site.issues.get(issue.iid).time_stats()
    assert (12_600, 5_400, "1h 30m") == (
        stats["time_estimate"],
        stats["total_time_spent"],
        stats["human_total_time_spent"],
    )
    issue.reset_time_estimate()
    issue.reset_spent_time()
    assert {0, None} == set(site.issues.get(issue.iid).time_stats().values())


def test_issues_are_linked(client: gitlab.Gitlab, site: Project) -> None:
    """An issue link is seen from both issues and can be deleted."""
    docs = client.projects.get("acme/docs")
    here, there = site.issues.create({"title": "Here"}), docs.issues.create({"title": "There"})
    source, target = here.links.create(
        {"target_project_id": docs.id, "target_issue_iid": there.iid, "link_type": "blocks"}
    )
    (seen,) = there.links.list()

    assert (here.iid, there.iid) == (source.iid, target.iid)
    assert ("is_blocked_by", here.id) == (seen.link_type, seen.id)
    here.links.delete(seen.issue_link_id)
    assert [] == here.links.list()


def test_issues_are_watched_and_ordered(client: gitlab.Gitlab, site: Project, fakeplat: Any) -> None:
    """Issues are subscribed to, unsubscribed from and reordered, and list their participants."""
    first, second = (site.issues.create({"title": title, "description": "@dev"}) for title in ("A", "B"))
    with gitlab.Gitlab(fakeplat.url, private_token=fakeplat.token("gus")) as guest:
        watched = guest.projects.get("acme/site").issues.get(first.iid)
        watched.subscribe()
        before = watched.subscribed
        watched.unsubscribe()
        assert (True, False) == (before, watched.subscribed)
    second.reorder(move_after_id=first.id)
    order = [issue.title for issue in site.issues.list(order_by="relative_position", sort="asc", **ALL)]

    assert order.index("B") < order.index("A")
    assert ["ada", "dev"] == [person["username"] for person in first.participants()]


def test_histories_are_told(site: Project) -> None:
    """An issue lists its label, milestone and state events."""
    milestone = site.milestones.list(get_all=True)[0]
    issue = site.issues.create({"title": "Busy", "labels": ["bug"], "milestone_id": milestone.id})
    issue.state_event = "close"
    issue.save()

    assert ["bug"] == [event.label["name"] for event in issue.resourcelabelevents.list(**ALL)]
    assert ["add"] == [event.action for event in issue.resourcemilestoneevents.list(**ALL)]
    (event,) = issue.resourcestateevents.list(**ALL)
    assert "closed" == issue.resourcestateevents.get(event.id).state


def test_a_board_is_set_up(client: gitlab.Gitlab, site: Project) -> None:
    """Boards and lists of a project and a group are created, moved and deleted."""
    board = site.boards.create({"name": "Work"})
    labels = [site.labels.get(name) for name in ("bug", "docs")]
    lists = [board.lists.create({"label_id": label.id}) for label in labels]
    lists[1].position = 0
    lists[1].save()
    assert ["docs", "bug"] == [board_list.label["name"] for board_list in board.lists.list(**ALL)]
    lists[0].delete()
    board.name = "Play"
    board.save()
    assert [("Play", 1)] == [(row.name, len(row.attributes["lists"])) for row in site.boards.list(**ALL)]
    board.delete()

    acme = client.groups.get("acme")
    acme.boards.create({"name": "All"})
    assert ["All"] == [row.name for row in acme.boards.list(**ALL)]


def test_activity_is_listed(client: gitlab.Gitlab, site: Project) -> None:
    """Events are listed for the caller, a user and a project."""
    issue = site.issues.create({"title": "Seen"})
    issue.notes.create({"body": "Well"})
    names = ["commented on", "opened"]

    assert names == [event.action_name for event in site.events.list(**ALL)]
    assert names == [event.action_name for event in client.events.list(**ALL)]
    user = client.users.list(username="ada", get_all=True)[0]
    assert ["opened"] == [event.action_name for event in user.events.list(action="created", **ALL)]


def test_everything_is_searched(client: gitlab.Gitlab, site: Project) -> None:
    """Issues are found by search everywhere, in a group and in a project."""
    site.issues.create({"title": "A particular thing"})

    for container in (client, client.groups.get("acme"), site):
        assert ["A particular thing"] == [issue["title"] for issue in container.search("issues", "particular", **ALL)]
    assert ["site"] == [project["path"] for project in client.search("projects", "site", **ALL)]
    with pytest.raises(gitlab.GitlabSearchError) as refused:
        client.search("nothing", "x")
    assert "scope does not have a valid value" == refused.value.error_message


def test_somebody_is_let_in(client: gitlab.Gitlab, fakeplat: Any) -> None:
    """An access request that the owner approves makes a member with the given level."""
    with gitlab.Gitlab(fakeplat.url, private_token=fakeplat.token("eve")) as stranger:
        stranger.projects.get("acme/docs").accessrequests.create({})
    docs = client.projects.get("acme/docs")
    (request,) = docs.accessrequests.list(**ALL)
    request.approve(access_level=20)

    assert 20 == docs.members.get(request.id).access_level


def test_badges_and_notifications_are_set(client: gitlab.Gitlab, site: Project) -> None:
    """Badges and notification settings are created or changed and saved."""
    badge = site.badges.create({"link_url": "https://x.test/%{project_path}", "image_url": "https://x.test/i.svg"})
    assert "https://x.test/acme/site" == badge.rendered_link_url
    badge.image_url = "https://x.test/j.svg"
    badge.save()
    assert ["https://x.test/j.svg"] == [row.image_url for row in site.badges.list(**ALL)]
    badge.delete()
    for owner in (client, site):
        settings = owner.notificationsettings.get()
        settings.level = "watch"
        settings.save()
        assert "watch" == owner.notificationsettings.get().level


@pytest.mark.fakeplat(tier="premium")
def test_approvals_are_asked_for(client: gitlab.Gitlab, site: Project, fakeplat: Any) -> None:
    """Approval rules are created, listed and deleted, and approvals count what is left."""
    people = {user.username: user.id for user in client.users.list(**ALL)}
    rule = site.approvalrules.create({"name": "Look", "approvals_required": 1, "user_ids": [people["mia"]]})
    assert ["mia"] == [approver["username"] for approver in rule.eligible_approvers]
    assert ["Look"] == [row.name for row in site.approvalrules.list(**ALL)]
    assert 0 == site.approvals.get().approvals_before_merge

    asked = site.mergerequests.get(1)
    own = asked.approval_rules.create(
        {"name": "Both", "approvals_required": 2, "user_ids": [people["mia"], people["ada"]]}
    )
    assert [(own.id, 2)] == [(row.id, row.approvals_required) for row in asked.approval_rules.list(**ALL)]
    assert (2, ["Both"]) == _get_approvals_left(asked)
    with pytest.raises(gitlab.GitlabMRClosedError) as refused:
        asked.merge()
    assert (406, "Branch cannot be merged") == (refused.value.response_code, refused.value.error_message)
    with gitlab.Gitlab(fakeplat.url, private_token=fakeplat.token("mia")) as mia:
        mia.projects.get("acme/site").mergerequests.get(1).approve()
    assert (1, ["Both"]) == _get_approvals_left(asked)
    asked.approve()
    assert (0, []) == _get_approvals_left(asked)
    assert "merged" == asked.merge()["state"]
    rule.delete()
    assert [] == site.approvalrules.list(**ALL)


def _get_approvals_left(asked: Any) -> tuple[int, list[str]]:
    approvals = asked.approvals.get()
    return approvals.approvals_left, [rule["name"] for rule in approvals.approval_rules_left]


def test_a_bot_waits_for_the_pipeline(client: gitlab.Gitlab, site: Project, fakeplat: Any) -> None:
    """A merge request that is set to merge when its pipeline succeeds is merged then."""
    running = {"ref": "feature", "status": "running", "user": "dev"}
    fakeplat.load({"projects": [{"path_with_namespace": "acme/site", "pipelines": [running]}]})
    asked = site.mergerequests.get(1)
    (pipeline,) = asked.pipelines.list(**ALL)
    assert ("running", pipeline.id, "dev") == (
        pipeline.status,
        asked.head_pipeline["id"],
        asked.head_pipeline["user"]["username"],
    )
    asked.merge(merge_when_pipeline_succeeds=True)
    assert site.mergerequests.get(1).merge_when_pipeline_succeeds is True
    asked.cancel_merge_when_pipeline_succeeds()
    assert site.mergerequests.get(1).merge_when_pipeline_succeeds is False
    site.mergerequests.get(1).merge(merge_when_pipeline_succeeds=True)
    with fakeplat.bench.platform.acting() as ctx:
        pipelines.set_status(ctx, ctx.world.pipelines[pipeline.id], "success")

    assert ("merged", "success") == (
        site.mergerequests.get(1).state,
        site.commits.get(asked.sha).last_pipeline["status"],
    )
    with pytest.raises(gitlab.GitlabCreateError) as nothing_to_run:
        site.mergerequests.get(2).pipelines.create()
    assert 405 == nothing_to_run.value.response_code


@pytest.mark.fakeplat(tier="premium")
def test_boards_list_people_and_milestones(client: gitlab.Gitlab, site: Project) -> None:
    """Board lists can belong to an assignee or a milestone, and a group can have several boards."""
    board = site.boards.create({"name": "People"})
    me, milestone = client.users.list(username="ada", get_all=True)[0], site.milestones.list(get_all=True)[0]
    board.lists.create({"assignee_id": me.id})
    board.lists.create({"milestone_id": milestone.id})
    person, plan = board.lists.list(**ALL)
    assert ("ada", milestone.title) == (person.assignee["username"], plan.milestone["title"])
    board.weight = 3
    board.save()
    assert 3 == site.boards.get(board.id).weight

    acme = client.groups.get("acme")
    for name in ("One", "Two"):
        acme.boards.create({"name": name})
    assert ["One", "Two"] == [row.name for row in acme.boards.list(**ALL)]
