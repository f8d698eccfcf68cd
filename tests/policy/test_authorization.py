from typing import Any

import pytest

from fakeplat.model.people import Level
from fakeplat.model.projects import FEATURES
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can, can_see, decide, is_feature_open
from tests.worlds import ROLES, Site

LADDER = [*ROLES, "owner"]
"""The roles, rising; a user of each name has that role in the group ``team``."""

VIEWERS = ["nobody", "external", "external_guest", "signed_in", *LADDER, "root"]


def team(visibility: str = "private", **project: Any) -> Site:
    """A group ``team`` with its project ``team/work``, a user of each role, and others who have none."""
    site = Site()
    for username in VIEWERS[1:-1]:
        site.user(username, external=username.startswith("external"))
    site.group("team", visibility=visibility)
    site.project("team/work", visibility=visibility, **project)
    for username, level in {**ROLES, "owner": Level.OWNER, "external_guest": Level.GUEST}.items():
        site.member("team", username, level)
    return site


def get_username(viewer: str) -> str | None:
    return None if viewer == "nobody" else viewer


SEEN = {
    "public": VIEWERS,
    "internal": ["external_guest", "signed_in", *LADDER, "root"],
    "private": ["external_guest", *LADDER, "root"],
}
"""Who sees what, by visibility: external users are not 'any logged-in user'."""


@pytest.mark.parametrize("viewer", VIEWERS)
@pytest.mark.parametrize("visibility", SEEN)
def test_who_cannot_see_a_container_gets_404(visibility: str, viewer: str) -> None:
    """A project or group that the viewer cannot see by its visibility gets 404."""
    site = team(visibility)
    visible = viewer in SEEN[visibility]
    for target, kind, full_path in (("projects/team%2Fwork", "Project", "team/work"), ("groups/team", "Group", "team")):
        answer = site.get(target, get_username(viewer))
        assert visible == can_see(site.context(get_username(viewer)), site.place(full_path))
        if visible:
            assert 200 == answer.status
        else:
            assert (404, {"message": f"404 {kind} Not Found"}) == answer.outcome


@pytest.mark.parametrize("viewer", VIEWERS)
@pytest.mark.parametrize("visibility", SEEN)
def test_a_list_shows_what_single_reads_show(visibility: str, viewer: str) -> None:
    """The list of projects contains a project exactly if the viewer can see it."""
    listed = team(visibility).get("projects", get_username(viewer)).json
    assert (viewer in SEEN[visibility]) == bool(listed)


@pytest.mark.parametrize(("viewer", "visible"), [("signed_in", True), ("external", False), ("nobody", False)])
def test_who_belongs_below_a_group_sees_it(viewer: str, visible: bool) -> None:
    """A member of a subgroup sees the groups above it, and nobody else does."""
    site = team()
    site.group("team/part", visibility="private")
    site.member("team/part", "signed_in", Level.GUEST)
    assert visible == can_see(site.context(get_username(viewer)), site.place("team"))


@pytest.mark.parametrize(("viewer", "visible"), [("signed_in", True), ("external", False), ("nobody", False)])
def test_who_belongs_to_a_group_that_a_thing_is_shared_with_sees_it(viewer: str, visible: bool) -> None:
    """Members of a group that a private project is shared with can see the project."""
    site = team()
    site.group("friends", owner="signed_in")
    site.share("team/work", "friends", Level.GUEST)
    assert visible == can_see(site.context(get_username(viewer)), site.place("team/work"))


def test_user_namespaces_are_seen_by_all_and_read_by_their_owner() -> None:
    """A user's namespace is shown to the user and to administrators, and is 404 for others."""
    site = team()
    outcomes = {viewer: site.get("namespaces/guest", viewer).status for viewer in ("guest", "owner", "root")}
    assert {"guest": 200, "owner": 404, "root": 200} == outcomes


@pytest.mark.parametrize("viewer", VIEWERS[1:])
def test_a_groups_namespace_is_for_its_members(viewer: str) -> None:
    """The namespace of a public group is 404 for users who are not members."""
    answer = team("public").get("namespaces/team", viewer)
    if viewer in ("external", "signed_in"):
        assert (404, {"message": "404 Namespace Not Found"}) == answer.outcome
    else:
        assert 200 == answer.status


# abilities


def list_allowed(site: Site, ability: Ability, container: str) -> list[str]:
    subject = site.place(container)
    return [viewer for viewer in VIEWERS if can(site.context(get_username(viewer)), ability, subject)]


@pytest.mark.parametrize(
    ("ability", "container", "lowest"),
    [
        (Ability.READ_STATISTICS, "team/work", "reporter"),
        (Ability.ADMIN_PROJECT, "team/work", "maintainer"),
        (Ability.ADMIN_MEMBERS, "team/work", "maintainer"),
        (Ability.CHANGE_VISIBILITY, "team/work", "owner"),
        (Ability.ARCHIVE_PROJECT, "team/work", "owner"),
        (Ability.REMOVE_PROJECT, "team/work", "owner"),
        (Ability.ADMIN_MEMBERS, "team", "owner"),
        (Ability.ADMIN_GROUP, "team", "owner"),
    ],
)
def test_an_ability_begins_with_a_role(ability: Ability, container: str, lowest: str) -> None:
    """An ability is granted to its lowest role, all roles above and administrators, and to nobody below."""
    assert [*LADDER[LADDER.index(lowest) :], "root"] == list_allowed(team("public"), ability, container)


