"""Who has which ability, written by hand from the platform's policies of projects and groups, complete over `May`."""

from typing import Any

import pytest

from fakeplat.policy.abilities import May
from fakeplat.policy.rulings import can
from tests.policy.test_rulings import LADDER, SEEN, VIEWERS, by, team

WHO = {
    "anyone": VIEWERS,
    "signed in": VIEWERS[1:],
    "guest": ["external_guest", *LADDER, "root"],
    **{role: [*LADDER[LADDER.index(role) :], "root"] for role in ("reporter", "developer", "maintainer", "owner")},
    "administrator": ["root"],
    "none": [],
}

ON_PROJECTS = {
    # ability: on a private project, on a public project
    May.READ_PROJECT: ("guest", "anyone"),
    May.READ_MEMBERS: ("guest", "anyone"),
    May.READ_STATISTICS: ("reporter", "reporter"),
    May.READ_CUSTOM_ATTRIBUTE: ("administrator", "administrator"),
    May.UPDATE_CUSTOM_ATTRIBUTE: ("administrator", "administrator"),
    May.STAR_PROJECT: ("guest", "signed in"),
    May.UPLOAD_FILE: ("guest", "signed in"),
    May.ADMIN_PROJECT: ("maintainer", "maintainer"),
    May.RENAME_PROJECT: ("owner", "owner"),
    May.CHANGE_VISIBILITY: ("owner", "owner"),
    May.CHANGE_NAMESPACE: ("owner", "owner"),
    May.ARCHIVE_PROJECT: ("owner", "owner"),
    May.REMOVE_PROJECT: ("owner", "owner"),
    May.ADMIN_MEMBERS: ("maintainer", "maintainer"),
    May.CREATE_MERGE_REQUEST_IN: ("guest", "signed in"),
    May.CREATE_MERGE_REQUEST_FROM: ("developer", "developer"),
    May.READ_MERGE_REQUESTS: ("reporter", "anyone"),
    May.UPDATE_MERGE_REQUEST: ("developer", "developer"),
    May.ADMIN_MERGE_REQUEST: ("developer", "developer"),
    May.DESTROY_MERGE_REQUEST: ("owner", "owner"),
    May.READ_ISSUES: ("guest", "anyone"),
    May.CREATE_ISSUE: ("guest", "signed in"),
    May.UPDATE_ISSUE: ("reporter", "reporter"),
    May.ADMIN_ISSUE: ("reporter", "reporter"),
    May.SET_ISSUE_TIMES: ("owner", "owner"),
    May.DESTROY_ISSUE: ("owner", "owner"),
    May.CREATE_NOTE: ("guest", "signed in"),
    May.ADMIN_NOTE: ("maintainer", "maintainer"),
    May.RESOLVE_NOTE: ("developer", "developer"),
    May.READ_CONFIDENTIAL_NOTES: ("reporter", "reporter"),
    May.SET_NOTE_TIMES: ("owner", "owner"),
    May.AWARD_EMOJI: ("guest", "signed in"),
    May.READ_USER_AGENT: ("administrator", "administrator"),
    May.READ_BOARD: ("guest", "anyone"),
    May.ADMIN_BOARD: ("reporter", "reporter"),
    May.ADMIN_BOARD_LIST: ("reporter", "reporter"),
    May.ADMIN_BADGE: ("maintainer", "maintainer"),
    May.READ_LABEL: ("guest", "anyone"),
    May.ADMIN_LABEL: ("reporter", "reporter"),
    May.READ_MILESTONE: ("guest", "anyone"),
    May.ADMIN_MILESTONE: ("developer", "developer"),
    May.DOWNLOAD_CODE: ("reporter", "anyone"),
    May.PUSH_CODE: ("developer", "developer"),
    May.ADMIN_PROTECTED: ("maintainer", "maintainer"),
    May.READ_PIPELINE: ("guest", "anyone"),
    May.CREATE_PIPELINE: ("developer", "developer"),
    May.UPDATE_APPROVERS: ("maintainer", "maintainer"),
    May.READ_SNIPPETS: ("guest", "anyone"),
    May.READ_PRIVATE_SNIPPETS: ("guest", "guest"),
    May.CREATE_SNIPPET: ("reporter", "reporter"),
    May.UPDATE_SNIPPET: ("maintainer", "maintainer"),
    May.FORK_PROJECT: ("reporter", "signed in"),
    May.REMOVE_FORK: ("owner", "owner"),
    May.ADMIN_SERVICES: ("maintainer", "maintainer"),
    May.READ_ALERT: ("developer", "developer"),
    May.UPDATE_ALERT: ("developer", "developer"),
    May.SEND_TEST_ALERT: ("developer", "developer"),
}
ON_GROUPS = {
    # ability: on a private group, on a public group
    May.READ_MEMBERS: ("guest", "anyone"),
    May.ADMIN_MEMBERS: ("owner", "owner"),
    May.CREATE_PROJECTS: ("developer", "developer"),
    May.READ_ISSUES: ("guest", "anyone"),
    May.READ_BOARD: ("guest", "anyone"),
    May.ADMIN_BOARD: ("reporter", "reporter"),
    May.ADMIN_BOARD_LIST: ("reporter", "reporter"),
    May.ADMIN_BADGE: ("owner", "owner"),
    May.READ_LABEL: ("guest", "anyone"),
    May.ADMIN_LABEL: ("reporter", "reporter"),
    May.READ_MILESTONE: ("guest", "anyone"),
    May.ADMIN_MILESTONE: ("developer", "developer"),
    May.COUNT_MEMBERS: ("maintainer", "maintainer"),
    May.CREATE_SUBGROUP: ("maintainer", "maintainer"),
    May.READ_GROUP: ("guest", "anyone"),
    May.ADMIN_GROUP: ("owner", "owner"),
    May.READ_NAMESPACE: ("guest", "guest"),
    May.ADMIN_NAMESPACE: ("owner", "owner"),
}
ON_THE_INSTANCE = {
    "read_custom_attribute": "administrator",
    "update_custom_attribute": "administrator",
    "read_user_agent_detail": "administrator",
    "create_group": "signed in",
    "update_namespace": "administrator",
    "set_shared_runners_minutes_limit": "administrator",
    "admin_users": "administrator",
    "read_user": "anyone",
}
CLOSED_WITH = {
    # feature, and what nobody has without it
    "issues": {
        May.READ_ISSUES,
        May.CREATE_ISSUE,
        May.UPDATE_ISSUE,
        May.ADMIN_ISSUE,
        May.DESTROY_ISSUE,
        May.READ_BOARD,
        May.ADMIN_BOARD,
        May.ADMIN_BOARD_LIST,
    },
    "merge_requests": {
        May.CREATE_MERGE_REQUEST_IN,
        May.CREATE_MERGE_REQUEST_FROM,
        May.READ_MERGE_REQUESTS,
        May.UPDATE_MERGE_REQUEST,
        May.ADMIN_MERGE_REQUEST,
        May.DESTROY_MERGE_REQUEST,
    },
    "repository": {May.DOWNLOAD_CODE, May.PUSH_CODE},
    "builds": {May.READ_PIPELINE, May.CREATE_PIPELINE},
    "snippets": {May.READ_SNIPPETS, May.READ_PRIVATE_SNIPPETS, May.CREATE_SNIPPET, May.UPDATE_SNIPPET},
    "forking": {May.FORK_PROJECT},
}
PLANNED = {May.READ_LABEL, May.ADMIN_LABEL, May.READ_MILESTONE, May.ADMIN_MILESTONE}
"""What nobody has without both issues and merge requests."""


