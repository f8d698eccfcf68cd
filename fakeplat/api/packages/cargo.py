"""The Cargo registry of a project, which a feature of the platform switches on.

The platform has its configuration, its index and downloads. Source: docs/platform/packages.md (Cargo).
"""

import re
from collections.abc import Callable
from typing import Any, Final, TypeVar

import orjson

from fakeplat.api.packages.access import authorize_or_challenge
from fakeplat.api.packages.transfers import file_response
from fakeplat.core.operations.errors import RouteNotFound
from fakeplat.core.operations.http_messages import RawBody
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.scope import NO_SCOPE, Segment
from fakeplat.domain.instance import features
from fakeplat.domain.packages import cargo, packages
from fakeplat.entities import urls
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.behaviours import CARGO_NAMES_UNKNOWN_PROJECTS
from fakeplat.policy.context import ReadContext

area: Final = Area("Packages (Cargo)", login=Login.NEVER, deploy_tokens=True)
F = TypeVar("F", bound=Callable[..., Any])
_ROOT: Final = "packages/cargo"
_PREFIX: Final = re.compile(r"[a-z0-9_-]{2}")
_FIRST_CHARACTER: Final = re.compile(r"[a-z0-9-]")
_PLAIN: Final = "text/plain"


def _get_project(ctx: ReadContext, reference: str) -> Project:
    resource = "Project" if ctx.profile.has(CARGO_NAMES_UNKNOWN_PROJECTS) else ""
    project = authorize_or_challenge(ctx, reference, Ability.READ_PACKAGE, resource)
    features.check_enabled(ctx.world, cargo.FLAG, project)
    return project


READING: Final = NO_SCOPE / Segment("projects/:id", locate=_get_project, word="project")


@area.operation("GET", f"{_ROOT}/config.json", scope=READING, since="17.11", job_token=True, refusals=(401, 403, 404))
def get_package_cargo_config_json(ctx: ReadContext, project: Project) -> dict[str, Any]:
    """Get the configuration of the Cargo registry: where it is, and whether it asks for a token."""
    url = urls.api_url(ctx, f"projects/{project.id}/{_ROOT}")
    return {"dl": url, "api": url, "auth-required": project.visibility != "public"}


def _declare_index(path: str) -> Callable[[F], F]:
    """Declare an operation that gets a file of the index, which has several folders for names of one length each."""
    return area.operation(
        "GET",
        f"{_ROOT}/{path}",
        scope=READING,
        since="<=19.2",
        job_token=True,
        refusals=(400, 401, 403, 404),
        produces=_PLAIN,
    )


@_declare_index("1/:package_name")
def get_package_cargo_index_1(ctx: ReadContext, project: Project, package_name: str) -> RawBody:
    """Get the index of a crate whose name has one character."""
    return _render_index(ctx, project, package_name, "1")


@_declare_index("2/:package_name")
def get_package_cargo_index_2(ctx: ReadContext, project: Project, package_name: str) -> RawBody:
    """Get the index of a crate whose name has two characters."""
    return _render_index(ctx, project, package_name, "2")


@_declare_index("3/:first_char/:package_name")
def get_package_cargo_index_3(ctx: ReadContext, project: Project, first_char: str, package_name: str) -> RawBody:
    """Get the index of a crate whose name has three characters."""
    if not _FIRST_CHARACTER.fullmatch(first_char):
        raise RouteNotFound(reason=f"{first_char!r} is no first character of a crate")
    return _render_index(ctx, project, package_name, "3", first_char)


@_declare_index(":prefix_1/:prefix_2/:package_name")
def get_package_cargo_index(
    ctx: ReadContext, project: Project, prefix_1: str, prefix_2: str, package_name: str
) -> RawBody:
    """Get the index of a crate whose name has four characters or more, one line of JSON for each version."""
    if not (_PREFIX.fullmatch(prefix_1) and _PREFIX.fullmatch(prefix_2)):
        raise RouteNotFound(reason="the folders of the index have two characters")
    return _render_index(ctx, project, package_name, prefix_1, prefix_2)


def _render_index(ctx: ReadContext, project: Project, name: str, *prefix: str) -> RawBody:
    if prefix != tuple(cargo.list_prefix(name)):
        raise packages.build_refusal(ctx, "Request path does not match the Cargo index layout for this package name")
    lines = (orjson.dumps(entry) for entry in cargo.list_index(ctx.world, project, name))
    return RawBody(b"\n".join(lines), _PLAIN)


@area.operation(
    "GET",
    f"{_ROOT}/:package_name/:package_version/download",
    scope=READING,
    since="<=19.1",
    job_token=True,
    refusals=(401, 403, 404),
)
def get_package_cargo_download(ctx: ReadContext, project: Project, package_name: str, package_version: str) -> RawBody:
    """Download a crate."""
    return file_response(ctx, cargo.get_file(ctx.world, project, package_name, package_version))
