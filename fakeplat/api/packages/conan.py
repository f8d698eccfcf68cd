"""Conan repositories of the instance and of projects, as Conan 1 uses them. Source: docs/platform/packages.md."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final

from fakeplat.api.packages.access import REGISTRY_PROJECT
from fakeplat.api.packages.conan_recipes import (
    FILES_IN_INSTANCE,
    FILES_IN_PROJECT,
    IN_INSTANCE,
    IN_PROJECT,
    INSTANCE_ROOT,
    PROJECT_ROOT,
    REVISIONS_ROOT,
    WITH_REVISIONS,
    area,
    authorize_recipe,
    check_revisions,
    has_revisions,
)
from fakeplat.api.packages.transfers import file_response, read_upload
from fakeplat.core.operations.errors import BadRequest, NotFoundWithMessage, Unauthorized
from fakeplat.core.operations.http_messages import JSON, RawBody
from fakeplat.core.operations.operation import Login, Reading
from fakeplat.core.params.body import parse_body
from fakeplat.core.params.params import Check, Params
from fakeplat.core.timestamps import HOUR
from fakeplat.domain.packages import conan, protection_rules
from fakeplat.domain.packages.conan import DEFAULT_REVISION, FileName, Place, Recipe
from fakeplat.domain.purging import purge
from fakeplat.entities import urls
from fakeplat.entities.packages import DeletedPackage, PackageFileRecord
from fakeplat.model.packages import Package, PackageFile
from fakeplat.model.projects import Project
from fakeplat.policy import package_tokens
from fakeplat.policy.abilities import Ability
from fakeplat.policy.behaviours import BAD_REQUEST, CONAN_TOKEN_HOURS
from fakeplat.policy.context import ReadContext, WriteContext

_PLAIN: Final = "text/plain"
_EVERY_ROOT: Final = (INSTANCE_ROOT, PROJECT_ROOT, REVISIONS_ROOT)
_BOTH: Final = (IN_INSTANCE, IN_PROJECT)
_BOTH_FILES: Final = (FILES_IN_INSTANCE, FILES_IN_PROJECT)
_SINCE: Final = ("", "", "17.11")
_PACKAGE: Final = "packages/:conan_package_reference"
OnlyRevision = Annotated[str, Check(lambda text: None if text == DEFAULT_REVISION else "is invalid")]


@area.operation(
    "GET",
    "ping",
    name=("get_package_conan_ping", "get_project_package_conan_ping"),
    scope=(INSTANCE_ROOT, PROJECT_ROOT),
    job_token=True,
)
def get_conan_ping(ctx: ReadContext) -> RawBody:
    """Get the capabilities of a Conan repository."""
    capabilities = "revisions" if has_revisions(ctx) else ""
    return RawBody(f'"{capabilities}"'.encode(), JSON, (("X-Conan-Server-Capabilities", capabilities),))


@area.operation(
    "GET",
    "users/authenticate",
    name=(
        "get_package_conan_user_authenticate",
        "get_project_package_conan_user_authenticate",
        "get_package_conan_user_authenticate_by_id",
    ),
    scope=_EVERY_ROOT,
    since=_SINCE,
    login=Login.ALWAYS,
    job_token=True,
    refusals=(401, 404),
)
def get_conan_token(ctx: ReadContext) -> RawBody:
    """Get the token that Conan sends from then on instead of the caller's own."""
    _check_version(ctx)
    token = package_tokens.find_token(ctx, "conan", ctx.profile.choose(CONAN_TOKEN_HOURS) * HOUR)
    if token is None:
        raise Unauthorized(reason="a token stands for another token; a session is none")
    return RawBody(token.encode(), _PLAIN)


@area.operation(
    "GET",
    "users/check_credentials",
    name=(
        "list_package_conan_user_check_credentials",
        "list_project_package_conan_user_check_credentials",
        "list_package_conan_user_check_credentials_by_id",
    ),
    scope=_EVERY_ROOT,
    since=_SINCE,
    login=Login.ALWAYS,
    job_token=True,
    refusals=(401, 404),
)
def check_conan_credentials(ctx: ReadContext) -> RawBody:
    """Check the credentials of Conan."""
    _check_version(ctx)
    return RawBody(b"ok", _PLAIN)


def _check_version(ctx: ReadContext) -> None:
    if ctx.request is not None and "/conan/v2/" in ctx.request.path:
        check_revisions(ctx)


