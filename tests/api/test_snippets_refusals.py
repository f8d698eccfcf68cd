"""Refusals of invalid snippets, with the platform's texts.

Source: docs/platform/project-snippets.md, docs/platform/errors.md, docs/platform/settings.md.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.company import COMPANY
from tests.api.planning_records import SITE
from tests.api.requests import NO_ROUTE, Outcome, invalid, refusal, resource_not_found
from tests.api.snippets import UNKNOWN, create_personal_snippet, create_project_snippet, files

pytestmark = [pytest.mark.every_release, pytest.mark.fakeplat(scenario=COMPANY)]
BOTH = pytest.mark.parametrize("container", ["", f"{SITE}/"])
FILES = files(a="x")
NOTHING = (
    "content, description, files, file_name, title, visibility are missing, at least one parameter must be provided"
)


def refused_snippet(text: str, status: int = 400) -> Outcome:
    """Return the refusal of a change of a snippet, with a sentence under ``error``."""
    return status, {"message": {"error": text}}


UNSOUND = refused_snippet("Snippet actions have invalid data", 422)
FAILED = refused_snippet("Error updating the snippet")


CREATED: list[tuple[dict[str, Any], Outcome]] = [
    (
        {},
        invalid("title is missing, title is empty, files, content are missing, exactly one parameter must be provided"),
    ),
    ({"files": FILES}, invalid("title is missing, title is empty")),
    ({"title": "", "files": FILES}, invalid("title is empty")),
    ({"title": " ", "files": FILES}, invalid("title is empty")),
    ({"title": None, "files": FILES}, invalid("title is empty")),
    ({"title": ["x"], "files": FILES}, invalid("title is invalid")),
    ({"title": "x", "files": FILES, "visibility": "secret"}, invalid("visibility does not have a valid value")),
    ({"title": "x"}, invalid("files, content are missing, exactly one parameter must be provided")),
    (
        {"title": "x", "files": FILES, "content": "x", "file_name": "a"},
        invalid("files, content are mutually exclusive"),
    ),
    ({"title": "x", "content": "x"}, invalid("file_name is missing")),
    ({"title": "x", "content": "", "file_name": "a"}, invalid("content is empty")),
    ({"title": "x", "content": " ", "file_name": "a"}, invalid("content is empty")),
    ({"title": "x", "files": "a"}, invalid("files is invalid")),
    ({"title": "x", "files": {"a": "x"}}, invalid("files is invalid")),
    ({"title": "x", "files": ["a"]}, invalid("files is invalid")),
    (
        {"title": "x", "files": [{"file_path": "a"}]},
        invalid("files[0][content] is missing, files[0][content] is empty"),
    ),
    (
        {"title": "x", "files": [{"content": "a"}]},
        invalid(
            "files[0][file_path] is missing, files[0][file_path] should be a valid file path, "
            "files[0][file_path] is empty"
        ),
    ),
    (
        {"title": "x", "files": [{"file_path": None, "content": "a"}]},
        invalid("files[0][file_path] should be a valid file path, files[0][file_path] is empty"),
    ),
    ({"title": "x", "files": [{"file_path": "a", "content": None}]}, invalid("files[0][content] is empty")),
    (
        {"title": "x", "files": [{"file_path": "/etc/passwd", "content": "x"}]},
        invalid("files[0][file_path] should be a valid file path"),
    ),
    ({"title": "x", "files": [*FILES, {"file_path": "b", "content": ""}]}, invalid("files[1][content] is empty")),
    ({"title": "x", "files": [{"file_path": "", "content": "x"}]}, invalid("files[0][file_path] is empty")),
    (
        {"title": "x", "files": [{"file_path": "../a", "content": "x"}]},
        invalid("files[0][file_path] should be a valid file path"),
    ),
    (
        {"title": "x", "files": [{"file_path": "a/../../b", "content": "x"}]},
        invalid("files[0][file_path] should be a valid file path"),
    ),
    ({"title": "x" * 256, "files": FILES}, refused_snippet("Title is too long (maximum is 255 characters)")),
    (
        {"title": "x", "content": "x", "file_name": "x" * 256},
        refused_snippet("File name is too long (maximum is 255 characters)"),
    ),
    (
        {"title": "x" * 256, "content": "x", "file_name": "x" * 256},
        refused_snippet(
            "Title is too long (maximum is 255 characters) and File name is too long (maximum is 255 characters)"
        ),
    ),
    ({"title": "x", "files": []}, refused_snippet("Content can't be blank")),
    (
        {"title": "x", "files": [{"file_path": ".git/config", "content": "x"}]},
        refused_snippet("Error creating the snippet - invalid path: '.git/config'"),
    ),
    (
        {"title": "x", "content": "x", "file_name": "../x"},
        refused_snippet("Error creating the snippet - Path cannot include directory traversal"),
    ),
    ({"title": "x", "content": "x", "file_name": "./"}, refused_snippet("Error creating the snippet")),
    ({"title": "x", "files": files(a="1", a__b="2")}, refused_snippet("Error creating the snippet")),
    ({"title": "x", "files": [*FILES, *FILES]}, refused_snippet("Error creating the snippet")),
    (
        {"title": "x", "files": [{"file_path": f"f{number}", "content": "x"} for number in range(11)]},
        refused_snippet("Error creating the snippet"),
    ),
]


@BOTH
@pytest.mark.parametrize(("body", "expected"), CREATED)
def test_invalid_snippets_are_refused(
    fakeplat: Fakeplat, container: str, body: dict[str, Any], expected: Outcome
) -> None:
    """An invalid new snippet is refused with the platform's text and not created."""
    assert expected == refusal(fakeplat, "dev", "POST", f"{container}snippets", json=body)