def holders(site: Any, may: May, place: Any) -> list[str]:
    """The viewers who have an ability."""
    return [viewer for viewer in VIEWERS if can(site.context(by(viewer)), may, place)]


def test_every_ability_has_its_holders() -> None:
    """A new ability says by hand who has it."""
    assert set() == {may for may in May if may.value not in ON_THE_INSTANCE} - {*ON_PROJECTS} - {*ON_GROUPS}


@pytest.mark.parametrize("may", ON_PROJECTS, ids=lambda may: may.value)
def test_who_has_an_ability_on_a_project(may: May) -> None:
    """The same role on private and on public projects, but where seeing a public one is enough."""
    private, public = ON_PROJECTS[may]
    for visibility, who in (("private", private), ("public", public)):
        site = team(visibility)
        assert (visibility, WHO[who]) == (visibility, holders(site, may, site.place("team/work")))


@pytest.mark.parametrize("may", ON_GROUPS, ids=lambda may: may.value)
def test_who_has_an_ability_on_a_group(may: May) -> None:
    """Groups grant abilities of their own."""
    private, public = ON_GROUPS[may]
    for visibility, who in (("private", private), ("public", public)):
        site = team(visibility)
        assert (visibility, WHO[who]) == (visibility, holders(site, may, site.place("team")))


