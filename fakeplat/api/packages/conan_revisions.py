"""Conan repositories of projects, as Conan 2 uses them: with revisions. Source: docs/platform/packages.md."""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final

from fakeplat.api.packages.conan import download, upload
from fakeplat.api.packages.conan_recipes import WITH_REVISIONS, area, authorize_recipe
from fakeplat.core.operations.errors import NotFound
from fakeplat.core.operations.http_messages import RawBody
from fakeplat.core.params.params import Check
from fakeplat.domain.packages import conan, protection_rules
from fakeplat.domain.packages.conan import FileName, Place, Recipe, Revision
from fakeplat.domain.purging import purge
from fakeplat.entities.packages import PackageFileRecord
from fakeplat.model.packages import Package, PackageFile
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext

_HASH: Final = re.compile(r"[0-9a-fA-F]{32}|[0-9a-fA-F]{40}")
_RECIPE: Final = "revisions/:recipe_revision"
_REFERENCE: Final = f"{_RECIPE}/packages/:conan_package_reference"
_PACKAGE: Final = f"{_REFERENCE}/revisions/:package_revision"
RevisionHash = Annotated[str, Check(lambda text: None if _HASH.fullmatch(text) else "is invalid")]
Reference = Annotated[str, Check(lambda text: None if conan.is_reference(text) else "is invalid")]


def _read_package(ctx: ReadContext, recipe: Recipe) -> Package:
    authorize_recipe(ctx, Ability.READ_PACKAGE, recipe)
    return conan.get_package(ctx.world, recipe)


def _latest(revisions: Sequence[Revision]) -> dict[str, str]:
    if not revisions:
        raise NotFound("Revision", reason="there is no revision")
    return revisions[0]._asdict()


@area.operation(
    "GET",
    "latest",
    name="get_package_conan_latest",
    scope=WITH_REVISIONS,
    since="17.11",
    job_token=True,
    refusals=(400, 403),
)
def get_latest_recipe_revision(ctx: ReadContext, recipe: Recipe) -> dict[str, str]:
    """Get the latest revision of a recipe."""
    return _latest(conan.list_recipe_revisions(ctx.world, _read_package(ctx, recipe)))


@area.operation(
    "GET",
    "revisions",
    name="list_package_conan_revisions",
    scope=WITH_REVISIONS,
    since="17.11",
    job_token=True,
    refusals=(400, 403),
)
def list_recipe_revisions(ctx: ReadContext, recipe: Recipe) -> dict[str, Any]:
    """List the revisions of a recipe, newest first."""
    return {"reference": str(recipe)} | _describe(conan.list_recipe_revisions(ctx.world, _read_package(ctx, recipe)))


def _describe(revisions: Sequence[Revision]) -> dict[str, Any]:
    return {"revisions": [revision._asdict() for revision in revisions]}


@area.operation(
    "DELETE",
    _RECIPE,
    name="delete_package_conan_revision",
    scope=WITH_REVISIONS,
    since="18.1",
    status=200,
    job_token=True,
    refusals=(400, 403),
)
def delete_recipe_revision(ctx: WriteContext, recipe: Recipe, recipe_revision: RevisionHash) -> RawBody:
    """Delete a revision of a recipe with its binary packages; with the last one, the package is deleted."""
    package = _get_deletable(ctx, recipe)
    revisions = [revision.revision for revision in conan.list_recipe_revisions(ctx.world, package)]
    if recipe_revision not in revisions:
        raise NotFound("Revision", reason=f"{recipe} has no revision {recipe_revision}")
    if len(revisions) == 1:
        purge(ctx, package)
    else:
        purge(ctx, *conan.list_revision_files(ctx.world, package, recipe_revision))
    return _DELETED


_DELETED: Final = RawBody(b"", "text/plain")


def _get_deletable(ctx: WriteContext, recipe: Recipe) -> Package:
    authorize_recipe(ctx, Ability.DESTROY_PACKAGE, recipe)
    package = conan.get_package(ctx.world, recipe)
    protection_rules.authorize_deletion(ctx, recipe.project, package)
    return package


@area.operation(
    "GET",
    f"{_RECIPE}/files",
    name="list_package_conan_revision_files",
    scope=WITH_REVISIONS,
    since="17.11",
    job_token=True,
    refusals=(400, 403),
)
def list_recipe_files(ctx: ReadContext, recipe: Recipe, recipe_revision: RevisionHash) -> dict[str, Any]:
    """List the files of a revision of a recipe."""
    return _list_files(ctx, recipe, Place(recipe_revision), "Recipe files")


def _list_files(ctx: ReadContext, recipe: Recipe, place: Place, what: str) -> dict[str, Any]:
    files = conan.list_files_at(ctx.world, _read_package(ctx, recipe), place)
    if not files:
        raise NotFound(what, reason=f"{recipe} has no such revision")
    return {"files": {file.file_name: {} for file in files}}


@area.operation(
    "GET",
    f"{_RECIPE}/files/:file_name",
    name="get_package_conan_revision_file",
    scope=WITH_REVISIONS,
    since="17.8",
    job_token=True,
    refusals=(400, 403),
)
def download_recipe_file(
    ctx: ReadContext, recipe: Recipe, recipe_revision: RevisionHash, file_name: FileName
) -> RawBody:
    """Download a file of a revision of a recipe."""
    return download(ctx, recipe, Place(recipe_revision), file_name)