class SearchConanPackages(Params):
    """What to look for. Stars stand for any text."""

    q: str
    ignorecase: bool | None = None


@area.operation(
    "GET",
    "packages/conan/v1/conans/search",
    name="get_package_conan_search",
    params=SearchConanPackages,
    job_token=True,
    refusals=(400,),
)
def search_conan_packages(ctx: ReadContext, p: SearchConanPackages) -> dict[str, list[str]]:
    """Search the recipes of all projects whose packages the caller reads."""
    return _search(ctx, None, p)


@area.operation(
    "GET",
    "packages/conan/v1/conans/search",
    name="get_project_package_conan_search",
    scope=REGISTRY_PROJECT,
    ability=Ability.READ_PACKAGE,
    params=SearchConanPackages,
    job_token=True,
    refusals=(400,),
)
def search_project_conan_packages(ctx: ReadContext, project: Project, p: SearchConanPackages) -> dict[str, list[str]]:
    """Search the recipes of a project; in earlier releases, those of all projects."""
    return _search(ctx, project, p)


@area.operation(
    "GET",
    "packages/conan/v2/conans/search",
    name="get_package_conan_search_by_id",
    scope=REGISTRY_PROJECT,
    ability=Ability.READ_PACKAGE,
    params=SearchConanPackages,
    since="17.11",
    job_token=True,
    refusals=(400, 404),
)
def search_conan_2_packages(ctx: ReadContext, project: Project, p: SearchConanPackages) -> dict[str, list[str]]:
    """Search the recipes of a project."""
    check_revisions(ctx)
    return _search(ctx, project, p)


def _search(ctx: ReadContext, project: Project | None, p: SearchConanPackages) -> dict[str, list[str]]:
    return {"results": conan.search(ctx, p.q, project, ignore_case=p.ignorecase is not False)}


@area.operation(
    "GET",
    "",
    name=("get_package_conan", "get_project_package_conan"),
    scope=_BOTH,
    # A recipe is no record, which time could advance.
    reading=Reading(advances=lambda _world, _recipe: ()),
    job_token=True,
    refusals=(400, 403),
)
def get_conan_recipe(ctx: ReadContext, recipe: Recipe) -> dict[str, str | None]:
    """Get the MD5 digests of the files of a recipe by name; none if there is no such recipe."""
    authorize_recipe(ctx, Ability.READ_PACKAGE, recipe)
    return _digests(conan.list_recipe_files(ctx.world, conan.find_package(ctx.world, recipe)))


@area.operation(
    "GET",
    _PACKAGE,
    name=("get_package_conan_package", "get_project_package_conan_package"),
    scope=_BOTH,
    job_token=True,
    refusals=(400, 403),
)
def get_conan_package(ctx: ReadContext, recipe: Recipe, conan_package_reference: str) -> dict[str, str | None]:
    """Get the MD5 digests of the files of a binary package by name; none if there is no such package."""
    authorize_recipe(ctx, Ability.READ_PACKAGE, recipe)
    package = conan.find_package(ctx.world, recipe)
    return _digests(conan.list_package_files(ctx.world, package, conan_package_reference))


def _digests(files: Sequence[PackageFile]) -> dict[str, str | None]:
    return {file.file_name: file.file_md5 for file in files}


@area.operation(
    "GET",
    "digest",
    name=("get_package_conan_digest", "get_project_package_conan_digest"),
    scope=_BOTH,
    job_token=True,
    refusals=(400, 403),
)
def get_conan_recipe_digest(ctx: ReadContext, recipe: Recipe) -> dict[str, str]:
    """Get the download URLs of the files of a recipe by name."""
    return _recipe_urls(ctx, recipe)


@area.operation(
    "GET",
    "download_urls",
    name=("list_package_conan_download_urls", "list_project_package_conan_download_urls"),
    scope=_BOTH,
    job_token=True,
    refusals=(400, 403),
)
def list_conan_recipe_urls(ctx: ReadContext, recipe: Recipe) -> dict[str, str]:
    """List the download URLs of the files of a recipe by name."""
    return _recipe_urls(ctx, recipe)


def _recipe_urls(ctx: ReadContext, recipe: Recipe) -> dict[str, str]:
    authorize_recipe(ctx, Ability.READ_PACKAGE, recipe)
    files = conan.list_recipe_files(ctx.world, conan.find_package(ctx.world, recipe))
    return _download_urls(ctx, recipe, files)


