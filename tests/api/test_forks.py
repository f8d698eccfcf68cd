"""Forks. Source: docs/platform/projects.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.requests import (
    FORBIDDEN,
    LONG_AGO,
    STALE,
    UNAUTHORIZED,
    UNMODIFIED,
    outcome,
    paths,
    refusal,
    resource_not_found,
)

SITE, DOCS, KIT, NOTES = (
    f"projects/{path}" for path in ("acme%2Fsite", "acme%2Fdocs", "acme%2Ftools%2Fkit", "ada%2Fnotes")
)
NOT_FOUND = (404, {"message": "404 Not Found"})
NO_TARGET = resource_not_found("Target Namespace")
TAKEN = ["has already been taken"]
ALREADY = (409, {"message": "Project already forked"})


@pytest.fixture
def filled(fakeplat: Fakeplat) -> Fakeplat:
    """acme/docs with a branch, a tag and a description."""
    actions = [{"action": "create", "file_path": "a", "content": "a"}]
    ada = fakeplat.as_user("ada")
    ada.put(DOCS, json={"description": "What we know", "wiki_access_level": "disabled"})
    ada.post(
        f"{DOCS}/repository/commits",
        json={"branch": "feature", "start_branch": "master", "commit_message": "x", "actions": actions},
    )
    ada.post(f"{DOCS}/repository/tags", json={"tag_name": "v9", "ref": "feature"})
    return fakeplat


def create_fork(fake: Fakeplat, by: str = "eve", of: str = DOCS, **given: Any) -> Any:
    reply = fake.as_user(by).post(f"{of}/fork", json=given)
    assert 201 == reply.status, reply
    return reply.json()


def list_shas(fake: Fakeplat, project: str, what: str) -> dict[str, str]:
    rows = fake.as_user("root").get(f"{project}/repository/{what}").json()
    return {row["name"]: row["commit"]["id"] for row in rows}


# forking


def test_a_fork_is_scheduled_and_then_finished(filled: Fakeplat) -> None:
    """The answer shows the first state, the next look at it the last, with the parent's branches and tags."""
    new_fork = create_fork(filled)
    expected = {"path_with_namespace": "eve/docs", "import_status": "scheduled", "default_branch": None}
    assert expected == {name: new_fork[name] for name in expected}
    assert DOCS_PATH == new_fork["forked_from_project"]["path_with_namespace"]
    seen = filled.as_user("eve").get("projects/eve%2Fdocs").json()
    assert ("finished", "master", False) == (seen["import_status"], seen["default_branch"], seen["empty_repo"])
    for what in ("branches", "tags"):
        assert list_shas(filled, DOCS, what) == list_shas(filled, "projects/eve%2Fdocs", what) != {}


DOCS_PATH = "acme/docs"


@pytest.mark.parametrize(
    ("viewer", "namespace", "status"),
    [
        pytest.param("dev", "dev", 404, marks=pytest.mark.fakeplat(tier="premium"), id="outside"),
        pytest.param("mia", "acme/tools", 201, marks=pytest.mark.fakeplat(tier="premium"), id="inside"),
        pytest.param("root", "root", 201, marks=pytest.mark.fakeplat(tier="premium"), id="administrator"),
        pytest.param("dev", "dev", 201, id="free"),
    ],
)
def test_a_group_may_keep_forks_inside(fakeplat: Fakeplat, viewer: str, namespace: str, status: int) -> None:
    """With `prevent_forking_outside_group` only administrators fork projects out of a group."""
    fakeplat.load({"groups": [{"path": "acme", "prevent_forking_outside_group": True}]})
    reply = fakeplat.as_user(viewer).post(f"{SITE}/fork", json={"namespace": namespace, "path": "copy"})

    assert status == reply.status
    assert status == 201 or NO_TARGET == outcome(reply)


@pytest.mark.fakeplat(clock="virtual")
def test_a_fork_is_finished_by_time(filled: Fakeplat) -> None:
    """On the virtual clock a fork is finished by time, not by being read."""
    create_fork(filled)
    path = "projects/eve%2Fdocs"
    assert "scheduled" == filled.as_user("eve").get(path).json()["import_status"]
    filled.clock.advance("1s")
    assert "finished" == filled.as_user("eve").get(path).json()["import_status"]


def test_a_fork_is_like_its_parent(filled: Fakeplat) -> None:
    """A fork has its parent's name, description and features and a protected default branch."""
    parent, new_fork = filled.as_user("eve").get(DOCS).json(), create_fork(filled)
    alike = ("name", "path", "description", "visibility", "tag_list", "wiki_access_level", "lfs_enabled")
    assert {name: parent[name] for name in alike} == {name: new_fork[name] for name in alike}
    filled.settle()
    protected = filled.as_user("eve").get("projects/eve%2Fdocs/protected_branches").json()
    assert ["master"] == [branch["name"] for branch in protected]