def build_actions(kind: str | None = None, **said_of_it: Any) -> dict[str, Any]:
    """Changes of one file."""
    return {"files": [{**({"action": kind} if kind else {}), **said_of_it}]}


CHANGED: list[tuple[dict[str, Any], Outcome]] = [
    ({}, invalid(NOTHING)),
    ({"nothing": 1}, invalid(NOTHING)),
    ({"title": ""}, invalid("title is empty")),
    ({"title": None}, invalid("title is empty")),
    ({"content": ""}, invalid("content is empty")),
    ({"visibility": "x"}, invalid("visibility does not have a valid value")),
    ({"files": [], "content": "x"}, invalid("files, content are mutually exclusive")),
    ({"files": [], "file_name": "x"}, invalid("files, file_name are mutually exclusive")),
    (
        {"files": [], "file_name": "x", "content": "x"},
        invalid("files, content are mutually exclusive, files, file_name are mutually exclusive"),
    ),
    (build_actions(file_path="a"), invalid("files[0][action] is missing")),
    (build_actions("rename"), invalid("files[0][action] does not have a valid value")),
    (build_actions("update", file_path="../a"), invalid("files[0][file_path] should be a valid file path")),
    (
        build_actions("move", file_path="a", previous_path="x/../y"),
        invalid("files[0][previous_path] should be a valid file path"),
    ),
    (build_actions("move", file_path="b"), UNSOUND),
    (build_actions("move", file_path="b", previous_path=""), UNSOUND),
    (build_actions("move", file_path="a.txt", previous_path="a.txt"), UNSOUND),
    (build_actions("move", previous_path="a.txt"), UNSOUND),
    (build_actions("update", content="x"), UNSOUND),
    (build_actions("update", file_path="", content="x"), UNSOUND),
    (build_actions("delete"), UNSOUND),
    (build_actions("create", file_path="b"), UNSOUND),
    (build_actions("create", file_path="b", content=" "), UNSOUND),
    (build_actions("update", file_path="a.txt"), UNSOUND),
    (build_actions("update", file_path="a.txt", content="x", previous_path="b"), UNSOUND),
    ({"files": [*build_actions("update", file_path="a.txt", content="x")["files"], {"action": "delete"}]}, UNSOUND),
    (build_actions("create", file_path="a.txt", content="x"), FAILED),
    (build_actions("create", file_path="a.txt/b", content="x"), FAILED),
    (build_actions("update", file_path="b", content="x"), FAILED),
    (build_actions("delete", file_path="b"), FAILED),
    (build_actions("delete", file_path="a.txt"), FAILED),
    (build_actions("move", file_path="c", previous_path="b"), FAILED),
    (
        build_actions("create", file_path="x/.git", content="x"),
        refused_snippet("Error updating the snippet - invalid path: 'x/.git'"),
    ),
    ({"title": "x" * 256}, refused_snippet("Title is too long (maximum is 255 characters)")),
    ({"file_name": "x" * 256}, refused_snippet("File name is too long (maximum is 255 characters)")),
    ({"file_name": "../x"}, refused_snippet("Error updating the snippet - Path cannot include directory traversal")),
    ({"file_name": ".git"}, refused_snippet("Error updating the snippet - invalid path: '.git'")),
    ({"files": [{"action": "create", "content": "x"} for _ in range(10)]}, FAILED),
]


