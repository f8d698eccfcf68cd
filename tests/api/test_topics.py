"""Topics of projects. Source: the platform's request spec of topics."""

from collections.abc import Callable
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import TOPICS_HAVE_AN_ORGANIZATION
from tests.api.requests import FORBIDDEN, UNAUTHORIZED, Outcome, form, invalid, invalid_record, names, outcome, refusal
from tests.by_release import by_release

WORLD = {
    "extends": "starter",
    "projects": [
        {"path_with_namespace": "acme/one", "tag_list": ["other-topic", "GitLab", "Git"]},
        {"path_with_namespace": "acme/two", "tag_list": ["other-topic", "GitLab"]},
        {"path_with_namespace": "acme/three", "tag_list": ["other-topic"]},
    ],
}
pytestmark = pytest.mark.fakeplat(scenario=WORLD, version="latest")
NOT_FOUND: Outcome = (404, {"message": "404 Not found"})
PICTURE = ("dk.png", "image/png", b"png")


def list_topics(fake: Fakeplat, query: str = "") -> list[dict[str, Any]]:
    return list(fake.as_user(None).get(f"topics{query}").json())


def list_ids(fake: Fakeplat) -> dict[str, int]:
    return {topic["name"]: topic["id"] for topic in list_topics(fake)}


def list_tags(fake: Fakeplat, name: str) -> list[str]:
    return list(fake.as_user("root").get(f"projects/acme%2F{name}").json()["tag_list"])


def test_the_names_in_tag_lists_are_topics(fakeplat: Fakeplat) -> None:
    """The names in tag lists are topics, listed publicly with those of most projects first."""
    rows = list_topics(fakeplat)

    assert [("other-topic", 3), ("GitLab", 2), ("Git", 1)] == [
        (row["name"], row["total_projects_count"]) for row in rows
    ]
    assert {
        "id": rows[0]["id"],
        "name": "other-topic",
        "title": "other-topic",
        "organization_id": 1,
        "description": None,
        "total_projects_count": 3,
        "avatar_url": None,
    } == fakeplat.as_user(None).get(f"topics/{rows[0]['id']}").json()


def test_a_project_that_is_given_a_topic_counts(fakeplat: Fakeplat) -> None:
    """A topic stays when no project has it any more."""
    root = fakeplat.as_user("root")
    root.put("projects/acme%2Fthree", json={"tag_list": ["fresh", "git"]})
    assert {"GitLab": 2, "other-topic": 2, "Git": 2, "fresh": 1} == {
        row["name"]: row["total_projects_count"] for row in list_topics(fakeplat)
    }
    root.put("projects/acme%2Fthree", json={"tag_list": []})
    assert ["fresh"] == names(list_topics(fakeplat, "?without_projects=true"), "name")


@pytest.mark.parametrize(
    ("search", "expected"),
    [
        ("", ["other-topic", "GitLab", "Git"]),
        ("g", []),
        ("gi", []),
        ("git", ["Git", "GitLab"]),
        ("x", []),
        ("0", []),
    ],
)
def test_a_search_needs_three_characters(fakeplat: Fakeplat, search: str, expected: list[str]) -> None:
    """The most similar names come first."""
    assert expected == names(list_topics(fakeplat, f"?search={search}"), "name")


@pytest.mark.parametrize(
    ("query", "expected"), [("page=2&per_page=1", ["GitLab"]), ("page=2&per_page=2", ["Git"]), ("page=2", [])]
)
def test_topics_are_listed_in_pages(fakeplat: Fakeplat, query: str, expected: list[str]) -> None:
    """Topics are listed in pages like all lists."""
    assert expected == names(list_topics(fakeplat, f"?{query}"), "name")


def test_administrators_create_a_topic_with_a_picture(fakeplat: Fakeplat) -> None:
    """Administrators create a topic whose picture is public."""
    body = form(name="my-topic", title="My Topic", description="my description...", avatar=PICTURE)
    topic = fakeplat.as_user("root").post("topics", **body).json()
    url = f"/uploads/-/system/projects/topic/avatar/{topic['id']}/dk.png"

    assert ("my-topic", "My Topic", "my description...", 0) == (
        topic["name"],
        topic["title"],
        topic["description"],
        topic["total_projects_count"],
    )
    assert topic["avatar_url"].endswith(url)
    assert "png" == fakeplat.as_user(None).get(topic["avatar_url"]).text


@pytest.mark.parametrize(("version", "has_title"), [("14.10", False), ("15.0", True), ("latest", True)])
def test_topics_came_without_titles(fakeplat_factory: Callable[..., Fakeplat], version: str, has_title: bool) -> None:
    """Until 15.0 topics have no title; from then on a new one requires it."""
    root = fakeplat_factory(version=version).as_user("root")
    titled = root.post("topics", json={"name": "a", "title": "A"}).json()
    plain = outcome(root.post("topics", json={"name": "b"}))
    changed = root.put(f"topics/{titled['id']}", json={"title": "Z"}).json()

    assert ("A" if has_title else None) == titled.get("title")
    assert ("Z" if has_title else None) == changed.get("title")
    assert (400 if has_title else 201) == plain[0]
    assert not has_title or invalid("title is missing") == plain