def test_the_attributes_of_a_fork_can_be_chosen(filled: Fakeplat) -> None:
    """A fork takes the path, name, description and visibility that were sent."""
    given = {"path": "mine", "name": "My Docs", "description": "Mine", "visibility": "private"}
    new_fork = create_fork(filled, **given)
    assert given == {name: new_fork[name] for name in given}


@pytest.mark.parametrize(
    ("of", "wanted", "expected"),
    [(DOCS, None, "public"), (DOCS, "internal", "internal"), (KIT, "public", "internal"), (SITE, "public", "private")],
)
def test_a_fork_is_never_more_visible_than_its_parent(
    fakeplat: Fakeplat, of: str, wanted: str | None, expected: str
) -> None:
    """A new fork is at most as visible as its parent, whatever was sent."""
    given = {} if wanted is None else {"visibility": wanted}
    assert expected == create_fork(fakeplat, "ada", of, **given)["visibility"]


def test_a_fork_does_not_become_more_visible_later(fakeplat: Fakeplat) -> None:
    """Raising a fork's visibility above its parent's is refused."""
    create_fork(fakeplat, "ada", KIT)
    text = "public is not allowed since the fork source project has lower visibility."
    expected = (400, {"message": {"visibility_level": [text]}})
    assert expected == refusal(fakeplat, "ada", "PUT", "projects/ada%2Fkit", json={"visibility": "public"})


@pytest.mark.parametrize(
    "given",
    [
        {"namespace": "acme/tools"},
        {"namespace": "{tools}"},
        {"namespace_path": "acme/tools"},
        {"namespace_id": "{tools}"},
        {"namespace_id": "{tools}", "namespace_path": "acme", "namespace": "ada"},
        {"namespace_path": "acme/tools", "namespace": "ada"},
    ],
)
def test_the_namespace_of_a_fork_can_be_chosen(fakeplat: Fakeplat, given: dict[str, str]) -> None:
    """The namespace of a fork is given by path or id in three parameters."""
    tools = str(fakeplat.world.group("acme/tools").id)
    new_fork = create_fork(fakeplat, "ada", **{name: text.format(tools=tools) for name, text in given.items()})
    assert "acme/tools/docs" == new_fork["path_with_namespace"]


REFUSED = [
    ("nobody", None, DOCS, {}, UNAUTHORIZED),
    ("unseen", "eve", SITE, {}, resource_not_found("Project")),
    ("no right to the code", "gus", SITE, {}, NOT_FOUND),
    ("no such namespace", "eve", DOCS, {"namespace": "nowhere"}, resource_not_found("Namespace")),
    ("no such number", "eve", DOCS, {"namespace_id": 999_999}, resource_not_found("Namespace")),
    ("somebody else's namespace", "eve", DOCS, {"namespace_path": "ada"}, resource_not_found("Namespace")),
    ("a group without being a member", "eve", DOCS, {"namespace_path": "acme"}, resource_not_found("Namespace")),
    (
        "the id counts before the path",
        "ada",
        DOCS,
        {"namespace_path": "acme", "namespace_id": 1},
        resource_not_found("Namespace"),
    ),
    (
        "the path counts before the old name",
        "ada",
        DOCS,
        {"namespace_path": "no", "namespace": "ada"},
        resource_not_found("Namespace"),
    ),
    ("no right in the group", "rep", DOCS, {"namespace_path": "acme/tools"}, NO_TARGET),
    ("its own place", "ada", DOCS, {"namespace": "acme"}, (409, {"message": {"name": TAKEN, "path": TAKEN}})),
    (
        "no visibility",
        "eve",
        DOCS,
        {"visibility": "secret"},
        (400, {"error": "visibility does not have a valid value"}),
    ),
]


@pytest.mark.parametrize(("by", "of", "given", "expected"), [row[1:] for row in REFUSED], ids=[r[0] for r in REFUSED])
def test_refused_forks(fakeplat: Fakeplat, by: str | None, of: str, given: dict[str, Any], expected: Any) -> None:
    """A refused fork leaves the world unchanged."""
    assert expected == refusal(fakeplat, by, "POST", f"{of}/fork", json=given)


def test_forking_can_be_closed(fakeplat: Fakeplat) -> None:
    """Where forking is restricted, users who are no members get a 404."""
    fakeplat.as_user("ada").put(DOCS, json={"forking_access_level": "private"})
    assert NOT_FOUND == refusal(fakeplat, "eve", "POST", f"{DOCS}/fork")
    assert "rep/docs" == create_fork(fakeplat, "rep")["path_with_namespace"]


def test_a_second_fork_conflicts_with_the_first(fakeplat: Fakeplat) -> None:
    """A second fork into the same namespace answers 409 for its name and path."""
    create_fork(fakeplat)
    assert (409, {"message": {"name": TAKEN, "path": TAKEN}}) == refusal(fakeplat, "eve", "POST", f"{DOCS}/fork")