@pytest.mark.parametrize("may", [may for may in May if may.value in ON_THE_INSTANCE], ids=lambda may: may.value)
def test_who_has_an_ability_on_the_instance(may: May) -> None:
    """What concerns no project and no group is for administrators, for who is signed in or for all."""
    assert WHO[ON_THE_INSTANCE[may.value]] == holders(team(), may, None)


@pytest.mark.parametrize("feature", CLOSED_WITH)
def test_a_disabled_feature_takes_its_abilities_away(feature: str) -> None:
    """From everybody, and from no other ability; members alone keep them where it is private."""
    disabled, private, enabled = (
        team("public", **{f"{feature}_access_level": level}) for level in ("disabled", "private", "enabled")
    )
    for may in ON_PROJECTS:
        before = holders(enabled, may, enabled.place("team/work"))
        closed = may in CLOSED_WITH[feature]
        members = [viewer for viewer in before if viewer in SEEN["private"]]
        assert (may, [] if closed else before) == (may, holders(disabled, may, disabled.place("team/work")))
        if not closed:
            assert (may, before) == (may, holders(private, may, private.place("team/work")))
        elif may not in (May.READ_MERGE_REQUESTS, May.DOWNLOAD_CODE, May.FORK_PROJECT):
            assert (may, members) == (may, holders(private, may, private.place("team/work")))


@pytest.mark.parametrize("feature", ["merge_requests", "repository", "forking"])
def test_a_private_feature_asks_for_a_role(feature: str) -> None:
    """On a public project too: Reporter reads merge requests and code, and forks."""
    site = team("public", **{f"{feature}_access_level": "private"})
    may = {
        "merge_requests": May.READ_MERGE_REQUESTS,
        "repository": May.DOWNLOAD_CODE,
        "forking": May.FORK_PROJECT,
    }[feature]
    assert WHO["reporter"] == holders(site, may, site.place("team/work"))


@pytest.mark.parametrize("may", sorted(PLANNED, key=lambda may: may.value), ids=lambda may: may.value)
def test_labels_and_milestones_need_issues_or_merge_requests(may: May) -> None:
    """One of the two features is enough."""
    levels = {"issues_access_level": "disabled", "merge_requests_access_level": "disabled"}
    expected = WHO[ON_PROJECTS[may][1]]
    for enabled in levels:
        site = team("public", **{**levels, enabled: "enabled"})
        assert expected == holders(site, may, site.place("team/work"))
    site = team("public", **levels)
    assert [] == holders(site, may, site.place("team/work"))


@pytest.mark.parametrize(
    ("public_builds", "private", "public"), [(True, "guest", "anyone"), (False, "reporter", "reporter")]
)
def test_private_builds_are_for_reporters(public_builds: bool, private: str, public: str) -> None:
    """Without public builds Reporter reads pipelines, even of public projects."""
    for visibility, who in (("private", private), ("public", public)):
        site = team(visibility, public_builds=public_builds)
        assert WHO[who] == holders(site, May.READ_PIPELINE, site.place("team/work"))


@pytest.mark.parametrize(("level", "lowest"), [("maintainer", "maintainer"), ("owner", "owner")])
def test_a_group_says_who_creates_subgroups(level: str, lowest: str) -> None:
    """``subgroup_creation_level`` names the lowest role."""
    site = team()
    with site.platform.acting() as cx:
        cx.world.namespaces.change(site.place("team"), subgroup_creation_level=level)
    assert WHO[lowest] == holders(site, May.CREATE_SUBGROUP, site.place("team"))
