"""The viewers of snippets, and who may create and change them.

Source: docs/platform/snippets.md, docs/platform/project-snippets.md.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.company import COMPANY
from tests.api.planning_records import DOCS, KIT, MISSING, SITE, create_record, get_json
from tests.api.requests import FORBIDDEN, UNAUTHORIZED, Outcome, names, outcome, person, refusal, resource_not_found
from tests.api.snippets import create_personal_snippet, create_project_snippet, files

pytestmark = [pytest.mark.every_release, pytest.mark.fakeplat(scenario=COMPANY)]

VIEWERS = (None, "ext", "eve", "gus", "rep", "dev", "mia", "root")
"""Nobody, an external user, a stranger, a guest, a reporter, the author, a maintainer, an administrator."""

ANSWERS: dict[str, Outcome | None] = {
    "yes": None,
    "404": MISSING,
    "Snip": resource_not_found("Snippet"),
    "Proj": resource_not_found("Project"),
    "403": FORBIDDEN,
    "401": UNAUTHORIZED,
}
EVERYBODY = "yes  yes  yes  yes  yes  yes  yes  yes"
MEMBERS = "404  404  404  yes  yes  yes  yes  yes"
SIGNED_IN = "404  404  yes  yes  yes  yes  yes  yes"
CLOSED = "403  403  403  403  403  403  403  403"
ONLY_MEMBERS = "403  403  403  yes  yes  yes  yes  yes"

PROJECTS = [
    # project, feature, visibility of the snippet, what each viewer gets
    (DOCS, "enabled", "private", MEMBERS),
    (DOCS, "enabled", "internal", SIGNED_IN),
    (DOCS, "enabled", "public", EVERYBODY),
    (DOCS, "private", "private", ONLY_MEMBERS),
    (DOCS, "private", "internal", ONLY_MEMBERS),
    (DOCS, "private", "public", ONLY_MEMBERS),
    (DOCS, "disabled", "private", CLOSED),
    (DOCS, "disabled", "internal", CLOSED),
    (DOCS, "disabled", "public", CLOSED),
    (KIT, "enabled", "private", "Proj Proj 404  yes  yes  yes  yes  yes"),
    (KIT, "enabled", "internal", "Proj Proj yes  yes  yes  yes  yes  yes"),
    (KIT, "enabled", "public", "Proj Proj yes  yes  yes  yes  yes  yes"),
    (KIT, "private", "public", "Proj Proj 403  yes  yes  yes  yes  yes"),
    (KIT, "disabled", "public", "Proj Proj 403  403  403  403  403  403"),
    (SITE, "enabled", "private", "Proj Proj Proj yes  yes  yes  yes  yes"),
    (SITE, "enabled", "internal", "Proj Proj Proj yes  yes  yes  yes  yes"),
    (SITE, "enabled", "public", "Proj Proj Proj yes  yes  yes  yes  yes"),
    (SITE, "private", "public", "Proj Proj Proj yes  yes  yes  yes  yes"),
    (SITE, "disabled", "public", "Proj Proj Proj 403  403  403  403  403"),
]


def check_viewers(fake: Fakeplat, target: str, answers: str) -> None:
    """Check the answer, or the exact refusal, for each viewer."""
    for viewer, word in zip(VIEWERS, answers.split(), strict=True):
        expected = ANSWERS[word]
        answer = outcome(fake.as_user(viewer).get(target)) if expected else (fake.as_user(viewer).get(target).status,)
        assert (expected or (200,)) == answer, (viewer, target)


def set_access_level(fake: Fakeplat, project_path: str, level: str) -> None:
    reply = fake.as_user("ada").put(project_path, json={"snippets_access_level": level})
    assert (200, level) == (reply.status, reply.json()["snippets_access_level"])


@pytest.mark.parametrize(("project_path", "level", "visibility", "answers"), PROJECTS)
def test_viewers_of_a_snippet_of_a_project(
    fakeplat: Fakeplat, project_path: str, level: str, visibility: str, answers: str
) -> None:
    """The stricter of the project's feature and the snippet's own visibility decides; members see private ones."""
    snippet = create_project_snippet(fakeplat, project_path, visibility=visibility)
    set_access_level(fakeplat, project_path, level)

    check_viewers(fakeplat, snippet, answers)
    elsewhere = answers.replace("404 ", "Snip")
    check_viewers(fakeplat, f"{snippet}/raw", elsewhere)
    check_viewers(fakeplat, f"{snippet}/files/master/a.txt/raw", elsewhere)
    alone = " ".join("yes" if word == "yes" else "Snip" for word in answers.split())
    check_viewers(fakeplat, snippet.removeprefix(f"{project_path}/"), alone)


@pytest.mark.parametrize(("project_path", "level", "visibility", "answers"), PROJECTS)
def test_lists_and_searches_hold_what_is_seen(
    fakeplat: Fakeplat, project_path: str, level: str, visibility: str, answers: str
) -> None:
    """The list of the project, which is for signed-in users, and a search of titles."""
    snippet = create_project_snippet(fakeplat, project_path, visibility=visibility)
    set_access_level(fakeplat, project_path, level)
    id_ = int(snippet.rpartition("/")[2])
    (nobody, *words) = answers.split()
    expected = ANSWERS[nobody] if nobody in ("Proj", "403") else UNAUTHORIZED
    assert expected == refusal(fakeplat, None, "GET", f"{project_path}/snippets")

    for viewer, word in zip(VIEWERS[1:], words, strict=True):
        listed = fakeplat.as_user(viewer).get(f"{project_path}/snippets")
        if word in ("yes", "404"):
            assert ([id_] if word == "yes" else []) == names(listed.json(), "id"), viewer
        else:
            assert ANSWERS[word] == outcome(listed), viewer
        ids = names(get_json(fakeplat, "search?scope=snippet_titles&search=One", viewer), "id")
        assert ([id_] if word == "yes" else []) == ids, viewer


@pytest.mark.parametrize(
    ("visibility", "answers"),
    [
        ("private", "Snip Snip Snip Snip Snip yes  Snip yes"),
        ("internal", "Snip Snip yes  yes  yes  yes  yes  yes"),
        ("public", EVERYBODY),
    ],
)
def test_viewers_of_a_personal_snippet(fakeplat: Fakeplat, visibility: str, answers: str) -> None:
    """Private, internal and public personal snippets are shown to the expected viewers."""
    snippet = create_personal_snippet(fakeplat, visibility=visibility)
    for target in (snippet, f"{snippet}/raw", f"{snippet}/files/master/a.txt/raw"):
        check_viewers(fakeplat, target, answers)


def test_an_external_author_sees_what_is_theirs(fakeplat: Fakeplat) -> None:
    """External users see their own private snippets."""
    snippet = create_personal_snippet(fakeplat, "eve", visibility="private")
    fakeplat.as_user("root").put(f"users/{person(fakeplat, 'eve')}", json={"external": True})
    assert 200 == fakeplat.as_user("eve").get(snippet).status
    assert 200 == fakeplat.as_user("eve").put(snippet, json={"title": "x"}).status


# making

NEW: dict[str, Any] = {"title": "x", "files": files(a="x")}


@pytest.mark.parametrize(
    ("project_path", "answers"),
    [
        ("", "401  403  yes  yes  yes  yes  yes  yes"),
        (f"{DOCS}/", "401  403  403  403  yes  yes  yes  yes"),
        (f"{KIT}/", "Proj Proj 403  403  yes  yes  yes  yes"),
        (f"{SITE}/", "Proj Proj Proj 403  yes  yes  yes  yes"),
    ],
)
def test_roles_that_create_snippets(fakeplat: Fakeplat, project_path: str, answers: str) -> None:
    """Personal ones: all but external users. In a project: Reporters."""
    for viewer, word in zip(VIEWERS, answers.split(), strict=True):
        expected = ANSWERS[word]
        if expected is None:
            reply = fakeplat.as_user(viewer).post(f"{project_path}snippets", json=NEW)
            assert (201, viewer) == (reply.status, reply.json()["author"]["username"])
        else:
            assert expected == refusal(fakeplat, viewer, "POST", f"{project_path}snippets", json=NEW), viewer


def test_an_external_reporter_makes_snippets_of_the_project(fakeplat: Fakeplat) -> None:
    """An external user who is a Reporter creates snippets in the project."""
    create_record(fakeplat, f"{SITE}/members", user_id=person(fakeplat, "ext"), access_level=20)
    assert 201 == fakeplat.as_user("ext").post(f"{SITE}/snippets", json=NEW).status


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, FORBIDDEN),
        (NEW, FORBIDDEN),
    ],
)
def test_closed_snippets_are_refused_before_parameters(
    fakeplat: Fakeplat, body: dict[str, Any], expected: Outcome
) -> None:
    """Disabled snippets answer 403 before parameters are validated."""
    snippet = create_project_snippet(fakeplat, SITE)
    set_access_level(fakeplat, SITE, "disabled")
    for method, target in (("POST", f"{SITE}/snippets"), ("PUT", snippet), ("PUT", f"{SITE}/snippets/999999")):
        assert expected == refusal(fakeplat, "root", method, target, json=body)
    for target in (snippet, f"{snippet}/user_agent_detail"):
        assert expected == refusal(fakeplat, "root", "GET", target)
    assert expected == refusal(fakeplat, "dev", "DELETE", snippet)


# changing


@pytest.mark.parametrize(
    ("project_path", "visibility", "answers"),
    [
        (SITE, "private", "Proj Proj Proj 403  403  yes  yes  yes"),
        (DOCS, "public", "401  403  403  403  403  yes  yes  yes"),
        (DOCS, "internal", "401  Snip 403  403  403  yes  yes  yes"),
        (DOCS, "private", "401  Snip Snip 403  403  yes  yes  yes"),
        ("", "public", "401  Snip Snip Snip Snip yes  Snip Snip"),
        ("", "private", "401  Snip Snip Snip Snip yes  Snip Snip"),
    ],
)
def test_roles_that_change_and_delete_a_snippet(
    fakeplat: Fakeplat, project_path: str, visibility: str, answers: str
) -> None:
    """A project's snippet is changed by author and Maintainers, a personal one by its author only."""
    for viewer, word in zip(VIEWERS, answers.split(), strict=True):
        snippet = (
            create_project_snippet(fakeplat, project_path, visibility=visibility)
            if project_path
            else create_personal_snippet(fakeplat, visibility=visibility)
        )
        expected = ANSWERS[word]
        if expected is None:
            assert 200 == fakeplat.as_user(viewer).put(snippet, json={"title": "x"}).status
            assert 204 == fakeplat.as_user(viewer).delete(snippet).status
        else:
            assert expected == refusal(fakeplat, viewer, "PUT", snippet, json={"title": "x"}), viewer
            assert expected == refusal(fakeplat, viewer, "DELETE", snippet), viewer