def test_the_limit_of_projects_holds_for_forks(fakeplat: Fakeplat) -> None:
    """The limit of projects applies to forks with the text for new projects."""
    fakeplat.load({"users": [{"username": "eve", "projects_limit": 0}]})
    text = "Personal project creation is not allowed. Please contact your administrator with questions"
    assert (409, {"message": {"limit_reached": [text]}}) == refusal(fakeplat, "eve", "POST", f"{DOCS}/fork")


def test_a_fork_fails_if_its_parent_is_deleted(fakeplat: Fakeplat) -> None:
    """A fork fails if its parent is deleted before the copy."""
    create_fork(fakeplat)
    fakeplat.as_user("ada").delete(DOCS)
    seen = fakeplat.as_user("eve").get("projects/eve%2Fdocs").json()
    assert ("failed", False) == (seen["import_status"], "forked_from_project" in seen)


@pytest.mark.fakeplat(tier="premium")
def test_a_fork_that_is_deleted_and_restored_is_finished(fakeplat: Fakeplat) -> None:
    """Taking a deletion back does not stop the copy."""
    ada, path = fakeplat.as_user("ada"), "projects/acme%2Ftools%2Fdocs"
    create_fork(fakeplat, "ada", namespace="acme/tools")
    assert [202, 201] == [ada.delete(path).status, ada.post(f"{path}/restore").status]
    assert "finished" == ada.get(path).json()["import_status"]


def test_a_fork_that_is_cut_off_is_finished(filled: Fakeplat) -> None:
    """Being no fork any more does not stop the copy."""
    create_fork(filled)
    assert 204 == filled.as_user("eve").delete("projects/eve%2Fdocs/fork").status
    seen = filled.as_user("eve").get("projects/eve%2Fdocs").json()
    assert ("finished", "master", False) == (
        seen["import_status"],
        seen["default_branch"],
        "forked_from_project" in seen,
    )


def test_a_branch_that_was_there_first_stays(filled: Fakeplat) -> None:
    """A branch pushed before the copy of a fork is kept."""
    create_fork(filled)
    actions = [{"action": "create", "file_path": "own", "content": "own"}]
    commit = {"branch": "feature", "commit_message": "own", "actions": actions}
    own = filled.as_user("eve").post("projects/eve%2Fdocs/repository/commits", json=commit).json()["id"]
    filled.settle()
    assert own == list_shas(filled, "projects/eve%2Fdocs", "branches")["feature"]
    assert {"feature", "master"} <= set(list_shas(filled, "projects/eve%2Fdocs", "branches"))


def test_parent_and_fork_go_their_own_ways(filled: Fakeplat) -> None:
    """A commit to one is none to the other, and cannot be seen there."""
    create_fork(filled)
    filled.settle()
    actions = [{"action": "create", "file_path": "secret", "content": "x"}]
    commit = {"branch": "master", "commit_message": "own", "actions": actions}
    sha = filled.as_user("eve").post("projects/eve%2Fdocs/repository/commits", json=commit).json()["id"]
    assert (
        sha
        == list_shas(filled, "projects/eve%2Fdocs", "branches")["master"]
        != list_shas(filled, DOCS, "branches")["master"]
    )
    assert resource_not_found("Commit") == outcome(filled.as_user("eve").get(f"{DOCS}/repository/commits/{sha}"))


# what is shown


def test_the_parent_counts_its_forks(fakeplat: Fakeplat) -> None:
    """A project counts its forks until they are deleted."""
    counts = [fakeplat.as_user("ada").get(DOCS).json()["forks_count"]]
    create_fork(fakeplat)
    counts.append(fakeplat.as_user("ada").get(DOCS).json()["forks_count"])
    fakeplat.as_user("eve").delete("projects/eve%2Fdocs")
    counts.append(fakeplat.as_user("ada").get(DOCS).json()["forks_count"])
    assert [0, 1, 0] == counts


def test_a_parent_is_shown_to_whom_it_is_visible(fakeplat: Fakeplat) -> None:
    """A fork that others see does not tell of a private parent."""
    create_fork(fakeplat, "ada", KIT)
    fakeplat.as_user("ada").put(KIT, json={"visibility": "private"})
    seen = {name: fakeplat.as_user(name).get("projects/ada%2Fkit").json() for name in ("ada", "eve")}
    assert (True, False) == ("forked_from_project" in seen["ada"], "forked_from_project" in seen["eve"])


