"""Branches. Source: docs/platform/branches.md, docs/platform/errors.md."""

from typing import Any
from urllib.parse import quote

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.requests import FORBIDDEN, LONG_AGO, STALE, Outcome, invalid, names, outcome, refusal, resource_not_found
from tests.signals import SentSignals

SITE, DOCS = "projects/acme%2Fsite", "projects/acme%2Fdocs"
BRANCHES = f"{SITE}/repository/branches"
FIELDS = {
    "name",
    "commit",
    "merged",
    "protected",
    "developers_can_push",
    "developers_can_merge",
    "can_push",
    "default",
    "web_url",
}
DELETE_PROTECTED = (
    "You are not allowed to delete protected branches from this project. "
    "Only a project maintainer or owner can delete a protected branch."
)
ZERO = "0" * 40


def bad_request(text: str, status: int = 400) -> Outcome:
    return status, {"message": text}


def create_branch(fake: Fakeplat, name: str, ref: str = "master", by: str = "dev") -> dict[str, Any]:
    reply = fake.as_user(by).post(BRANCHES, json={"branch": name, "ref": ref})
    assert 201 == reply.status, reply.text
    new_branch: dict[str, Any] = reply.json()
    return new_branch


def get_branch(fake: Fakeplat, name: str, by: str = "dev") -> dict[str, Any]:
    reply = fake.as_user(by).get(f"{BRANCHES}/{quote(name, safe='')}")
    assert 200 == reply.status, reply.text
    view: dict[str, Any] = reply.json()
    return view


def list_names(fake: Fakeplat, query: str = "") -> list[Any]:
    return names(fake.as_user("dev").get(f"{BRANCHES}?{query}").json(), "name")


def test_the_fields_of_a_branch(fakeplat: Fakeplat) -> None:
    """The default branch is protected against Developers, and is not called merged into itself."""
    view = get_branch(fakeplat, "master")

    assert FIELDS == set(view)
    assert {
        "name": "master",
        "merged": False,
        "protected": True,
        "developers_can_push": False,
        "developers_can_merge": False,
        "can_push": False,
        "default": True,
        "web_url": "http://localhost/acme/site/-/tree/master",
    } == {name: value for name, value in {**view, "web_url": shorten_url(fakeplat, view)}.items() if name != "commit"}
    assert fakeplat.as_user("dev").get(f"{SITE}/repository/commits").json()[0] == view["commit"]


def shorten_url(fake: Fakeplat, view: dict[str, Any]) -> str:
    return str(view["web_url"]).replace(fake.url, "http://localhost")


def test_whether_one_may_push_depends_on_who_asks(fakeplat: Fakeplat) -> None:
    """`can_push` depends on the caller's role and the protection of the branch."""
    may_push = {
        who: (get_branch(fakeplat, "master", who)["can_push"], get_branch(fakeplat, "feature", who)["can_push"])
        for who in ("rep", "dev", "mia", "root")
    }

    assert {"rep": (False, False), "dev": (False, True), "mia": (True, True), "root": (True, True)} == may_push


def test_branches_are_listed_by_name_and_paged(fakeplat: Fakeplat) -> None:
    """Branches are listed by name in pages with total counts."""
    create_branch(fakeplat, "alpha")
    reply = fakeplat.as_user("dev").get(f"{BRANCHES}?per_page=2")

    assert ["alpha", "feature"] == names(reply.json(), "name")
    assert ("4", "2") == (reply.headers.get("X-Total"), reply.headers.get("X-Total-Pages"))
    assert ["master", "readme"] == list_names(fakeplat, "per_page=2&page=2")


@pytest.mark.parametrize(
    ("search", "expected"),
    [
        ("fea", ["feature", "my-feature", "my-feature-2"]),
        ("FEA", ["feature", "my-feature", "my-feature-2"]),
        ("my-feature", ["my-feature", "my-feature-2"]),
        ("%5Emy", ["my-feature", "my-feature-2"]),
        ("ture%24", ["feature", "my-feature"]),
        ("%5Efeature%24", ["feature"]),
        ("nothing", []),
    ],
)
def test_a_search_finds_parts_beginnings_and_ends(fakeplat: Fakeplat, search: str, expected: list[str]) -> None:
    """``^`` stands for the beginning of a name, ``$`` for its end."""
    for name in ("my-feature", "my-feature-2"):
        create_branch(fakeplat, name)

    assert expected == list_names(fakeplat, f"search={search}")