@pytest.mark.parametrize("viewer", ["ada", "root"])
def test_others_snippets_of_projects_are_changed_in_their_project_only(fakeplat: Fakeplat, viewer: str) -> None:
    """The path without a project knows one's own ones only, those in projects among them."""
    snippet = create_project_snippet(fakeplat, SITE)
    alone = snippet.removeprefix(f"{SITE}/")
    assert resource_not_found("Snippet") == refusal(fakeplat, viewer, "PUT", alone, json={"title": "x"})
    assert resource_not_found("Snippet") == refusal(fakeplat, viewer, "DELETE", alone)

    assert 200 == fakeplat.as_user("dev").put(alone, json={"title": "x"}).status
    assert 204 == fakeplat.as_user("dev").delete(alone).status


def test_authors_change_what_they_made_whatever_they_are_now(fakeplat: Fakeplat) -> None:
    """Former members change the snippets that they still see."""
    create_record(fakeplat, f"{DOCS}/members", user_id=person(fakeplat, "eve"), access_level=20)
    public, private = (
        create_project_snippet(fakeplat, DOCS, "eve", visibility=visibility) for visibility in ("public", "private")
    )
    fakeplat.as_user("ada").delete(f"{DOCS}/members/{person(fakeplat, 'eve')}")

    assert 200 == fakeplat.as_user("eve").put(public, json={"title": "x"}).status
    assert resource_not_found("Snippet") == refusal(fakeplat, "eve", "PUT", private, json={"title": "x"})


@pytest.mark.fakeplat(version="latest")
def test_all_snippets_are_those_that_the_caller_sees(fakeplat: Any) -> None:
    """In newer releases all visible snippets are listed, newest first."""
    root, dev = fakeplat.as_user("root"), fakeplat.as_user("dev")
    created = [
        root.post("snippets", json={"title": "x", "file_name": "x", "content": "x", "visibility": visibility}).json()
        for visibility in ("private", "internal", "public")
    ]
    mine, theirs = ([row["id"] for row in caller.get("snippets/all").json()] for caller in (root, dev))
    ids = [snippet["id"] for snippet in created]

    assert ids[::-1] == [id_ for id_ in mine if id_ in ids]
    assert ids[:0:-1] == [id_ for id_ in theirs if id_ in ids]
    assert [] == root.get("snippets/all?created_after=2099-01-01T00:00:00Z").json()
    assert 401 == fakeplat.as_user(None).get("snippets/all").status
