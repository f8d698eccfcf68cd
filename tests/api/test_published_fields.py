"""Responses have the fields that the platform's published formats always have, with one of their types.

docs/platform/published-fields.json has them by format: those that are in each of the named releases.
"""

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any, Final

import pytest

from fakeplat.core.operations.http_messages import Request
from fakeplat.platform import Platform
from tests.api.full_world import FULL
from tests.architecture.sources import ROOT
from tests.scenario.answers import token_of
from tests.scenario.worlds import create_platform

Get = Callable[..., Any]
FORMATS: Final = json.loads((ROOT / "docs/platform/published-fields.json").read_text(encoding="utf-8"))
PREFIX: Final = "public_api/v4/"
SITE: Final = "projects/acme%2Fsite"
COMMITS: Final = f"{SITE}/repository/commits"


def by_id(path: str) -> Callable[[Get], Any]:
    """The last record of a list, as a single one."""
    return lambda get: get(f"{path}/{get(path)[-1]['id']}")


def read_part(path: str, *keys: str | int) -> Callable[[Get], Any]:
    """A part of a response."""

    def select(get: Get) -> Any:
        value = get(path)
        for key in keys:
            value = value[key]
        return value

    return select


def read_job(get: Get) -> Any:
    """A job with artifacts."""
    return next(row for row in get(f"{SITE}/jobs") if "artifacts_file" in row and row["artifacts"])


RESPONSES: Final[dict[str, str | Callable[[Get], Any]]] = {
    "artifact": lambda get: read_job(get)["artifacts"][0],
    "artifact_file": lambda get: read_job(get)["artifacts_file"],
    "blobs": f"{SITE}/search?scope=blobs&search=a",
    "board": by_id(f"{SITE}/boards"),
    "boards": f"{SITE}/boards",
    "branch": f"{SITE}/repository/branches/master",
    "branches": f"{SITE}/repository/branches",
    # The platform uses this format for a tag.
    "comment": f"{SITE}/repository/tags/v1.0",
    "commit/basic": read_part(COMMITS, 0),
    "commit/detail": f"{COMMITS}/master",
    "commit/with_stats": read_part(f"{COMMITS}?with_stats=true", 0),
    "commit_note": read_part(f"{COMMITS}/master/comments", 0),
    "commit_notes": f"{COMMITS}/master/comments",
    "commit_stats": read_part(f"{COMMITS}/master", "stats"),
    "commits": COMMITS,
    "commits_details": lambda get: [get(f"{COMMITS}/master")],
    "commits_with_stats": f"{COMMITS}?with_stats=true",
    "deploy_keys": "deploy_keys",
    "deploy_token": by_id(f"{SITE}/deploy_tokens"),
    "deploy_tokens": f"{SITE}/deploy_tokens",
    "deployment": by_id(f"{SITE}/deployments"),
    "environment": by_id(f"{SITE}/environments"),
    "environments": f"{SITE}/environments",
    "feature_flag": f"{SITE}/feature_flags/new",
    "feature_flags": f"{SITE}/feature_flags",
    "freeze_period": by_id(f"{SITE}/freeze_periods"),
    "issue": f"{SITE}/issues/9",
    "job": read_job,
    "license": "templates/licenses/mit",
    "members": f"{SITE}/members",
    "metadata": "metadata",
    "milestone": by_id(f"{SITE}/milestones"),
    "milestone_with_stats": read_part(f"{SITE}/releases/v1.0", "milestones", 0),
    "milestones": f"{SITE}/milestones",
    "notes": f"{SITE}/issues/9/notes",
    "packages/group_packages": "groups/acme/packages",
    "packages/package": by_id(f"{SITE}/packages"),
    "packages/package_files": lambda get: get(f"{SITE}/packages/{get(f'{SITE}/packages')[0]['id']}/package_files"),
    "packages/package_with_build": lambda get: next(
        single for row in get(f"{SITE}/packages") if (single := get(f"{SITE}/packages/{row['id']}")).get("pipeline")
    ),
    "packages/packages": f"{SITE}/packages",
    "pages_domain/basic": read_part("pages/domains", 0),
    "pages_domain/detail": f"{SITE}/pages/domains/www.site.test",
    "pages_domain_basics": "pages/domains",
    "pages_domains": f"{SITE}/pages/domains",
    "pipeline/basic": read_part(f"{SITE}/pipelines", 0),
    "pipeline/detail": by_id(f"{SITE}/pipelines"),
    "pipelines": f"{SITE}/pipelines",
    "project": SITE,
    "project/export_status": f"{SITE}/export",
    "project_hook": by_id(f"{SITE}/hooks"),
    "project_hooks": f"{SITE}/hooks",
    "project/identity": lambda get: next(todo["project"] for todo in get("todos?sudo=eve") if "project" in todo),
    "projects": "projects",
    "related_issues": f"{SITE}/issues/9/links",
    "release": f"{SITE}/releases/v1.0",
    "release/evidence": read_part(f"{SITE}/releases/v1.0", "evidences", 0),
    "release/tag_release": read_part(f"{SITE}/repository/tags/v1.0", "release"),
    "resource_access_token": read_part(f"{SITE}/access_tokens", 0),
    "runner": read_part("runners/all", 0),
    "snippets": "snippets",
    # The single one answers a test of the hook.
    "system_hook": read_part("hooks", 0),
    "system_hooks": "hooks",
    "tag": f"{SITE}/repository/tags/v1.0",
    "tags": f"{SITE}/repository/tags",
    "template": "templates/gitignores/Ruby",
    "template_list": f"{SITE}/templates/gitignores",
    "user/basic": read_part(f"{SITE}/issues/9", "author"),
    "user/basics": f"{SITE}/issues/9/participants",
    "user/public": "user",
}
OTHERS: Final[dict[str, str | Callable[[Get], Any]]] = {
    "ee/public_api/v4/members": f"{SITE}/members",
    "release": f"{SITE}/releases/v1.0",
    "releases": f"{SITE}/releases",
}
UNUSED: Final = {
    # Formats of pages outside the API.
    "variable",
    "variables",
    # A response to a POST, whose parts are issues.
    "public_api/v4/issue_link",
}
SOURCES: Final = {**{PREFIX + name: source for name, source in RESPONSES.items()}, **OTHERS}
TYPES: Final[dict[str, tuple[type, ...]]] = {
    "array": (list,),
    "boolean": (bool,),
    "integer": (int,),
    "null": (type(None),),
    "number": (int, float),
    "object": (dict,),
    "string": (str,),
}