@pytest.mark.parametrize("name", ["a/b", "my.branch.name", "x.json", "wörk"])
def test_names_with_slashes_and_dots(fakeplat: Fakeplat, name: str) -> None:
    """A slash is encoded in the path, a dot is part of the name."""
    view = create_branch(fakeplat, name)

    assert view == get_branch(fakeplat, name)
    assert 204 == fakeplat.as_user("dev").delete(f"{BRANCHES}/{quote(name, safe='')}").status


def test_head_tells_whether_a_branch_exists(fakeplat: Fakeplat) -> None:
    """HEAD of a branch answers 204 or 404 without a body."""
    dev = fakeplat.as_user("dev")
    dev.get(f"{BRANCHES}/master")

    assert [(204, b""), (404, b"")] == [
        (reply.status, reply.content) for reply in (dev.head(f"{BRANCHES}/{name}") for name in ("master", "gone"))
    ]
    assert 200 == dev.get(f"{BRANCHES}/master").status


def test_a_new_branch_starts_at_its_ref(fakeplat: Fakeplat, sent_signals: SentSignals) -> None:
    """A new branch starts at a branch, tag, hash or abbreviated hash."""
    sha = get_branch(fakeplat, "feature")["commit"]["id"]
    tagged = fakeplat.as_user("dev").get(f"{SITE}/repository/tags/v1.0").json()["commit"]["id"]

    shas = {ref: create_branch(fakeplat, f"from-{ref[:4]}", ref)["commit"]["id"] for ref in ("feature", "v1.0", sha)}

    assert {"feature": sha, "v1.0": tagged, sha: sha} == shas
    assert sha == create_branch(fakeplat, "short", sha[:8])["commit"]["id"]
    push = sent_signals.list_records("ref_moved")[-1]
    assert ("refs/heads/short", ZERO, sha, fakeplat.world.user("dev").id) == (
        push.ref,
        push.before,
        push.after,
        push.user_id,
    )


REFUSED: list[tuple[str | None, dict[str, Any], Outcome]] = [
    ("dev", {"branch": "x"}, invalid("ref is missing, ref is empty")),
    ("dev", {"ref": "master"}, invalid("branch is missing, branch is empty")),
    ("dev", {}, invalid("branch is missing, branch is empty, ref is missing, ref is empty")),
    ("dev", {"branch": "feature", "ref": "master"}, bad_request("Branch already exists")),
    ("dev", {"branch": "x", "ref": "gone"}, bad_request("Invalid reference name: gone")),
    ("dev", {"branch": "x", "ref": "0" * 40}, bad_request(f"Invalid reference name: {'0' * 40}")),
    ("dev", {"branch": "a..b", "ref": "master"}, bad_request("Branch name is invalid")),
    ("dev", {"branch": "", "ref": "master"}, invalid("branch is empty")),
    ("dev", {"branch": "x", "ref": " "}, invalid("ref is empty")),
    ("dev", {"branch": "HEAD", "ref": "master"}, bad_request("Branch name is invalid")),
    ("dev", {"branch": "feature/more", "ref": "master"}, bad_request("Branch name is invalid")),
    ("rep", {"branch": "x", "ref": "master"}, FORBIDDEN),
    ("rep", {}, invalid("branch is missing, branch is empty, ref is missing, ref is empty")),
    ("gus", {"branch": "x", "ref": "master"}, FORBIDDEN),
    ("gus", {}, FORBIDDEN),
    ("eve", {"branch": "x", "ref": "master"}, resource_not_found("Project")),
    (None, {"branch": "x", "ref": "master"}, resource_not_found("Project")),
]


@pytest.mark.parametrize(("who", "body", "expected"), REFUSED)
def test_invalid_branches_are_refused(
    fakeplat: Fakeplat, who: str | None, body: dict[str, Any], expected: Outcome
) -> None:
    """A refused creation of a branch changes nothing."""
    assert expected == refusal(fakeplat, who, "POST", BRANCHES, json=body)


