"""Uploads, shares, transfers and housekeeping of projects. Source: docs/platform/projects.md."""

import re
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import TRANSFERS_ARE_EXPLAINED
from tests.api.fields import PROJECT_FULL
from tests.api.requests import (
    FORBIDDEN,
    LONG_AGO,
    STALE,
    UNAUTHORIZED,
    Outcome,
    form,
    invalid,
    missing_value,
    outcome,
    refusal,
    resource_not_found,
)
from tests.by_release import by_release

SITE, DOCS, NOTES = "projects/acme%2Fsite", "projects/acme%2Fdocs", "projects/ada%2Fnotes"
BELOW_MAINTAINER = [
    (None, UNAUTHORIZED),
    ("eve", resource_not_found("Project")),
    ("gus", FORBIDDEN),
    ("dev", FORBIDDEN),
]

# uploads


def upload(name: str, content: bytes = b"content", content_type: str = "text/plain") -> dict[str, Any]:
    return form(file=(name, content_type, content))


@pytest.mark.parametrize(
    ("name", "alt", "mark"),
    [("notes.txt", "notes.txt", ""), ("logo.png", "logo", "!"), ("Photo.JPG", "Photo", "!"), ("data", "data", "")],
)
def test_an_upload_names_its_file(fakeplat: Fakeplat, name: str, alt: str, mark: str) -> None:
    """Four fields; pictures lose the ending in alt and are shown by their markdown."""
    reply = fakeplat.as_user("gus").post(f"{SITE}/uploads", **upload(name))
    answer = reply.json()

    assert (201, {"alt", "url", "full_path", "markdown"}) == (reply.status, set(answer))
    assert re.fullmatch(rf"/uploads/[0-9a-f]{{32}}/{re.escape(name)}", answer["url"])
    assert (alt, f"/acme/site{answer['url']}", f"{mark}[{alt}]({answer['url']})") == (
        answer["alt"],
        answer["full_path"],
        answer["markdown"],
    )


def test_an_uploaded_file_is_served(fakeplat: Fakeplat) -> None:
    """An uploaded file is served unchanged to those who see the project."""
    path = fakeplat.as_user("gus").post(f"{SITE}/uploads", **upload("a.txt", b"\x00\xff")).json()["full_path"]

    assert (200, b"\x00\xff") == (
        fakeplat.as_user("dev").get(f"{fakeplat.url}{path}").status,
        fakeplat.as_user("dev").get(f"{fakeplat.url}{path}").content,
    )
    assert 404 == fakeplat.as_user("eve").get(f"{fakeplat.url}{path}").status


@pytest.mark.parametrize(
    ("name", "content_type", "kept", "served_type"),
    [
        ("a.png", "text/html", "a.png", "image/png"),
        ("a.JPG", "image/jpeg", "a.JPG", "image/jpeg"),
        ("a.svg", "image/svg+xml", "a.svg", "application/octet-stream"),
        ("a.html", "text/html", "a.html", "application/octet-stream"),
        ("../../up.txt", "text/plain", "up.txt", "application/octet-stream"),
    ],
)
def test_an_uploaded_file_never_becomes_a_page(
    fakeplat: Fakeplat, name: str, content_type: str, kept: str, served_type: str
) -> None:
    """Only pictures are served inline with their type, and names lose their folders."""
    path = fakeplat.as_user("gus").post(f"{SITE}/uploads", **upload(name, b"x", content_type)).json()["full_path"]
    served = fakeplat.as_user("gus").get(f"{fakeplat.url}{path}")
    disposition = "inline" if served_type.startswith("image/") else "attachment"

    assert (served_type, f'{disposition}; filename="{kept}"') == (
        served.headers["Content-Type"],
        served.headers["Content-Disposition"],
    )


@pytest.mark.parametrize(
    ("viewer", "project", "rest", "expected"),
    [
        (None, DOCS, upload("a.txt"), UNAUTHORIZED),
        (None, DOCS, {}, UNAUTHORIZED),
        ("eve", SITE, upload("a.txt"), resource_not_found("Project")),
        ("eve", SITE, {}, invalid("file is missing")),
        ("gus", SITE, {}, invalid("file is missing")),
        ("gus", SITE, {"json": {"file": "text"}}, invalid("file is invalid")),
        ("gus", SITE, form(file="text"), invalid("file is invalid")),
        ("root", "projects/9999", upload("a.txt"), resource_not_found("Project")),
    ],
)
def test_uploading_is_refused(
    fakeplat: Fakeplat, viewer: str | None, project: str, rest: Any, expected: Outcome
) -> None:
    """Uploading checks login, file and visibility of the project in this order."""
    assert expected == refusal(fakeplat, viewer, "POST", f"{project}/uploads", **rest)