def test_forks_are_listed(fakeplat: Fakeplat) -> None:
    """Visible forks are listed newest first with the filters of projects."""
    create_fork(fakeplat, "eve")
    create_fork(fakeplat, "ada", visibility="private")
    lists = {name: fakeplat.as_user(name).get(f"{DOCS}/forks") for name in (None, "eve", "ada")}
    assert [["eve/docs"], ["eve/docs"], ["ada/docs", "eve/docs"]] == [paths(reply) for reply in lists.values()]
    assert ["permissions" in reply.json()[0] for reply in lists.values()] == [False, True, True]
    assert ["ada/docs"] == paths(fakeplat.as_user("ada").get(f"{DOCS}/forks?owned=true"))
    assert [] == paths(fakeplat.as_user("eve").get(f"{SITE.replace('site', 'docs')}/forks?search=nothing"))


# the relation


def create_fork_relation(fake: Fakeplat, by: str = "ada", project: str = NOTES, source: str = "acme%2Fdocs") -> Any:
    return fake.as_user(by).post(f"{project}/fork/{source}")


def test_a_project_becomes_a_fork(fakeplat: Fakeplat) -> None:
    """A project becomes a fork with 201 and keeps its repository."""
    before = list_shas(fakeplat, NOTES, "branches")
    reply = create_fork_relation(fakeplat, source=str(fakeplat.world.project("acme/docs").id))
    assert (201, "acme/docs") == (reply.status, reply.json()["forked_from_project"]["path_with_namespace"])
    assert before == list_shas(fakeplat, NOTES, "branches")


def test_a_fork_is_no_fork_any_more(fakeplat: Fakeplat) -> None:
    """Deleting a fork relation answers 204, and 304 a second time."""
    create_fork_relation(fakeplat)
    assert (204, None) == outcome(fakeplat.as_user("ada").delete(f"{NOTES}/fork"))
    assert "forked_from_project" not in fakeplat.as_user("ada").get(NOTES).json()
    assert UNMODIFIED == refusal(fakeplat, "ada", "DELETE", f"{NOTES}/fork")


def test_a_fork_that_changed_since_stays_one(fakeplat: Fakeplat) -> None:
    """Deleting a fork relation honours If-Unmodified-Since."""
    create_fork_relation(fakeplat)
    assert STALE == refusal(fakeplat, "ada", "DELETE", f"{NOTES}/fork", headers=LONG_AGO)


def test_a_fork_has_one_parent(fakeplat: Fakeplat) -> None:
    """A fork has one parent, and no project is its own parent in any way."""
    create_fork_relation(fakeplat)
    assert ALREADY == refusal(fakeplat, "ada", "POST", f"{NOTES}/fork/acme%2Fsite")
    assert ALREADY == refusal(fakeplat, "ada", "POST", f"{DOCS}/fork/ada%2Fnotes")
    assert ALREADY == refusal(fakeplat, "ada", "POST", f"{SITE}/fork/acme%2Fsite")


RELATIONS = [
    ("POST", f"{SITE}/fork/acme%2Fdocs", [401, 404, 404, 403, 403, 403, 201, 201, 201]),
    ("DELETE", f"{SITE}/fork", [401, 404, 404, 403, 403, 403, 403, 304, 304]),
]


@pytest.mark.parametrize(("method", "path", "statuses"), RELATIONS)
def test_roles_that_change_the_relation(fakeplat: Fakeplat, method: str, path: str, statuses: list[int]) -> None:
    """A Maintainer sets it, an owner takes it away."""
    fakeplat.snapshot()
    for name, status in zip((None, "ext", "eve", "gus", "rep", "dev", "mia", "ada", "root"), statuses, strict=True):
        assert status == fakeplat.as_user(name).request(method, path).status, name
        fakeplat.restore()


def test_a_parent_must_be_seen_and_open_for_forking(fakeplat: Fakeplat) -> None:
    """The parent of a relation must be visible and allow forks."""
    assert resource_not_found("Project") == refusal(fakeplat, "ada", "POST", f"{NOTES}/fork/999999")
    fakeplat.as_user("ada").put(SITE, json={"forking_access_level": "disabled"})
    assert FORBIDDEN == refusal(fakeplat, "ada", "POST", f"{NOTES}/fork/acme%2Fsite")


def test_forks_outlive_their_parent(fakeplat: Fakeplat) -> None:
    """Forks of a deleted project remain without a parent."""
    create_fork(fakeplat)
    fakeplat.settle()
    fakeplat.as_user("ada").delete(DOCS)
    seen = fakeplat.as_user("eve").get("projects/eve%2Fdocs").json()
    assert ("finished", False, "master") == (
        seen["import_status"],
        "forked_from_project" in seen,
        seen["default_branch"],
    )


@pytest.mark.fakeplat(version="latest")
def test_only_an_existing_branch_is_forked_alone(fakeplat: Fakeplat) -> None:
    """A fork of one branch needs that branch."""
    body = {"branches": "missing"}
    assert resource_not_found("Source Branch") == refusal(fakeplat, "eve", "POST", f"{DOCS}/fork", json=body)
