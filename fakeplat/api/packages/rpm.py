"""The RPM registry of a project, which the platform has not finished. Source: docs/platform/packages.md."""

from typing import Final, NoReturn

from fakeplat.api.packages.access import authorize_or_challenge, refuse_wrong_password, require_password
from fakeplat.core.operations.errors import InvalidParams, NotFound, RecordNotFound
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.scope import NO_SCOPE, Segment
from fakeplat.core.params.body import Upload
from fakeplat.core.params.params import Params
from fakeplat.domain.instance import features
from fakeplat.domain.packages import packages
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Packages (RPM)", login=Login.NEVER, deploy_tokens=True)
_FEATURE: Final = "rpm_packages"
_MAX_FILE_SIZE: Final = 5_368_709_120


def _locate(ctx: ReadContext, reference: str) -> Project:
    refuse_wrong_password(ctx)
    # Even public projects ask for a password.
    require_password(ctx)
    project = authorize_or_challenge(ctx, reference, Ability.READ_PACKAGE)
    features.check_enabled(ctx.world, _FEATURE, project)
    return project


PROJECT: Final = NO_SCOPE / Segment("projects/:id", locate=_locate, word="project")


@area.operation(
    "GET",
    "packages/rpm/repodata/*file_name",
    scope=PROJECT,
    job_token=True,
    refusals=(401, 403, 404),
    since="15.7",
)
def get_package_rpm_repodata(_ctx: ReadContext, _project: Project, file_name: str) -> NoReturn:
    """Get a file of the repository's metadata, of which there is none, since uploads are not processed."""
    raise RecordNotFound(reason=f"there is no {file_name}: the platform accepts no RPM packages yet")


@area.operation(
    "GET",
    "packages/rpm/:package_file_id/:file_name",
    scope=PROJECT,
    job_token=True,
    refusals=(401, 403, 404),
    since="15.7",
)
def get_package_rpm(_ctx: ReadContext, _project: Project, package_file_id: str, file_name: str) -> NoReturn:
    """Download a file of a package, which the platform always refuses."""
    if not package_file_id.isdecimal():
        raise InvalidParams("package_file_id is invalid")
    raise NotFound(reason=f"the platform serves no RPM packages yet, such as {file_name}")


class UploadRpmPackage(Params):
    """The packed file."""

    file: Upload


@area.operation(
    "POST",
    "packages/rpm",
    scope=PROJECT,
    ability=Ability.CREATE_PACKAGE,
    params=UploadRpmPackage,
    job_token=True,
    refusals=(400, 401, 403, 404),
    since="15.7",
)
def upload_rpm_package(ctx: WriteContext, _project: Project, p: UploadRpmPackage) -> NoReturn:
    """Upload a package, which the platform refuses after all checks."""
    packages.check_size(ctx, _MAX_FILE_SIZE, p.file.data)
    raise NotFound(reason="the platform stores no RPM packages yet")