def test_readers_of_a_project_upload(fakeplat: Fakeplat) -> None:
    """Any signed-in user uploads to a public project."""
    assert 201 == fakeplat.as_user("eve").post(f"{DOCS}/uploads", **upload("a.txt")).status


@pytest.mark.parametrize(("more", "kept"), [(0, True), (1, False)])
def test_a_file_over_the_limit_is_not_stored(fakeplat: Fakeplat, more: int, kept: bool) -> None:
    """An upload above `max_attachment_size` MB answers 201 with null."""
    fakeplat.load({"settings": {"max_attachment_size": 1}})
    status, body = outcome(
        fakeplat.as_user("gus").post(f"{SITE}/uploads", **upload("a.txt", bytes(1024 * 1024 + more)))
    )

    assert (201, kept) == (status, body is not None)


# shares


def get_group_id(fake: Fakeplat) -> int:
    return int(fake.world.group("acme").id)


def test_a_project_can_be_shared(fakeplat: Fakeplat) -> None:
    """Sharing answers 201 with five fields, shows on the project, and lets the group's members in."""
    assert resource_not_found("Project") == outcome(fakeplat.as_user("dev").get(NOTES))
    body = {"group_id": get_group_id(fakeplat), "group_access": 20, "expires_at": "2021-01-01"}
    reply = fakeplat.as_user("ada").post(f"{NOTES}/share", json=body)
    link = reply.json()

    assert (201, {"id", "project_id", "group_id", "group_access", "expires_at"}) == (reply.status, set(link))
    assert body.items() <= link.items()
    (share,) = fakeplat.as_user("dev").get(NOTES).json()["shared_with_groups"]
    assert (get_group_id(fakeplat), "Acme", "acme", 20, "2021-01-01") == tuple(
        share[name] for name in ("group_id", "group_name", "group_full_path", "group_access_level", "expires_at")
    )


@pytest.mark.fakeplat(clock="virtual")
def test_a_share_ends(fakeplat: Fakeplat) -> None:
    """A share of a project ends on the day of `expires_at`."""
    body = {"group_id": get_group_id(fakeplat), "group_access": 20, "expires_at": "2020-11-22"}
    fakeplat.as_user("ada").post(f"{NOTES}/share", json=body)
    assert 200 == fakeplat.as_user("dev").get(NOTES).status
    fakeplat.clock.advance("2d")

    assert resource_not_found("Project") == outcome(fakeplat.as_user("dev").get(NOTES))


def test_a_share_can_be_taken_back(fakeplat: Fakeplat) -> None:
    """Taking it back answers 204; a second time there is no link."""
    calls, group = fakeplat.as_user("ada"), get_group_id(fakeplat)
    calls.post(f"{NOTES}/share", json={"group_id": group, "group_access": 30})

    assert (204, None) == outcome(calls.delete(f"{NOTES}/share/{group}"))
    assert resource_not_found("Group Link") == refusal(fakeplat, "ada", "DELETE", f"{NOTES}/share/{group}")


def test_a_share_that_changed_since_is_not_deleted(fakeplat: Fakeplat) -> None:
    """Deleting a share that changed since the client's time answers 412."""
    calls, group = fakeplat.as_user("ada"), get_group_id(fakeplat)
    calls.post(f"{NOTES}/share", json={"group_id": group, "group_access": 30})

    assert STALE == refusal(fakeplat, "ada", "DELETE", f"{NOTES}/share/{group}", headers=LONG_AGO)


@pytest.mark.parametrize(("viewer", "expected"), BELOW_MAINTAINER)
def test_sharing_is_for_maintainers(fakeplat: Fakeplat, viewer: str | None, expected: Outcome) -> None:
    """Below Maintainer sharing and unsharing a project are forbidden."""
    tools = fakeplat.world.group("acme/tools").id

    assert expected == refusal(fakeplat, viewer, "POST", f"{SITE}/share", json={"group_id": tools, "group_access": 10})
    assert expected == refusal(fakeplat, viewer, "DELETE", f"{SITE}/share/{tools}")