def test_a_protected_pattern_stops_those_it_does_not_admit(fakeplat: Fakeplat) -> None:
    """A branch that matches a protected pattern is created only by those admitted to it."""
    fakeplat.as_user("mia").post(f"{SITE}/protected_branches", json={"name": "release/*"})
    body = {"branch": "release/1", "ref": "master"}

    assert bad_request("You are not allowed to create protected branches on this project.") == refusal(
        fakeplat, "dev", "POST", BRANCHES, json=body
    )
    assert create_branch(fakeplat, "release/1", by="mia")["protected"]


def test_the_first_branch_of_an_empty_repository(fakeplat: Fakeplat) -> None:
    """A README.md comes first, on the default branch."""
    ada = fakeplat.as_user("ada")
    project = ada.post("projects", json={"name": "Empty"}).json()
    assert (None, True) == (project["default_branch"], project["empty_repo"])

    new_branch = ada.post(f"projects/{project['id']}/repository/branches", json={"branch": "work", "ref": "master"})

    assert (201, "Add README.md") == (new_branch.status, new_branch.json()["commit"]["title"])
    assert ["master", "work"] == names(ada.get(f"projects/{project['id']}/repository/branches").json(), "name")
    after = ada.get(f"projects/{project['id']}").json()
    assert ("master", False) == (after["default_branch"], after["empty_repo"])
    assert after["readme_url"].endswith("/ada/empty/-/blob/master/README.md")


def test_a_branch_is_deleted(fakeplat: Fakeplat, sent_signals: SentSignals) -> None:
    """A deleted branch is gone; the signal of it has forty zeros as its new hash."""
    sha = get_branch(fakeplat, "feature")["commit"]["id"]

    assert 204 == fakeplat.as_user("dev").delete(f"{BRANCHES}/feature").status
    assert resource_not_found("Branch") == outcome(fakeplat.as_user("dev").get(f"{BRANCHES}/feature"))
    pushes = sent_signals.list_records("ref_moved")
    assert [("refs/heads/feature", sha, ZERO)] == [(push.ref, push.before, push.after) for push in pushes]


UNDELETED: list[tuple[str | None, str, Outcome]] = [
    ("dev", "gone", resource_not_found("Branch")),
    ("dev", "a..b", bad_request("The branch refname is invalid")),
    ("dev", "master", bad_request("The default branch of a project cannot be deleted.")),
    ("ada", "master", bad_request("The default branch of a project cannot be deleted.")),
    ("dev", "stable", bad_request(DELETE_PROTECTED)),
    ("mia", "stable", bad_request("You can only delete protected branches using the web interface.")),
    ("rep", "feature", FORBIDDEN),
    ("rep", "gone", FORBIDDEN),
    ("gus", "feature", FORBIDDEN),
    ("eve", "feature", resource_not_found("Project")),
    (None, "feature", resource_not_found("Project")),
]


@pytest.mark.parametrize(("who", "name", "expected"), UNDELETED)
def test_which_branches_stay(fakeplat: Fakeplat, who: str | None, name: str, expected: Outcome) -> None:
    """Default and protected branches, and those that the caller may not push to, are not deleted."""
    create_branch(fakeplat, "stable")
    fakeplat.as_user("mia").post(f"{SITE}/protected_branches", json={"name": "st*"})

    assert expected == refusal(fakeplat, who, "DELETE", f"{BRANCHES}/{name}")


def test_a_branch_whose_commit_is_younger_stays(fakeplat: Fakeplat) -> None:
    """Deleting a branch compares If-Unmodified-Since with its commit's authored date."""
    assert STALE == refusal(fakeplat, "dev", "DELETE", f"{BRANCHES}/feature", headers=LONG_AGO)
    later = {"If-Unmodified-Since": "Fri, 20 Nov 2020 10:00:00 GMT"}
    assert 204 == fakeplat.as_user("dev").delete(f"{BRANCHES}/feature", headers=later).status