@area.operation(
    "GET",
    f"{_PACKAGE}/digest",
    name=("get_package_conan_package_digest", "get_project_package_conan_package_digest"),
    scope=_BOTH,
    job_token=True,
    refusals=(400, 403),
)
def get_conan_package_digest(ctx: ReadContext, recipe: Recipe, conan_package_reference: str) -> dict[str, str]:
    """Get the download URLs of the files of a binary package by name."""
    return _package_urls(ctx, recipe, conan_package_reference)


@area.operation(
    "GET",
    f"{_PACKAGE}/download_urls",
    name=("list_package_conan_package_download_urls", "list_project_package_conan_package_download_urls"),
    scope=_BOTH,
    job_token=True,
    refusals=(400, 403),
)
def list_conan_package_urls(ctx: ReadContext, recipe: Recipe, conan_package_reference: str) -> dict[str, str]:
    """List the download URLs of the files of a binary package by name."""
    return _package_urls(ctx, recipe, conan_package_reference)


def _package_urls(ctx: ReadContext, recipe: Recipe, reference: str) -> dict[str, str]:
    authorize_recipe(ctx, Ability.READ_PACKAGE, recipe)
    files = conan.list_package_files(ctx.world, conan.find_package(ctx.world, recipe), reference)
    return _download_urls(ctx, recipe, files)


def _download_urls(ctx: ReadContext, recipe: Recipe, files: Sequence[PackageFile]) -> dict[str, str]:
    if not files:
        raise NotFoundWithMessage("No recipe manifest found", reason=f"{recipe} has no such files")
    return {file.file_name: _file_url(ctx, recipe, conan.place_of(file), file.file_name) for file in files}


def _file_url(ctx: ReadContext, recipe: Recipe, place: Place, file_name: str) -> str:
    # The URLs are those of the repository that was asked.
    is_project = ctx.request is not None and "/projects/" in ctx.request.path
    root = f"projects/{recipe.project.id}/packages" if is_project else "packages"
    names = f"{recipe.name}/{recipe.version}/{recipe.username}/{recipe.channel}"
    folder = "export"
    if place.reference is not None:
        folder = f"package/{place.reference}/{place.package_revision or DEFAULT_REVISION}"
    revision = place.recipe_revision or DEFAULT_REVISION
    return urls.api_url(ctx, f"{root}/conan/v1/files/{names}/{revision}/{folder}/{file_name}")


@area.operation(
    "POST",
    "upload_urls",
    name=("create_package_conan_upload_url", "create_project_package_conan_upload_url"),
    scope=_BOTH,
    status=200,
    job_token=True,
    refusals=(400, 403),
)
def build_conan_recipe_urls(ctx: ReadContext, recipe: Recipe) -> dict[str, str]:
    """Get the upload URLs of files of a recipe, whose names and sizes are sent."""
    return _upload_urls(ctx, recipe, Place(), conan.RECIPE_FILES)


@area.operation(
    "POST",
    f"{_PACKAGE}/upload_urls",
    name=("create_package_conan_package_upload_url", "create_project_package_conan_package_upload_url"),
    scope=_BOTH,
    status=200,
    job_token=True,
    refusals=(400, 403),
)
def build_conan_package_urls(ctx: ReadContext, recipe: Recipe, conan_package_reference: str) -> dict[str, str]:
    """Get the upload URLs of files of a binary package, whose names and sizes are sent."""
    return _upload_urls(ctx, recipe, Place(reference=conan_package_reference), conan.PACKAGE_FILES)


def _upload_urls(ctx: ReadContext, recipe: Recipe, place: Place, known: Sequence[str]) -> dict[str, str]:
    authorize_recipe(ctx, Ability.READ_PACKAGE, recipe)
    return {name: _file_url(ctx, recipe, place, name) for name in _read_names(ctx) if name in known}


def _read_names(ctx: ReadContext) -> Mapping[str, Any]:
    # Whatever content type is sent, the body is JSON.
    sent = parse_body(JSON, ctx.request.body if ctx.request else b"")
    if not sent:
        raise BadRequest(ctx.profile.choose(BAD_REQUEST), reason="the body is an object of file names and sizes")
    return sent