def test_maintainers_share(fakeplat: Fakeplat) -> None:
    """A Maintainer shares a project."""
    body = {"group_id": fakeplat.world.group("acme/tools").id, "group_access": 10}

    assert 201 == fakeplat.as_user("mia").post(f"{SITE}/share", json=body).status


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"group_access": 10}, invalid("group_id is missing")),
        ({"group_id": 1}, invalid(missing_value("group_access"))),
        ({"group_id": "x", "group_access": 10}, invalid("group_id is invalid")),
        ({"group_id": 1, "group_access": 11}, invalid("group_access does not have a valid value")),
        ({"group_id": 1, "group_access": 10, "expires_at": "soon"}, invalid("expires_at is invalid")),
        ({"group_id": 9999, "group_access": 10}, (404, {"message": "404 Not Found"})),
    ],
)
def test_sharing_is_refused(fakeplat: Fakeplat, body: Any, expected: Outcome) -> None:
    """Sharing a project requires an existing group and a valid level."""
    assert expected == refusal(fakeplat, "ada", "POST", f"{NOTES}/share", json=body)


LOCKED = {
    "users": [{"username": "ann"}],
    "groups": [
        {
            "path": "red",
            "members": {"ann": "owner"},
            "share_with_group_lock": True,
            "projects": [{"path": "work"}],
        },
        {"path": "blue", "visibility": "public"},
        {"path": "dark", "visibility": "private"},
    ],
    "projects": [{"path_with_namespace": "ann/own"}],
}


@pytest.mark.fakeplat(scenario=LOCKED)
@pytest.mark.parametrize(
    ("project", "group", "expected"),
    [
        ("red%2Fwork", "blue", (400, {"message": "The project sharing with group is disabled"})),
        ("ann%2Fown", "dark", (404, {"message": "404 Not Found"})),
    ],
)
def test_locks_and_hidden_groups(fakeplat: Fakeplat, project: str, group: str, expected: Outcome) -> None:
    """A group may forbid sharing; a group that the caller does not see is not found."""
    body = {"group_id": fakeplat.world.group(group).id, "group_access": 10}

    assert expected == refusal(fakeplat, "ann", "POST", f"projects/{project}/share", json=body)


def test_sharing_twice_is_a_conflict(fakeplat: Fakeplat) -> None:
    """The second share with the same group is refused (the text is a choice)."""
    body = {"group_id": get_group_id(fakeplat), "group_access": 30}
    fakeplat.as_user("ada").post(f"{NOTES}/share", json=body)

    expected = (409, {"message": "Group already shared with this group"})
    assert expected == refusal(fakeplat, "ada", "POST", f"{NOTES}/share", json=body)


# transfers


@pytest.mark.parametrize("by_path", [True, False])
def test_a_project_moves_to_another_namespace(fakeplat: Fakeplat, by_path: bool) -> None:
    """A project is transferred by path or id of the namespace, and the answer shows it."""
    target = "acme/tools" if by_path else fakeplat.world.group("acme/tools").id
    reply = fakeplat.as_user("ada").put(f"{NOTES}/transfer", json={"namespace": target})

    assert (200, "acme/tools/notes") == (reply.status, reply.json()["path_with_namespace"])
    assert set(reply.json()) >= PROJECT_FULL
    assert resource_not_found("Project") == outcome(fakeplat.as_user("ada").get(NOTES))


@pytest.mark.parametrize(
    ("viewer", "body", "expected"),
    [
        (None, {"namespace": "acme"}, UNAUTHORIZED),
        ("eve", {"namespace": "eve"}, resource_not_found("Project")),
        ("dev", {"namespace": "dev"}, FORBIDDEN),
        ("mia", {"namespace": "mia"}, FORBIDDEN),
        ("ada", {}, invalid("namespace is missing")),
        ("ada", {"namespace": "nowhere"}, resource_not_found("Namespace")),
        ("ada", {"namespace": "eve"}, resource_not_found("Namespace")),
        ("ada", {"namespace": "open"}, resource_not_found("Namespace")),
    ],
)
def test_moving_is_refused(fakeplat: Fakeplat, viewer: str | None, body: Any, expected: Outcome) -> None:
    """Owners move, to a namespace of their own or a group in which they have a role, whatever its visibility."""
    fakeplat.load({"groups": [{"path": "open", "name": "Open", "visibility": "public"}]})
    assert expected == refusal(fakeplat, viewer, "PUT", f"{SITE}/transfer", json=body)


@pytest.mark.parametrize(
    ("role", "creation_level", "moves"),
    [
        ("developer", "developer", False),
        ("maintainer", "developer", True),
        ("maintainer", "maintainer", True),
        ("owner", "noone", False),
    ],
)
def test_a_project_moves_to_a_group_of_its_maintainers(
    fakeplat: Fakeplat, role: str, creation_level: str, moves: bool
) -> None:
    """Developers who may create projects in a group cannot transfer one to it."""
    fakeplat.load({"groups": [{"path": "open", "project_creation_level": creation_level, "members": {"ada": role}}]})
    failed = (400, 'Failed to transfer project {:new_namespace=>["Transfer failed, please contact an admin."]}')
    reply = fakeplat.as_user("ada").put(f"{SITE}/transfer", json={"namespace": "open"})

    assert ((200, None) if moves else failed) == (reply.status, reply.json().get("message"))