def test_a_new_name_reaches_the_projects_and_an_empty_picture_removes_it(fakeplat: Fakeplat) -> None:
    """A picture that is not mentioned stays."""
    root, id_ = fakeplat.as_user("root"), list_ids(fakeplat)["GitLab"]
    with_picture = root.put(f"topics/{id_}", **form(avatar=PICTURE)).json()
    renamed = root.put(f"topics/{id_}", json={"name": "new-name"}).json()

    assert ("new-name", with_picture["avatar_url"], 2) == (
        renamed["name"],
        renamed["avatar_url"],
        renamed["total_projects_count"],
    )
    assert ["other-topic", "new-name", "Git"] == list_tags(fakeplat, "one")
    assert invalid_record(name=["has already been taken"]) == refusal(
        fakeplat, "root", "PUT", f"topics/{id_}", json={"name": "git", "avatar": ""}
    )
    assert root.put(f"topics/{id_}", json={"avatar": ""}).json()["avatar_url"] is None


def test_a_deleted_topic_leaves_its_projects(fakeplat: Fakeplat) -> None:
    """Deleting a topic removes it from its projects in any case."""
    assert 204 == fakeplat.as_user("root").delete(f"topics/{list_ids(fakeplat)['GitLab']}").status
    assert [["other-topic", "Git"], ["other-topic"]] == [list_tags(fakeplat, "one"), list_tags(fakeplat, "two")]


def test_merging_gives_the_projects_of_one_topic_to_another(fakeplat: Fakeplat) -> None:
    """Merging topics moves their projects and deletes the source."""
    known = list_ids(fakeplat)
    body = {"source_topic_id": known["other-topic"], "target_topic_id": known["GitLab"]}
    reply = fakeplat.as_user("root").post("topics/merge", json=body)

    assert (201, known["GitLab"], 3) == (reply.status, reply.json()["id"], reply.json()["total_projects_count"])
    assert ["GitLab", "Git"] == list_tags(fakeplat, "one")
    assert ["GitLab", "Git"] == names(list_topics(fakeplat), "name")


@pytest.mark.parametrize(
    ("user", "method", "path", "body", "expected"),
    [
        ("root", "POST", "topics", {"title": "x"}, invalid("name is missing")),
        ("root", "POST", "topics", {"name": "x"}, invalid("title is missing")),
        ("root", "POST", "topics", {"name": "git", "title": "x"}, invalid_record(name=["has already been taken"])),
        (
            "root",
            "POST",
            "topics",
            {"name": "x", "title": "x" * 256},
            invalid_record(title=["is too long (maximum is 255 characters)"]),
        ),
        ("dev", "POST", "topics", {"name": "x", "title": "x"}, FORBIDDEN),
        (None, "POST", "topics", {"name": "x", "title": "x"}, UNAUTHORIZED),
        (None, "GET", "topics/1", None, NOT_FOUND),
        (None, "GET", "topics/x", None, invalid("id is invalid")),
        ("root", "PUT", "topics/1", {}, NOT_FOUND),
        ("root", "DELETE", "topics/1", None, NOT_FOUND),
        ("root", "POST", "topics/merge", {"source_topic_id": 1, "target_topic_id": 2}, NOT_FOUND),
    ],
    ids=range(11),
)
def test_refused_requests(
    fakeplat: Fakeplat, user: str | None, method: str, path: str, body: Any, expected: Outcome
) -> None:
    """Parameters are validated before the caller."""
    assert expected == refusal(fakeplat, user, method, path, json=body)


def test_a_topic_is_not_merged_into_itself(fakeplat: Fakeplat) -> None:
    """Merging a topic into itself answers 400."""
    id_ = list_ids(fakeplat)["Git"]
    expected = (400, {"message": "The source topic and the target topic are identical."})
    body = {"source_topic_id": id_, "target_topic_id": id_}
    assert expected == refusal(fakeplat, "root", "POST", "topics/merge", json=body)


def test_topics_belong_to_the_only_organization(fakeplat: Fakeplat) -> None:
    """Topics of another organization are neither listed nor created."""
    missing: Outcome = (404, {"message": "404 Organization Not Found"})
    topic = {"name": "new", "title": "New", "organization_id": 2}

    assert list_topics(fakeplat) == list_topics(fakeplat, "?organization_id=1")
    assert missing == refusal(fakeplat, None, "GET", "topics?organization_id=2")
    assert missing == refusal(fakeplat, "root", "POST", "topics", json=topic)
    assert FORBIDDEN == refusal(fakeplat, "ada", "POST", "topics", json=topic)
    assert 201 == fakeplat.as_user("root").post("topics", json={**topic, "organization_id": 1}).status


@by_release(TOPICS_HAVE_AN_ORGANIZATION, "status", {"18.8": 200, "18.9": 404})
def test_the_release_that_knows_organizations(fakeplat: Fakeplat, status: int) -> None:
    """Earlier releases ignore the parameter."""
    assert status == fakeplat.as_user(None).get("topics?organization_id=2").status