@area.operation(
    "DELETE",
    "",
    name=("delete_package_conan", "delete_project_package_conan"),
    scope=_BOTH,
    view=DeletedPackage,
    status=200,
    job_token=True,
    refusals=(400, 403),
)
def delete_conan_package(ctx: WriteContext, recipe: Recipe) -> Package:
    """Delete a recipe with its binary packages."""
    authorize_recipe(ctx, Ability.DESTROY_PACKAGE, recipe)
    package = conan.get_package(ctx.world, recipe)
    protection_rules.authorize_deletion(ctx, recipe.project, package)
    purge(ctx, package)
    return package


@area.operation(
    "GET",
    "search",
    name=(
        "get_package_conan_search_by_package_channel",
        "get_package_conan_search_2",
        "get_package_conan_search_3",
    ),
    scope=(*_BOTH, WITH_REVISIONS),
    since="18.0",
    job_token=True,
    refusals=(400, 403),
)
def search_conan_references(ctx: ReadContext, recipe: Recipe) -> dict[str, Mapping[str, object]]:
    """List the binary packages of a recipe by reference, with the settings that they were built with."""
    authorize_recipe(ctx, Ability.READ_PACKAGE, recipe)
    return conan.describe_references(ctx.world, conan.get_package(ctx.world, recipe))


_RECIPE_FILE: Final = ":recipe_revision/export/:file_name"
_PACKAGE_FILE: Final = ":recipe_revision/package/:conan_package_reference/:package_revision/:file_name"


@area.operation(
    "GET",
    _RECIPE_FILE,
    name=("get_package_conan_file_export", "get_project_package_conan_file_export"),
    scope=_BOTH_FILES,
    job_token=True,
    refusals=(400, 403),
)
def download_conan_recipe_file(
    ctx: ReadContext, recipe: Recipe, _recipe_revision: OnlyRevision, file_name: FileName
) -> RawBody:
    """Download a file of a recipe."""
    return download(ctx, recipe, Place(), file_name)


@area.operation(
    "PUT",
    _RECIPE_FILE,
    name=("update_package_conan_file_export", "update_project_package_conan_file_export"),
    scope=_BOTH_FILES,
    view=PackageFileRecord,
    job_token=True,
    refusals=(400, 403),
)
def upload_conan_recipe_file(
    ctx: WriteContext, recipe: Recipe, _recipe_revision: OnlyRevision, file_name: FileName
) -> PackageFile | None:
    """Upload a file of a recipe."""
    return upload(ctx, recipe, Place(), file_name)


@area.operation(
    "GET",
    _PACKAGE_FILE,
    name=("get_package_conan_file_package", "get_project_package_conan_file_package"),
    scope=_BOTH_FILES,
    job_token=True,
    refusals=(400, 403),
)
def download_conan_package_file(
    ctx: ReadContext,
    recipe: Recipe,
    _recipe_revision: OnlyRevision,
    conan_package_reference: str,
    _package_revision: OnlyRevision,
    file_name: FileName,
) -> RawBody:
    """Download a file of a binary package."""
    return download(ctx, recipe, Place(reference=conan_package_reference), file_name)


@area.operation(
    "PUT",
    _PACKAGE_FILE,
    name=("update_package_conan_file_package", "update_project_package_conan_file_package"),
    scope=_BOTH_FILES,
    view=PackageFileRecord,
    job_token=True,
    refusals=(400, 403),
)
def upload_conan_package_file(
    ctx: WriteContext,
    recipe: Recipe,
    _recipe_revision: OnlyRevision,
    conan_package_reference: str,
    _package_revision: OnlyRevision,
    file_name: FileName,
) -> PackageFile | None:
    """Upload a file of a binary package."""
    return upload(ctx, recipe, Place(reference=conan_package_reference), file_name)


def download(ctx: ReadContext, recipe: Recipe, place: Place, file_name: str) -> RawBody:
    """Return the response with the newest file of a revision with a name."""
    authorize_recipe(ctx, Ability.READ_PACKAGE, recipe)
    return file_response(ctx, conan.get_file(ctx.world, recipe, place, file_name))


def upload(ctx: WriteContext, recipe: Recipe, place: Place, file_name: str) -> PackageFile | None:
    """Add the uploaded file to a revision; return it, or nothing for an upload without content."""
    authorize_recipe(ctx, Ability.CREATE_PACKAGE, recipe)
    return conan.upload(ctx, recipe, place, file_name, read_upload(ctx))