def test_merged_branches_are_deleted_together(fakeplat: Fakeplat) -> None:
    """Deleting merged branches keeps the default branch, protected and unmerged ones."""
    for name in ("done", "kept", "old/done"):
        create_branch(fakeplat, name)
    fakeplat.as_user("mia").post(f"{SITE}/protected_branches", json={"name": "kept"})
    assert [True, False] == [get_branch(fakeplat, name)["merged"] for name in ("done", "feature")]

    assert (202, {"message": "202 Accepted"}) == outcome(
        fakeplat.as_user("dev").delete(f"{SITE}/repository/merged_branches")
    )
    assert ["feature", "kept", "master", "readme"] == list_names(fakeplat)


@pytest.mark.parametrize(
    ("who", "expected"), [("rep", FORBIDDEN), ("gus", FORBIDDEN), (None, resource_not_found("Project"))]
)
def test_merged_branches_are_deleted_by_developers(fakeplat: Fakeplat, who: str | None, expected: Outcome) -> None:
    """Only Developers and above delete merged branches."""
    create_branch(fakeplat, "done")
    assert expected == refusal(fakeplat, who, "DELETE", f"{SITE}/repository/merged_branches")


def test_the_old_way_to_protect(fakeplat: Fakeplat) -> None:
    """The deprecated operation protects for Maintainers and keeps values that were not sent."""
    mia = fakeplat.as_user("mia")
    flags = ("protected", "developers_can_push", "developers_can_merge")

    def put(verb: str, **body: Any) -> tuple[Any, ...]:
        reply = mia.put(f"{BRANCHES}/feature/{verb}", json=body)
        assert 200 == reply.status, reply.text
        return tuple(reply.json()[name] for name in flags)

    assert (True, False, False) == put("protect")
    assert (True, True, False) == put("protect", developers_can_push=True)
    assert (True, True, True) == put("protect", developers_can_merge=True)
    assert (True, False, True) == put("protect", developers_can_push=False)
    assert (False, False, False) == put("unprotect")
    assert (False, False, False) == put("unprotect")


@pytest.mark.parametrize("verb", ["protect", "unprotect"])
@pytest.mark.parametrize(
    ("who", "name", "expected"),
    [
        ("mia", "gone", resource_not_found("Branch")),
        ("mia", "a..b", bad_request("The branch refname is invalid")),
        ("dev", "feature", FORBIDDEN),
        ("eve", "feature", resource_not_found("Project")),
        (None, "feature", resource_not_found("Project")),
    ],
)
def test_refused_protections(fakeplat: Fakeplat, verb: str, who: str | None, name: str, expected: Outcome) -> None:
    """Only Maintainers protect branches, and only existing ones."""
    assert expected == refusal(fakeplat, who, "PUT", f"{BRANCHES}/{name}/{verb}")


@pytest.mark.parametrize(
    ("who", "path", "expected"),
    [
        ("dev", f"{BRANCHES}/gone", resource_not_found("Branch")),
        ("dev", f"{BRANCHES}/a..b", bad_request("The branch refname is invalid")),
        ("gus", BRANCHES, FORBIDDEN),
        ("gus", f"{BRANCHES}/master", FORBIDDEN),
        ("eve", BRANCHES, resource_not_found("Project")),
        (None, BRANCHES, resource_not_found("Project")),
    ],
)
def test_guests_of_a_private_project_see_no_branches(
    fakeplat: Fakeplat, who: str | None, path: str, expected: Outcome
) -> None:
    """Guests of a private project do not see its branches."""
    assert expected == refusal(fakeplat, who, "GET", path)


def test_everybody_sees_the_branches_of_a_public_project(fakeplat: Fakeplat) -> None:
    """Anonymous callers see the branches of a public project and may push to none."""
    (shown_branch,) = fakeplat.as_user(None).get(f"{DOCS}/repository/branches").json()
    assert ("master", False) == (shown_branch["name"], shown_branch["can_push"])