@pytest.mark.parametrize(
    "ability", [Ability.ADMIN_USERS, Ability.READ_CUSTOM_ATTRIBUTE, Ability.UPDATE_CUSTOM_ATTRIBUTE]
)
def test_some_abilities_are_for_administrators_alone(ability: Ability) -> None:
    """Only administrators may administer users and read or change custom attributes."""
    assert ["root"] == list_allowed(team("public"), ability, "team/work")


@pytest.mark.parametrize("ability", [Ability.STAR_PROJECT, Ability.UPLOAD_FILE])
@pytest.mark.parametrize("visibility", SEEN)
def test_some_abilities_are_for_every_reader_who_is_signed_in(ability: Ability, visibility: str) -> None:
    """Some abilities are granted to every signed-in user who can see the project."""
    expected = [viewer for viewer in SEEN[visibility] if viewer != "nobody"]
    assert expected == list_allowed(team(visibility), ability, "team/work")


@pytest.mark.parametrize(
    ("needed", "expected"),
    [
        ("developer", ["developer", "maintainer", "owner", "root"]),
        ("maintainer", ["maintainer", "owner", "root"]),
        ("noone", []),
    ],
)
def test_a_group_says_who_may_create_projects_in_it(needed: str, expected: list[str]) -> None:
    """``project_creation_level`` sets the lowest role that can create projects; noone allows nobody."""
    site = team()
    group = site.group("made", visibility="private", project_creation_level=needed)
    for username, level in {**ROLES, "owner": Level.OWNER}.items():
        site.member("made", username, level)
    assert expected == list_allowed(site, Ability.CREATE_PROJECTS, "made")
    answer = site.ask("POST", "projects", "reporter", json={"name": "x", "namespace_id": group.id})
    assert (400, {"message": {"namespace": ["is not valid"]}}) == answer.outcome


def test_a_ruling_says_why() -> None:
    """The reason of a refusal names the ability, the required level, and the user with the actual one."""
    site = team()
    ruling = decide(site.context("developer"), Ability.ARCHIVE_PROJECT, site.place("team/work"))
    assert not ruling.allowed
    assert all(word in ruling.reason for word in ("archive_project", "Owner", "Developer", "developer"))


# features


OPEN = {
    "enabled": VIEWERS,
    "private": ["external_guest", *LADDER, "root"],
    "disabled": [],
}
"""Who meets a feature of a public project, by its access level."""


@pytest.mark.parametrize("access", OPEN)
@pytest.mark.parametrize("feature", FEATURES)
def test_a_feature_is_open_to_whom_its_access_level_says(feature: str, access: str) -> None:
    """An enabled feature is open to all who see the project, a private one to members, a disabled one to nobody."""
    site = team("public", **{f"{feature}_access_level": access})
    project = site.place("team/work")
    assert OPEN[access] == [
        who for who in VIEWERS if is_feature_open(site.context(get_username(who)), project, feature)
    ]


@pytest.mark.parametrize("access", OPEN)
def test_the_switches_of_a_project_are_the_viewers_own(access: str) -> None:
    """``issues_enabled`` and the link to issues are shown if the feature is open to the viewer."""
    site = team("public", issues_access_level=access)
    for viewer in VIEWERS[1:]:
        project = site.get("projects/team%2Fwork", viewer).json
        open_to_viewer = viewer in OPEN[access]
        assert (open_to_viewer, open_to_viewer) == (project["issues_enabled"], "issues" in project["_links"])


# archived projects


@pytest.mark.parametrize("ability", [Ability.UPLOAD_FILE, Ability.CREATE_MERGE_REQUEST_IN])
def test_an_archived_project_is_read_only(ability: Ability) -> None:
    """An ability to write is denied to everybody in an archived project, also to the owner and administrators."""
    assert VIEWERS[1:] == list_allowed(team("public"), ability, "team/work")
    assert [] == list_allowed(team("public", archived=True), ability, "team/work")


@pytest.mark.parametrize(
    "ability", [Ability.READ_PROJECT, Ability.READ_STATISTICS, Ability.ARCHIVE_PROJECT, Ability.REMOVE_PROJECT]
)
def test_an_archived_project_can_be_read_unarchived_and_removed(ability: Ability) -> None:
    """Archiving a project leaves the abilities to read, unarchive and remove it."""
    assert list_allowed(team("public"), ability, "team/work") == list_allowed(
        team("public", archived=True), ability, "team/work"
    )


@pytest.mark.parametrize("viewer", ["maintainer", "owner", "root"])
def test_writing_to_an_archived_project_is_forbidden(viewer: str) -> None:
    """Writing to an archived project gets 403, and succeeds after it is unarchived."""
    site = team(archived=True)
    body = b'--X\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\na\r\n--X--\r\n'
    headers = {"content-type": "multipart/form-data; boundary=X"}

    def upload() -> Any:
        return site.ask("POST", "projects/team%2Fwork/uploads", viewer, headers=headers, body=body)

    assert (403, {"message": "403 Forbidden"}) == upload().outcome
    assert 201 == site.ask("POST", "projects/team%2Fwork/unarchive", "owner").status
    assert 201 == upload().status