@BOTH
@pytest.mark.parametrize(("body", "expected"), CHANGED)
def test_invalid_changes_are_refused(
    fakeplat: Fakeplat, container: str, body: dict[str, Any], expected: Outcome
) -> None:
    """An invalid change of a snippet is refused with the platform's text."""
    snippet = create_project_snippet(fakeplat, SITE) if container else create_personal_snippet(fakeplat)
    assert expected == refusal(fakeplat, "dev", "PUT", snippet, json=body)


@BOTH
@pytest.mark.parametrize(
    "body", [{"content": "x"}, {"file_name": "x"}, {"file_name": ""}, {"content": "x", "file_name": "x"}]
)
def test_several_files_are_changed_by_files_only(fakeplat: Fakeplat, container: str, body: dict[str, Any]) -> None:
    """The deprecated parameters are for a single file."""
    two = files(a="1", b="2")
    snippet = (
        create_project_snippet(fakeplat, SITE, files=two) if container else create_personal_snippet(fakeplat, files=two)
    )
    expected = refused_snippet("To update Snippets with multiple files, you must use the `files` parameter")
    assert expected == refusal(fakeplat, "dev", "PUT", snippet, json=body)


@BOTH
def test_parameters_are_validated_before_the_snippet_is_searched(fakeplat: Fakeplat, container: str) -> None:
    """A snippet that is not there is 404 only where the parameters are right."""
    assert invalid(NOTHING) == refusal(fakeplat, "dev", "PUT", f"{container}{UNKNOWN}", json={})
    assert resource_not_found("Snippet") == refusal(
        fakeplat, "dev", "PUT", f"{container}{UNKNOWN}", json={"title": "x"}
    )


@pytest.mark.parametrize(("container", "name"), [("", "id"), (f"{SITE}/", "snippet_id")])
@pytest.mark.parametrize("tail", ["", "/raw", "/files/master/a/raw", "/user_agent_detail"])
def test_the_number_of_a_snippet_is_a_number(fakeplat: Fakeplat, container: str, name: str, tail: str) -> None:
    """Refused under the name that the path has for it."""
    by = "root" if "agent" in tail else "dev"
    assert invalid(f"{name} is invalid") == refusal(fakeplat, by, "GET", f"{container}snippets/abc{tail}")


@BOTH
@pytest.mark.parametrize(
    ("tail", "expected"),
    [
        ("files/nothing/a.txt/raw", resource_not_found("Reference")),
        ("files/ffffffffffffffffffffffffffffffffffffffff/a.txt/raw", resource_not_found("Reference")),
        ("files/main/a.txt/raw", resource_not_found("Reference")),
        ("files/master/b.txt/raw", resource_not_found("File")),
        ("files/master/a.txt%2Fb/raw", resource_not_found("File")),
        ("files/nothing/b.txt/raw", resource_not_found("Reference")),
        ("files/master/..%2Fa.txt/raw", invalid("file_path should be a valid file path")),
        ("files/master/a/b/raw", NO_ROUTE),
    ],
)
def test_a_file_that_is_not_there(fakeplat: Fakeplat, container: str, tail: str, expected: Outcome) -> None:
    """An unknown revision of a snippet is reported before an unknown file."""
    snippet = create_project_snippet(fakeplat, SITE) if container else create_personal_snippet(fakeplat)
    assert expected == refusal(fakeplat, "dev", "GET", f"{snippet}/{tail}")


