"""The RubyGems registry of a project, which a feature of the platform switches on.

Source: docs/platform/packages.md (RubyGems).
"""

from typing import Final

from fakeplat.api.packages.access import REGISTRY_PROJECT
from fakeplat.api.packages.transfers import CREATED, file_response, read_upload, render_file
from fakeplat.core import ruby_marshal
from fakeplat.core.operations.errors import InvalidParams, NotFound, RouteNotFound
from fakeplat.core.operations.http_messages import JSON, RawBody
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import CommaList, Params
from fakeplat.domain.instance import features
from fakeplat.domain.packages import gem_indexes, rubygems
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize
from fakeplat.policy.behaviours import GEMS_ARE_INDEXED, GEMS_HAVE_SERIALIZED_SPECIFICATIONS
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area(
    "Packages (RubyGems)", login=Login.WRITES, raw_body=True, deploy_tokens=True, key_header="authorization"
)
_BINARY: Final = "application/octet-stream"


@area.operation(
    "GET",
    "packages/rubygems/:file_name",
    scope=REGISTRY_PROJECT,
    ability=Ability.READ_PACKAGE,
    since="13.9",
    job_token=True,
    refusals=(400, 404),
)
def get_package_rubygem(ctx: ReadContext, project: Project, file_name: str) -> RawBody:
    """Get an index of the gems, which earlier releases do not have: 404."""
    is_indexed = ctx.profile.has(GEMS_ARE_INDEXED)
    if is_indexed and file_name not in gem_indexes.FILE_NAMES:
        raise InvalidParams("file_name does not have a valid value")
    features.check_enabled(ctx.world, rubygems.FLAG, project)
    if not is_indexed:
        raise NotFound(reason=f"the platform has no index {file_name}; gems are found by their names")
    return render_file(file_name, rubygems.build_index(ctx.world, project, file_name))


@area.operation(
    "GET",
    "packages/rubygems/quick/Marshal.4.8/:file_name",
    scope=REGISTRY_PROJECT,
    ability=Ability.READ_PACKAGE,
    since="13.9",
    job_token=True,
    refusals=(404,),
)
def get_package_rubygem_quick_marshal_4_8(ctx: ReadContext, project: Project, file_name: str) -> RawBody:
    """Get the serialized specification of a gem, which earlier releases do not have: 404."""
    features.check_enabled(ctx.world, rubygems.FLAG, project)
    if not ctx.profile.has(GEMS_HAVE_SERIALIZED_SPECIFICATIONS):
        raise NotFound(reason=f"the platform has no {file_name}; the specification is in the gem")
    if not file_name.endswith(".gemspec.rz"):
        raise RouteNotFound(reason=f"{file_name} is no specification of a gem")
    return render_file(file_name, rubygems.get_file(ctx.world, project, file_name).content)


@area.operation(
    "GET",
    "packages/rubygems/gems/:file_name",
    scope=REGISTRY_PROJECT,
    ability=Ability.READ_PACKAGE,
    since="13.9",
    job_token=True,
    refusals=(404,),
)
def get_package_rubygem_gem(ctx: ReadContext, project: Project, file_name: str) -> RawBody:
    """Download a gem."""
    features.check_enabled(ctx.world, rubygems.FLAG, project)
    return file_response(ctx, rubygems.get_file(ctx.world, project, file_name))


@area.operation(
    "POST",
    "packages/rubygems/api/v1/gems",
    scope=REGISTRY_PROJECT,
    ability=Ability.READ_PACKAGE,
    since="13.9",
    job_token=True,
    refusals=(400, 403, 404),
)
def create_package_rubygem_gem(ctx: WriteContext, project: Project) -> RawBody:
    """Publish a gem: the body, or the part ``file`` of a form."""
    features.check_enabled(ctx.world, rubygems.FLAG, project)
    content = read_upload(ctx)
    if not content:
        raise InvalidParams("file is missing")
    authorize(ctx, Ability.CREATE_PACKAGE, project)
    rubygems.upload(ctx, project, content)
    return RawBody(CREATED, JSON, status=201)


class ListRubygemDependencies(Params):
    """The names of gems."""

    gems: CommaList[str] | None = None


@area.operation(
    "GET",
    "packages/rubygems/api/v1/dependencies",
    scope=REGISTRY_PROJECT,
    ability=Ability.READ_PACKAGE,
    params=ListRubygemDependencies,
    since="13.9",
    job_token=True,
    refusals=(404,),
)
def list_package_rubygem_dependencies(ctx: ReadContext, project: Project, p: ListRubygemDependencies) -> RawBody:
    """List the versions of gems with their dependencies, in the serialization of Ruby."""
    features.check_enabled(ctx.world, rubygems.FLAG, project)
    if not p.gems:
        return RawBody(b"", _BINARY)
    rows = rubygems.list_dependencies(ctx.world, project, p.gems)
    return RawBody(ruby_marshal.dump(rows), _BINARY)