@pytest.fixture(scope="module")
def platforms() -> dict[bool, Platform]:
    """A full world of the documented release, and of the latest one, in which nothing is empty that need not be."""
    world = deepcopy(FULL)
    site = world["projects"][0]
    site["releases"][0]["description"] = "Notes"
    site["deploy_tokens"][0]["expires_at"] = "2099-01-01T00:00:00.000Z"
    world["runners"] = [
        {
            "description": "Shared",
            "token": "shared-runner-token",
            "ip_address": "192.0.2.1",
            "contacted_at": "2020-12-01T09:59:00.000Z",
        }
    ]
    instance = {"tier": "premium", "default_branch": "master"}
    versions = {False: "13.5.1", True: "latest"}
    return {
        newer: create_platform({**world, "instance": {**instance, "version": version}})
        for newer, version in versions.items()
    }


def get_response(platform: Platform, name: str) -> Any:
    token = {"private-token": token_of(platform.view, "root") or ""}

    def get(path: str) -> Any:
        target, _, query = path.partition("?")
        response = platform.handle(Request("GET", f"/api/v4/{target}", query, token))
        assert (200, path) == (response.status, path)
        return json.loads(response.body)

    source = SOURCES[name]
    return get(source) if isinstance(source, str) else source(get)


def find_values(value: Any, steps: list[str]) -> Iterator[Any]:
    """Return the values at a path of keys; ``...`` where an object lacks the last one."""
    if value is None or not steps:
        if not steps:
            yield value
        return
    step, *rest = steps
    if step == "[]":
        for item in value:
            yield from find_values(item, rest)
    elif isinstance(value, dict):
        if step in value:
            yield from find_values(value[step], rest)
        elif not rest:
            yield ...


def split_path(path: str) -> list[str]:
    """Return the steps of a path: ``[].author.id`` as ``[]``, ``author``, ``id``."""
    return [step for step in path.replace("[]", ".[]").split(".") if step]


def has_type(value: Any, names: list[str]) -> bool:
    if value is ...:
        return False
    if isinstance(value, bool):
        return not names or "boolean" in names
    return not names or any(isinstance(value, TYPES[name]) for name in names)


def wrong_fields(platforms: dict[bool, Platform], name: str) -> set[str]:
    """Return the fields that a response lacks, or has with another type."""
    published = FORMATS[name]
    # Formats that only newer releases have are those of newer responses.
    response = get_response(platforms[published["versions"] == ["18.9"]], name)
    return {
        field
        for field, types in published["always"].items()
        if not all(has_type(value, types) for value in find_values(response, split_path(field)))
    }


def test_each_format_has_a_response() -> None:
    """A format is compared, or the reason why not is said."""
    assert {*FORMATS} == {*SOURCES, *UNUSED}


@pytest.mark.parametrize("name", SOURCES)
def test_responses_have_the_published_fields(platforms: dict[bool, Platform], name: str) -> None:
    """Each response has all published fields with a published type."""
    assert set() == wrong_fields(platforms, name)