@BOTH
@pytest.mark.parametrize(
    ("limit", "size", "text"),
    [
        (1, 2, "Content is too long (2 Bytes). The maximum size is 1 Byte."),
        (1024, 1536, "Content is too long (1.5 KB). The maximum size is 1 KB."),
        (1024, 2047, "Content is too long (2 KB). The maximum size is 1 KB."),
        (2_097_152, 2_200_000, "Content is too long (2.1 MB). The maximum size is 2 MB."),
    ],
)
def test_contents_have_a_limit(fakeplat: Fakeplat, container: str, limit: int, size: int, text: str) -> None:
    """Contents above `snippet_size_limit` are refused with both sizes."""
    snippet = create_project_snippet(fakeplat, SITE) if container else create_personal_snippet(fakeplat)
    fakeplat.load({"settings": {"snippet_size_limit": limit}})
    large = {"title": "x", "files": files(a="x" * size)}
    assert refused_snippet(text) == refusal(fakeplat, "dev", "POST", f"{container}snippets", json=large)
    assert refused_snippet(text) == refusal(fakeplat, "dev", "PUT", snippet, json={"content": "x" * size})
    large = {"files": [{"action": "create", "file_path": "b", "content": "x" * size}]}
    assert refused_snippet(text) == refusal(fakeplat, "dev", "PUT", snippet, json=large)
    just = {"title": "x", "files": files(a="x" * limit)}
    assert 201 == fakeplat.as_user("dev").post(f"{container}snippets", json=just).status


def test_the_limit_counts_bytes(fakeplat: Fakeplat) -> None:
    """The size limit of a snippet counts bytes, not characters."""
    fakeplat.load({"settings": {"snippet_size_limit": 3}})
    expected = refused_snippet("Content is too long (4 Bytes). The maximum size is 3 Bytes.")
    assert expected == refusal(fakeplat, "dev", "POST", "snippets", json={"title": "x", "files": files(a="ää")})


@BOTH
def test_restricted_visibilities(fakeplat: Fakeplat, container: str) -> None:
    """Restricted visibilities answer 403 to all but administrators; existing ones stay."""
    usual = {"visibility": "public"}
    snippet = (
        create_project_snippet(fakeplat, SITE, **usual) if container else create_personal_snippet(fakeplat, **usual)
    )
    other = create_project_snippet(fakeplat, SITE) if container else create_personal_snippet(fakeplat)
    fakeplat.load({"settings": {"restricted_visibility_levels": ["public"]}})
    expected = refused_snippet("Visibility level public has been restricted by your Platform administrator", 403)
    body = {"title": "x", "visibility": "public", "files": FILES}

    assert expected == refusal(fakeplat, "dev", "POST", f"{container}snippets", json=body)
    assert expected == refusal(fakeplat, "dev", "PUT", other, json={"visibility": "public"})
    assert 200 == fakeplat.as_user("dev").put(snippet, json={"title": "x", "visibility": "public"}).status
    assert 201 == fakeplat.as_user("root").post(f"{container}snippets", json=body).status


def test_a_default_that_is_restricted(fakeplat: Fakeplat) -> None:
    """Refuses as if it had been sent."""
    fakeplat.load({"settings": {"restricted_visibility_levels": ["internal"]}})
    expected = refused_snippet("Visibility level internal has been restricted by your Platform administrator", 403)
    assert expected == refusal(fakeplat, "dev", "POST", "snippets", json={"title": "x", "files": FILES})
    assert 201 == fakeplat.as_user("dev").post(f"{SITE}/snippets", json={"title": "x", "files": FILES}).status