@pytest.mark.parametrize(
    ("access", "who", "expected"),
    [("disabled", "root", 404), ("private", None, 404), ("private", "eve", 404), ("private", "dev", 200)],
)
def test_a_repository_that_is_off(fakeplat: Fakeplat, access: str, who: str | None, expected: int) -> None:
    """The branches of a disabled repository are not found by those it is closed to."""
    fakeplat.as_user("ada").put(DOCS, json={"repository_access_level": access})
    reply = fakeplat.as_user(who).get(f"{DOCS}/repository/branches")
    assert expected == reply.status
    assert expected == 200 or resource_not_found("Repository")[1] == reply.json()


@pytest.mark.parametrize(
    ("access", "who", "expected"),
    [("disabled", "root", 403), ("private", None, 403), ("private", "eve", 403), ("private", "dev", 200)],
)
def test_tags_are_forbidden_where_the_repository_is_off(
    fakeplat: Fakeplat, access: str, who: str | None, expected: int
) -> None:
    """Tags ask for the ability to download code only, so they are 403 where branches are 404."""
    fakeplat.as_user("ada").put(DOCS, json={"repository_access_level": access})
    for path in ("tags", "tags/v1.0"):
        reply = fakeplat.as_user(who).get(f"{DOCS}/repository/{path}")
        assert (expected if expected == 403 or path == "tags" else 404) == reply.status


ANONYMOUS_WRITES: list[tuple[str, str, dict[str, Any]]] = [
    ("POST", "repository/branches", {"branch": "x", "ref": "master"}),
    ("DELETE", "repository/branches/master", {}),
    ("DELETE", "repository/merged_branches", {}),
    ("PUT", "repository/branches/master/protect", {}),
    ("PUT", "repository/branches/master/unprotect", {}),
    ("POST", "repository/tags", {"tag_name": "x", "ref": "master"}),
    ("DELETE", "repository/tags/gone", {}),
    ("POST", "protected_branches", {"name": "x"}),
    ("DELETE", "protected_branches/master", {}),
    ("POST", "protected_tags", {"name": "x"}),
    ("DELETE", "protected_tags/gone", {}),
    ("POST", "repository/files/x", {"branch": "master", "commit_message": "x", "content": "x"}),
    ("PUT", "repository/files/x", {"branch": "master", "commit_message": "x", "content": "x"}),
    ("DELETE", "repository/files/x", {"branch": "master", "commit_message": "x"}),
]


@pytest.mark.parametrize(("method", "path", "body"), ANONYMOUS_WRITES)
def test_anonymous_writes_are_refused_as_those_of_strangers(
    fakeplat: Fakeplat, method: str, path: str, body: dict[str, Any]
) -> None:
    """Anonymous writes of branches answer 404 or 403 instead of 401."""
    assert resource_not_found("Project") == refusal(fakeplat, None, method, f"{SITE}/{path}", json=body)
    assert FORBIDDEN == refusal(fakeplat, None, method, f"{DOCS}/{path}", json=body)


def test_an_archived_project_is_read_only(fakeplat: Fakeplat) -> None:
    """Branches of an archived project are read-only even for its owner."""
    ada = fakeplat.as_user("ada")
    create_branch(fakeplat, "done")
    ada.post(f"{SITE}/archive")

    assert FORBIDDEN == refusal(fakeplat, "ada", "POST", BRANCHES, json={"branch": "x", "ref": "master"})
    assert FORBIDDEN == refusal(fakeplat, "ada", "DELETE", f"{BRANCHES}/feature")
    assert FORBIDDEN == refusal(fakeplat, "ada", "DELETE", f"{SITE}/repository/merged_branches")
    assert 200 == ada.get(BRANCHES).status


def test_an_answer_is_right_after_a_branch_moved(fakeplat: Fakeplat) -> None:
    """A cached branch is not served any more after the branch moved."""
    before = list_names(fakeplat)
    etag = fakeplat.as_user("dev").get(BRANCHES).headers.get("ETag")
    create_branch(fakeplat, "later")
    again = fakeplat.as_user("dev").get(BRANCHES, headers={"If-None-Match": etag})

    assert (200, [*before[:1], "later", *before[1:]]) == (again.status, names(again.json(), "name"))
    fakeplat.as_user("dev").delete(f"{BRANCHES}/later")
    assert 304 == fakeplat.as_user("dev").get(BRANCHES, headers={"If-None-Match": etag}).status
