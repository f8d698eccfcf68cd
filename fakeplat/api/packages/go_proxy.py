"""The proxy of Go modules of a project, which the platform has behind a feature. Source: docs/platform/packages.md."""

from datetime import UTC
from typing import Final

import orjson

from fakeplat.api.packages.access import get_project, is_anonymous
from fakeplat.api.packages.transfers import render_file
from fakeplat.core.operations.errors import NotFound, Unauthorized
from fakeplat.core.operations.http_messages import JSON, RawBody
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.scope import NO_SCOPE, Segment
from fakeplat.domain.instance import features
from fakeplat.domain.packages import go_modules
from fakeplat.domain.packages.go_modules import Module, Version
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize
from fakeplat.policy.context import ReadContext

area: Final = Area("Packages (Go)", login=Login.NEVER, token_passwords=True)
_FEATURE: Final = "go_proxy"
_PLAIN: Final = "text/plain"


def _get_project(ctx: ReadContext, reference: str) -> Project:
    """Return the project whose packages the caller may read.

    404 if they do not see it, for anonymous callers 401 without a challenge; else 403.
    """
    try:
        project = get_project(ctx, reference)
    except NotFound as refusal:
        if is_anonymous(ctx):
            raise Unauthorized(reason=refusal.why) from None
        raise
    authorize(ctx, Ability.READ_PACKAGE, project)
    return project


PROJECT: Final = NO_SCOPE / Segment("projects/:id", locate=_get_project, word="project")


def _get_module(ctx: ReadContext, project: Project, name: str) -> Module:
    features.check_enabled(ctx.world, _FEATURE, project)
    module = go_modules.find_module(ctx, project, go_modules.decode(name))
    if module is None:
        raise NotFound(reason=f"the name of a module of the project begins with {ctx.hostname} and its path")
    return module


@area.operation("GET", "packages/go/*module_name/@v/list", scope=PROJECT, job_token=True, refusals=(401, 403, 404))
def list_go_module_versions(ctx: ReadContext, project: Project, module_name: str) -> RawBody:
    """List the tagged versions of a Go module."""
    module = _get_module(ctx, project, module_name)
    return RawBody("\n".join(go_modules.list_versions(ctx.world, module)).encode(), _PLAIN)


@area.operation(
    "GET", "packages/go/*module_name/@v/:file_name", scope=PROJECT, job_token=True, refusals=(401, 403, 404)
)
def get_go_module_version(ctx: ReadContext, project: Project, module_name: str, file_name: str) -> RawBody:
    """Get the description (``.info``), the ``go.mod`` (``.mod``) or the archive (``.zip``) of a version of a module."""
    name, _, kind = file_name.rpartition(".")
    build = _FILES.get(kind)
    if build is None:
        raise NotFound(reason="the proxy serves .info, .mod and .zip files of versions")
    module = _get_module(ctx, project, module_name)
    version = go_modules.find_version(ctx.world, module, go_modules.decode(name))
    if version is None:
        raise NotFound(reason=f"{module.name} has no version {go_modules.decode(name)} with a go.mod of that name")
    return build(ctx, module, version)


def _describe(_ctx: ReadContext, _module: Module, version: Version) -> RawBody:
    time = version.commit.committer.time.astimezone(UTC).isoformat(timespec="milliseconds")
    return RawBody(orjson.dumps({"Version": version.name, "Time": time}), JSON)


def _read_file(ctx: ReadContext, module: Module, version: Version) -> RawBody:
    return RawBody(go_modules.read_go_mod(ctx.world, module, version), _PLAIN)


def _archive(ctx: ReadContext, module: Module, version: Version) -> RawBody:
    content = go_modules.build_archive(ctx.world, module, version)
    return render_file(f"{version.name}.zip", content, "application/zip")


_FILES: Final = {"info": _describe, "mod": _read_file, "zip": _archive}