def test_a_project_does_not_move_to_a_full_namespace(fakeplat: Fakeplat) -> None:
    """A namespace at its limit takes no projects except from administrators."""
    fakeplat.load({"users": [{"username": "ada", "projects_limit": 1}]})
    status, body = refusal(fakeplat, "ada", "PUT", f"{SITE}/transfer", json={"namespace": "ada"})

    assert (400, 'Failed to transfer project {:new_namespace=>["Transfer failed, please contact an admin."]}') == (
        status,
        body["message"],
    )
    assert 200 == fakeplat.as_user("root").put(f"{SITE}/transfer", json={"namespace": "ada"}).status


def test_a_move_onto_a_taken_path_fails(fakeplat: Fakeplat) -> None:
    """A failed transfer is a 400 that says so."""
    fakeplat.as_user("ada").post("projects", json={"name": "Site"})
    status, body = refusal(fakeplat, "ada", "PUT", f"{SITE}/transfer", json={"namespace": "ada"})

    assert 400 == status
    assert body["message"].startswith("Failed to transfer project {")


# housekeeping


@pytest.mark.fakeplat(clock="virtual")
def test_housekeeping_once_an_hour(fakeplat: Fakeplat) -> None:
    """The first request answers 201, one within the hour 409, one after it 201 again."""
    calls = fakeplat.as_user("mia")
    busy = (409, {"message": "Somebody already triggered housekeeping for this project in the past 60 minutes"})

    assert (201, None) == outcome(calls.post(f"{SITE}/housekeeping"))
    assert busy == refusal(fakeplat, "mia", "POST", f"{SITE}/housekeeping")
    fakeplat.clock.advance("61m")
    assert 201 == calls.post(f"{SITE}/housekeeping").status


@pytest.mark.parametrize(("viewer", "expected"), BELOW_MAINTAINER)
def test_housekeeping_is_for_maintainers(fakeplat: Fakeplat, viewer: str | None, expected: Outcome) -> None:
    """Below Maintainer housekeeping is forbidden."""
    assert expected == refusal(fakeplat, viewer, "POST", f"{SITE}/housekeeping")


def test_a_moved_project_copies_labels_and_milestones(fakeplat: Fakeplat) -> None:
    """Labels and milestones of the group that it left become its own, by title."""
    calls = fakeplat.as_user("ada")
    calls.post("groups/acme/labels", json={"name": "wide", "color": "#123456"})
    milestone = calls.post("groups/acme/milestones", json={"title": "Era"}).json()["id"]
    issue = {"title": "x", "labels": "wide", "milestone_id": milestone}
    iid = calls.post("projects/acme%2Fsite/issues", json=issue).json()["iid"]
    assert 200 == calls.put("projects/acme%2Fsite/transfer", json={"namespace": "ada"}).status

    moved = calls.get(f"projects/ada%2Fsite/issues/{iid}").json()
    assert (["wide"], "Era") == (moved["labels"], moved["milestone"]["title"])
    assert "wide" in [label["name"] for label in calls.get("projects/ada%2Fsite/labels").json()]
    assert ["Era"] == [
        milestone_row["title"] for milestone_row in calls.get("projects/ada%2Fsite/milestones?title=Era").json()
    ]


@by_release(
    TRANSFERS_ARE_EXPLAINED,
    "texts",
    {
        "17.11": ["Transfer failed, please contact an admin."] * 2,
        "18.0": [
            "Project is already in this namespace.",
            "You don't have permission to transfer projects into that namespace.",
        ],
    },
)
def test_later_releases_explain_refused_transfers(fakeplat: Fakeplat, texts: list[str]) -> None:
    """Later releases say whether the namespace is the same or takes no projects of the caller."""
    fakeplat.load({"groups": [{"path": "open", "project_creation_level": "noone", "members": {"ada": "owner"}}]})
    for namespace, text in zip(("acme", "open"), texts, strict=True):
        failed = f'Failed to transfer project {{:new_namespace=>["{text}"]}}'
        answer = fakeplat.as_user("ada").put(f"{SITE}/transfer", json={"namespace": namespace})
        assert (400, {"message": failed}) == (answer.status, answer.json())