@area.operation(
    "PUT",
    f"{_RECIPE}/files/:file_name",
    name="update_package_conan_revision_file",
    scope=WITH_REVISIONS,
    view=PackageFileRecord,
    since="17.10",
    job_token=True,
    refusals=(400, 403),
)
def upload_recipe_file(
    ctx: WriteContext, recipe: Recipe, recipe_revision: RevisionHash, file_name: FileName
) -> PackageFile | None:
    """Upload a file of a revision of a recipe."""
    return upload(ctx, recipe, Place(recipe_revision), file_name)


@area.operation(
    "GET",
    f"{_RECIPE}/search",
    name="get_package_conan_revision_search",
    scope=WITH_REVISIONS,
    since="18.1",
    job_token=True,
    refusals=(400, 403),
)
def search_revision_references(
    ctx: ReadContext, recipe: Recipe, recipe_revision: RevisionHash
) -> dict[str, Mapping[str, object]]:
    """List the binary packages of a revision of a recipe by reference, with the settings they were built with."""
    package = _read_package(ctx, recipe)
    if not conan.list_revision_files(ctx.world, package, recipe_revision):
        raise NotFound("Revision", reason=f"{recipe} has no revision {recipe_revision}")
    return conan.describe_references(ctx.world, package, recipe_revision)


@area.operation(
    "GET",
    f"{_REFERENCE}/latest",
    name="get_package_revision_package_latest",
    scope=WITH_REVISIONS,
    since="17.11",
    job_token=True,
    refusals=(400, 403),
)
def get_latest_package_revision(
    ctx: ReadContext, recipe: Recipe, recipe_revision: RevisionHash, conan_package_reference: Reference
) -> dict[str, str]:
    """Get the latest revision of a binary package."""
    package = _read_package(ctx, recipe)
    return _latest(conan.list_package_revisions(ctx.world, package, recipe_revision, conan_package_reference))


@area.operation(
    "GET",
    f"{_REFERENCE}/revisions",
    name="list_package_revision_package_revisions",
    scope=WITH_REVISIONS,
    since="18.0",
    job_token=True,
    refusals=(400, 403),
)
def list_package_revisions(
    ctx: ReadContext, recipe: Recipe, recipe_revision: RevisionHash, conan_package_reference: Reference
) -> dict[str, Any]:
    """List the revisions of a binary package, newest first."""
    package = _read_package(ctx, recipe)
    revisions = conan.list_package_revisions(ctx.world, package, recipe_revision, conan_package_reference)
    return {"packageReference": f"{recipe}#{recipe_revision}:{conan_package_reference}"} | _describe(revisions)


@area.operation(
    "DELETE",
    _PACKAGE,
    name="delete_package_revision_package_revision",
    scope=WITH_REVISIONS,
    since="18.1",
    status=200,
    job_token=True,
    refusals=(400, 403),
)
def delete_package_revision(
    ctx: WriteContext,
    recipe: Recipe,
    recipe_revision: RevisionHash,
    conan_package_reference: Reference,
    package_revision: RevisionHash,
) -> RawBody:
    """Delete a revision of a binary package."""
    place = Place(recipe_revision, conan_package_reference, package_revision)
    files = conan.list_files_at(ctx.world, _get_deletable(ctx, recipe), place)
    if not files:
        raise NotFound("Package Revision", reason=f"{recipe} has no such revision of {conan_package_reference}")
    purge(ctx, *files)
    return _DELETED


@area.operation(
    "GET",
    f"{_PACKAGE}/files",
    name="list_package_revision_files",
    scope=WITH_REVISIONS,
    since="18.0",
    job_token=True,
    refusals=(400, 403),
)
def list_package_files(
    ctx: ReadContext,
    recipe: Recipe,
    recipe_revision: RevisionHash,
    conan_package_reference: Reference,
    package_revision: RevisionHash,
) -> dict[str, Any]:
    """List the files of a revision of a binary package."""
    place = Place(recipe_revision, conan_package_reference, package_revision)
    return _list_files(ctx, recipe, place, "Package files")


@area.operation(
    "GET",
    f"{_PACKAGE}/files/:file_name",
    name="get_package_revision_file",
    scope=WITH_REVISIONS,
    since="17.11",
    job_token=True,
    refusals=(400, 403),
)
def download_package_file(
    ctx: ReadContext,
    recipe: Recipe,
    recipe_revision: RevisionHash,
    conan_package_reference: Reference,
    package_revision: RevisionHash,
    file_name: FileName,
) -> RawBody:
    """Download a file of a revision of a binary package."""
    return download(ctx, recipe, Place(recipe_revision, conan_package_reference, package_revision), file_name)


@area.operation(
    "PUT",
    f"{_PACKAGE}/files/:file_name",
    name="update_package_revision_file",
    scope=WITH_REVISIONS,
    view=PackageFileRecord,
    since="17.11",
    job_token=True,
    refusals=(400, 403),
)
def upload_package_file(
    ctx: WriteContext,
    recipe: Recipe,
    recipe_revision: RevisionHash,
    conan_package_reference: Reference,
    package_revision: RevisionHash,
    file_name: FileName,
) -> PackageFile | None:
    """Upload a file of a revision of a binary package."""
    return upload(ctx, recipe, Place(recipe_revision, conan_package_reference, package_revision), file_name)
