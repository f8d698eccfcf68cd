"""Lists of projects.

Source: docs/platform/projects.md, docs/platform/pagination.md.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.fields import (
    LIST,
    NULL,
    NUMBER,
    OBJECT,
    OF_CODE,
    PROJECT_FULL,
    PROJECT_PAID,
    PROJECT_SIMPLE,
    TEXT,
    list_mistyped_fields,
)
from tests.api.lists_world import ALPHA, BETA, GAMMA, OPEN, WORLD
from tests.api.requests import invalid, names, paths, refusal

STARTER_VIEWS = [
    (None, {"acme/docs"}),
    ("ext", {"acme/docs"}),
    ("eve", {"acme/docs", "acme/tools/kit"}),
    ("gus", {"acme/docs", "acme/tools/kit", "acme/site"}),
    ("ada", {"acme/docs", "acme/tools/kit", "acme/site", "ada/notes"}),
    ("root", {"acme/docs", "acme/tools/kit", "acme/site", "ada/notes"}),
]


@pytest.mark.parametrize(("viewer", "seen"), STARTER_VIEWS)
def test_visible_projects_by_viewer(fakeplat: Fakeplat, viewer: str | None, seen: set[str]) -> None:
    """Public ones everybody, internal ones who is signed in and not external, private ones members."""
    assert seen == set(paths(fakeplat.as_user(viewer).get("projects")))


@pytest.mark.parametrize(
    ("viewer", "query", "fields"),
    [
        (None, "", PROJECT_SIMPLE),
        (None, "statistics=true", PROJECT_SIMPLE),
        ("ada", "simple=true", PROJECT_SIMPLE),
        ("root", "simple=true", PROJECT_SIMPLE),
        ("ada", "search=site", PROJECT_FULL | {"permissions"}),
        ("ada", "search=notes", PROJECT_FULL | {"permissions", "owner"}),
        ("rep", "search=site&statistics=true", PROJECT_FULL | {"permissions", "statistics"}),
        ("gus", "search=site&statistics=true", (PROJECT_FULL | {"permissions"}) - OF_CODE),
        ("gus", "search=site&with_custom_attributes=true", (PROJECT_FULL | {"permissions"}) - OF_CODE),
        ("root", "search=site&with_custom_attributes=true", PROJECT_FULL | {"permissions", "custom_attributes"}),
    ],
)
def test_the_viewer_decides_which_fields_a_project_has(
    fakeplat: Fakeplat, viewer: str | None, query: str, fields: set[str]
) -> None:
    """The caller and the parameters decide which fields a listed project has."""
    assert fields == set(fakeplat.as_user(viewer).get(f"projects?{query}").json()[0])


@pytest.mark.fakeplat(tier="premium")
@pytest.mark.parametrize(
    ("viewer", "fields"),
    [
        ("ada", PROJECT_FULL | PROJECT_PAID | {"permissions"}),
        ("root", PROJECT_FULL | PROJECT_PAID | {"permissions", "repository_storage"}),
    ],
)
def test_paid_tiers_show_more_of_a_project(fakeplat: Fakeplat, viewer: str, fields: set[str]) -> None:
    """Paid tiers add their own fields; where the repository lies is for administrators."""
    assert fields == set(fakeplat.as_user(viewer).get("projects?search=site").json()[0])


def test_published_fields_have_their_published_types(fakeplat: Fakeplat) -> None:
    """Fields that stand in every published format of a list of projects have one of the published types."""
    types = {
        **dict.fromkeys(("id", "star_count"), (NUMBER,)),
        **dict.fromkeys(
            ("avatar_url", "created_at", "default_branch", "description", "last_activity_at"), (TEXT, NULL)
        ),
        **dict.fromkeys(("http_url_to_repo", "name", "name_with_namespace", "path", "path_with_namespace"), (TEXT,)),
        **dict.fromkeys(("ssh_url_to_repo", "web_url"), (TEXT,)),
        "namespace": (OBJECT,),
        "tag_list": (LIST,),
    }
    rows = [*fakeplat.as_user(None).get("projects").json(), *fakeplat.as_user("ada").get("projects").json()]

    assert [{}] * 5 == [list_mistyped_fields(row, types) for row in rows]


@pytest.mark.fakeplat(scenario=WORLD)
@pytest.mark.parametrize(
    ("viewer", "query", "expected"),
    [
        ("ben", "", {ALPHA, BETA, GAMMA, OPEN}),
        ("ben", "archived=true", {GAMMA}),
        ("ben", "archived=false", {ALPHA, BETA, OPEN}),
        (None, "archived=false", {OPEN}),
        ("ben", "visibility=private", {ALPHA}),
        ("ben", "visibility=internal", {BETA}),
        ("ben", "visibility=public", {GAMMA, OPEN}),
        ("ben", "search=ALPH", {ALPHA}),
        ("ben", "search=zet", {BETA}),
        ("ben", "search=first+thing", {ALPHA}),
        ("ben", "search=red", set()),
        ("ben", "search=red&search_namespaces=true", {ALPHA, BETA, GAMMA}),
        ("ben", "search=red%2Fal&search_namespaces=true", {ALPHA}),
        ("ben", "search=Red+%2F+A&search_namespaces=true", {ALPHA}),
        ("ann", "owned=true", {ALPHA, BETA, GAMMA}),
        ("ben", "owned=true", {OPEN}),
        ("eve", "owned=true", set()),
        (None, "owned=true", set()),
        ("ann", "membership=true", {ALPHA, BETA, GAMMA}),
        ("ben", "membership=true", {ALPHA, BETA, GAMMA, OPEN}),
        ("eve", "membership=true", set()),
        (None, "membership=true", set()),
        ("ben", "starred=true", {ALPHA, OPEN}),
        ("eve", "starred=true", {OPEN}),
        ("ann", "starred=true", set()),
        (None, "starred=true", {GAMMA, OPEN}),
        ("ben", "with_issues_enabled=true", {ALPHA, GAMMA, OPEN}),
        ("ben", "with_issues_enabled=false", {ALPHA, BETA, GAMMA, OPEN}),
        ("eve", "with_merge_requests_enabled=true", {BETA, OPEN}),
        ("ben", "with_merge_requests_enabled=true", {ALPHA, BETA, GAMMA, OPEN}),
        ("ben", "with_programming_language=ruby", {ALPHA}),
        ("ben", "with_programming_language=Python", set()),
        ("ben", "min_access_level=10", {ALPHA, BETA, GAMMA, OPEN}),
        ("ben", "min_access_level=20", {ALPHA, BETA, GAMMA, OPEN}),
        ("ben", "min_access_level=30", {BETA, OPEN}),
        ("ben", "min_access_level=40", {BETA, OPEN}),
        ("ben", "min_access_level=50", {OPEN}),
        ("ann", "min_access_level=50", {ALPHA, BETA, GAMMA}),
        ("eve", "min_access_level=10", set()),
        (None, "min_access_level=10", set()),
        ("ben", "owned=true&min_access_level=10", {OPEN}),
        ("ben", "last_activity_after=2020-04-01T00:00:00Z", {BETA, GAMMA, OPEN}),
        ("ben", "last_activity_before=2020-04-01T00:00:00Z", {ALPHA, BETA}),
        ("ben", "last_activity_after=2020-04-01&last_activity_before=2020-05-01", {BETA, GAMMA}),
        ("root", "repository_storage=second", {OPEN}),
        ("ben", "repository_storage=second", {ALPHA, BETA, GAMMA, OPEN}),
        ("root", "custom_attributes[team]=x", {ALPHA, BETA}),
        ("root", "custom_attributes[team]=x&custom_attributes[room]=2", {BETA}),
        ("root", "custom_attributes[team]=y", set()),
        ("root", "owned=true", set()),
        ("root", "membership=true", set()),
        ("root", "min_access_level=10", set()),
        ("root", "unheard_of=1", {ALPHA, BETA, GAMMA, OPEN}),
    ],
)
def test_filters(fakeplat: Fakeplat, viewer: str | None, query: str, expected: set[str]) -> None:
    """Each filter of the list of projects selects the expected ones."""
    assert expected == set(paths(fakeplat.as_user(viewer).get(f"projects?{query}")))


@pytest.mark.fakeplat(scenario=WORLD)
@pytest.mark.parametrize(
    ("query", "order"),
    [
        ("", [OPEN, ALPHA, GAMMA, BETA]),
        ("sort=asc", [BETA, GAMMA, ALPHA, OPEN]),
        ("order_by=created_at&sort=desc", [OPEN, ALPHA, GAMMA, BETA]),
        ("order_by=id&sort=asc", [ALPHA, BETA, GAMMA, OPEN]),
        ("order_by=id", [OPEN, GAMMA, BETA, ALPHA]),
        ("order_by=name&sort=asc", [ALPHA, GAMMA, OPEN, BETA]),
        ("order_by=name", [BETA, OPEN, GAMMA, ALPHA]),
        ("order_by=path&sort=asc", [ALPHA, BETA, GAMMA, OPEN]),
        ("order_by=path", [OPEN, GAMMA, BETA, ALPHA]),
        ("order_by=updated_at&sort=asc", [OPEN, BETA, ALPHA, GAMMA]),
        ("order_by=updated_at", [GAMMA, ALPHA, BETA, OPEN]),
        ("order_by=last_activity_at&sort=asc", [ALPHA, BETA, GAMMA, OPEN]),
        ("order_by=last_activity_at", [OPEN, GAMMA, BETA, ALPHA]),
        ("order_by=storage_size", [OPEN, ALPHA, GAMMA, BETA]),
        ("order_by=repository_size&sort=asc", [BETA, GAMMA, ALPHA, OPEN]),
        ("order_by=wiki_size", [OPEN, ALPHA, GAMMA, BETA]),
    ],
)
def test_orders(fakeplat: Fakeplat, query: str, order: list[str]) -> None:
    """Projects are listed newest first by default, and by sizes only for administrators."""
    assert order == paths(fakeplat.as_user("ben").get(f"projects?{query}"))


@pytest.mark.fakeplat(scenario=WORLD)
def test_bounds_of_ids_are_strict(fakeplat: Fakeplat) -> None:
    """The filters id_after and id_before leave their own id out."""
    first, second, third, fourth = names(fakeplat.as_user("ben").get("projects?order_by=id&sort=asc").json(), "id")

    reply = fakeplat.as_user("ben").get(f"projects?id_after={first}&id_before={fourth}&order_by=id&sort=asc")
    assert [second, third] == names(reply.json(), "id")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("order_by=size", invalid("order_by does not have a valid value")),
        ("sort=up", invalid("sort does not have a valid value")),
        ("visibility=secret", invalid("visibility does not have a valid value")),
        ("min_access_level=15", invalid("min_access_level does not have a valid value")),
        ("archived=maybe", invalid("archived is invalid")),
        ("id_after=x", invalid("id_after is invalid")),
        ("last_activity_after=x", invalid("last_activity_after is invalid")),
        ("page=x", invalid("page is invalid")),
        ("per_page=0", invalid("per_page has a value not allowed")),
        ("order_by=size&sort=up", invalid("order_by does not have a valid value, sort does not have a valid value")),
    ],
)
@pytest.mark.parametrize("viewer", [None, "eve"])
@pytest.mark.parametrize("path", ["projects", "users/2/projects"])
def test_parameters_that_cannot_be(
    fakeplat: Fakeplat, path: str, viewer: str | None, query: str, expected: tuple[int, Any]
) -> None:
    """A parameter of a wrong kind or value is a 400 that names it."""
    assert expected == refusal(fakeplat, viewer, "GET", f"{path}?{query}")
