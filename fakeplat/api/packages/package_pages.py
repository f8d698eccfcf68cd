"""Files of packages at their web URLs, outside the API. Source: docs/platform/external.md ('Web downloads')."""

from fakeplat.api.packages.transfers import file_response
from fakeplat.api.pages import area, redirect_to_sign_in
from fakeplat.core.operations.errors import RouteNotFound
from fakeplat.core.operations.http_messages import RawBody
from fakeplat.core.store.sorted_sequence import parse_number
from fakeplat.domain.people import namespaces
from fakeplat.model.packages import PackageFile
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name, can, can_see
from fakeplat.policy.context import ReadContext


def _find_file(ctx: ReadContext, path: str, id_: int) -> PackageFile | None:
    project = namespaces.find_project_by_path(ctx.world, path)
    if project is None or not can_see(ctx, project) or not can(ctx, Ability.READ_PACKAGE, project):
        return None
    file = ctx.world.package_files.get(id_)
    # Ids of files are global, so the project in the path has to be compared.
    is_own = file is not None and ctx.world.packages[file.package_id].project_id == project.id
    return file if is_own else None


@area.operation("GET", "*project/-/package_files/:file_id/download", also=(302,), refusals=(404,), ours=True)
def download_package_file_at_page(ctx: ReadContext, project: str, file_id: str) -> RawBody:
    """Download a file of a package by its page's address."""
    file = _find_file(ctx, project, parse_number(file_id) or 0)
    if file is not None:
        return file_response(ctx, file)
    if ctx.viewer is None:
        return redirect_to_sign_in(ctx)
    raise RouteNotFound(reason=f"{caller_name(ctx)} sees no package file {file_id} in {project}")
