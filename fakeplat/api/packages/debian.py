"""The Debian repositories of projects and groups, as apt and dput use them. Source: docs/platform/packages.md."""

from typing import Annotated, Final

from fakeplat.api.packages.access import get_project
from fakeplat.api.packages.debian_access import GROUP, PROJECT, REPOSITORIES, UPLOADS, Component, Distribution
from fakeplat.api.packages.transfers import CREATED, file_response, read_upload, render_file
from fakeplat.core.operations.errors import InvalidParams, NotFound, RouteNotFound
from fakeplat.core.operations.http_messages import RawBody
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Params, requires
from fakeplat.core.release import Lifetime
from fakeplat.domain.packages import debian, debian_indexes, packages
from fakeplat.domain.packages.debian_indexes import IndexKind
from fakeplat.model.people import Group
from fakeplat.model.projects import Container, Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.behaviours import DEBIAN_REPOSITORIES
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Packages (Debian)", login=Login.NEVER, raw_body=True, deploy_tokens=True)
_TEXT: Final = "text/plain"
_DIST: Final = "packages/debian/dists/*distribution"
_BINARY: Final = "binary-"
_REFUSALS: Final = (400, 401, 403, 404)
_EMPTY: Final = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
"""The digest of an empty index, which is no file of its own."""
_DIRECT: Final = Lifetime(since="15.9")


def _unfinished(ctx: ReadContext, text: str) -> RawBody | None:
    """Return what the first releases answer, in which the registry is an outline."""
    return None if ctx.profile.has(DEBIAN_REPOSITORIES) else RawBody(text.encode(), _TEXT)


@area.operation(
    "GET",
    f"{_DIST}/Release",
    scope=REPOSITORIES,
    name=("get_debian_release", "get_group_debian_release"),
    job_token=True,
    refusals=_REFUSALS,
)
def get_debian_release(ctx: ReadContext, container: Container, distribution: Distribution) -> RawBody:
    """Get the Release file of a distribution."""
    unfinished = _unfinished(ctx, "TODO Release")
    if unfinished is not None:
        return unfinished
    row = debian.get_published(ctx.world, container, distribution)
    return render_file("Release", debian_indexes.build_release(ctx.world, container, row).encode())


@area.operation(
    "GET",
    f"{_DIST}/InRelease",
    scope=REPOSITORIES,
    name=("get_debian_in_release", "get_group_debian_in_release"),
    job_token=True,
    refusals=_REFUSALS,
)
def get_debian_in_release(ctx: ReadContext, container: Container, distribution: Distribution) -> RawBody:
    """Get the signed Release file of a distribution."""
    unfinished = _unfinished(ctx, "TODO InRelease")
    if unfinished is not None:
        return unfinished
    row = debian.get_published(ctx.world, container, distribution)
    return render_file("InRelease", debian_indexes.build_signed_release(ctx.world, container, row).encode())


@area.operation(
    "GET",
    f"{_DIST}/Release.gpg",
    scope=REPOSITORIES,
    name=("get_debian_release_signature", "get_group_debian_release_signature"),
    job_token=True,
    refusals=_REFUSALS,
    produces=_TEXT,
)
def get_debian_release_signature(ctx: ReadContext, container: Container, distribution: Distribution) -> RawBody:
    """Get the signature of the Release file of a distribution."""
    if not ctx.profile.has(DEBIAN_REPOSITORIES):
        raise NotFound(reason="the first releases sign nothing")
    row = debian.get_published(ctx.world, container, distribution)
    return RawBody(debian_indexes.sign_release(ctx.world, container, row).encode(), _TEXT)


def _serve_index(
    ctx: ReadContext,
    container: Container,
    kind: IndexKind,
    distribution: str,
    component: str,
    folder: str = "",
    sha256: str | None = None,
) -> RawBody:
    """Return an index, that with a digest if there is one; an empty one has no content."""
    if folder and not folder.startswith(_BINARY):
        raise RouteNotFound(reason=f"the folder of an architecture is {_BINARY}amd64, not {folder}")
    architecture = folder.removeprefix(_BINARY) or None
    if architecture and not debian.ARCHITECTURE.fullmatch(architecture):
        raise InvalidParams("architecture is invalid")
    if sha256 == _EMPTY:
        return RawBody(b"", "", status=204)
    row = debian.find_distribution(ctx.world, container, distribution)
    text = "" if row is None else debian_indexes.build_index(ctx.world, container, row, kind, component, architecture)
    if sha256 is not None and debian_indexes.digest(text) != sha256:
        raise NotFound(reason="no index has this digest now")
    if not text:
        return RawBody(b"", "", status=204)
    return render_file("Sources" if kind == "sources" else "Packages", text.encode())


@area.operation(
    "GET",
    f"{_DIST}/:component/:architecture/Packages",
    scope=REPOSITORIES,
    name=("list_debian_packages", "list_group_debian_packages"),
    job_token=True,
    also=(204,),
    refusals=_REFUSALS,
)
def list_debian_packages(
    ctx: ReadContext, container: Container, distribution: Distribution, component: Component, architecture: str
) -> RawBody:
    """Get the index of the binary packages of a component and an architecture."""
    unfinished = _unfinished(ctx, "TODO Packages")
    if unfinished is not None:
        return unfinished
    return _serve_index(ctx, container, "packages", distribution, component, architecture)


@area.operation(
    "GET",
    f"{_DIST}/:component/:architecture/by-hash/SHA256/:file_sha256",
    scope=REPOSITORIES,
    name=("get_package_binary_by_hash_sha256", "get_group_binary_by_hash_sha256"),
    job_token=True,
    also=(204,),
    refusals=_REFUSALS,
    since="15.4",
)
def get_package_binary_by_hash_sha256(
    ctx: ReadContext,
    container: Container,
    distribution: Distribution,
    component: Component,
    architecture: str,
    file_sha256: str,
) -> RawBody:
    """Get the index of the binary packages of a component and an architecture by its digest."""
    return _serve_index(ctx, container, "packages", distribution, component, architecture, file_sha256)


@area.operation(
    "GET",
    f"{_DIST}/:component/debian-installer/:architecture/Packages",
    scope=REPOSITORIES,
    name=("list_package_debian_installer_binary_packages", "list_group_debian_installer_binary_packages"),
    job_token=True,
    also=(204,),
    refusals=_REFUSALS,
    since="15.4",
)
def list_debian_installer_binary_packages(
    ctx: ReadContext, container: Container, distribution: Distribution, component: Component, architecture: str
) -> RawBody:
    """Get the index of the packages for the installer of a component and an architecture."""
    return _serve_index(ctx, container, "di_packages", distribution, component, architecture)


@area.operation(
    "GET",
    f"{_DIST}/:component/debian-installer/:architecture/by-hash/SHA256/:file_sha256",
    scope=REPOSITORIES,
    name=("get_project_package_binary_by_hash_sha256", "get_group_binary_by_hash_sha256_by_file_sha256"),
    job_token=True,
    also=(204,),
    refusals=_REFUSALS,
    since="15.4",
)
def get_debian_installer_binary_by_hash(
    ctx: ReadContext,
    container: Container,
    distribution: Distribution,
    component: Component,
    architecture: str,
    file_sha256: str,
) -> RawBody:
    """Get the index of the packages for the installer of a component and an architecture by its digest."""
    return _serve_index(ctx, container, "di_packages", distribution, component, architecture, file_sha256)


@area.operation(
    "GET",
    f"{_DIST}/:component/source/Sources",
    scope=REPOSITORIES,
    name=("list_package_dist_source_sources", "list_group_dist_source_sources"),
    job_token=True,
    also=(204,),
    refusals=_REFUSALS,
    since="15.4",
)
def list_dist_source_sources(
    ctx: ReadContext, container: Container, distribution: Distribution, component: Component
) -> RawBody:
    """Get the index of the source packages of a component."""
    return _serve_index(ctx, container, "sources", distribution, component)


@area.operation(
    "GET",
    f"{_DIST}/:component/source/by-hash/SHA256/:file_sha256",
    scope=REPOSITORIES,
    name=("get_package_source_by_hash_sha256", "get_group_source_by_hash_sha256"),
    job_token=True,
    also=(204,),
    refusals=_REFUSALS,
    since="15.4",
)
def get_source_by_hash_sha256(
    ctx: ReadContext, container: Container, distribution: Distribution, component: Component, file_sha256: str
) -> RawBody:
    """Get the index of the source packages of a component by its digest."""
    return _serve_index(ctx, container, "sources", distribution, component, "", file_sha256)


@area.operation(
    "GET",
    "packages/debian/pool/:component/:letter/:package_name/:file_name",
    scope=REPOSITORIES,
    name=("download_debian_package_file", "download_group_debian_package_file"),
    job_token=True,
    refusals=_REFUSALS,
    until="14.2",
    produces=_TEXT,
)
def download_debian_package_file(
    _ctx: ReadContext, _container: Container, component: Component, letter: str, package_name: str, file_name: str
) -> RawBody:
    """Get the text of the first releases, which have no files yet."""
    del component, letter, package_name, file_name
    return RawBody(b"TODO File", _TEXT)


@area.operation(
    "GET",
    "packages/debian/pool/:distribution/:letter/:package_name/:package_version/:file_name",
    scope=PROJECT,
    job_token=True,
    refusals=_REFUSALS,
    since="14.2",
)
def get_package_debian_pool(
    ctx: ReadContext,
    project: Project,
    distribution: Distribution,
    letter: str,
    package_name: str,
    package_version: str,
    file_name: str,
) -> RawBody:
    """Download a file of a package from the pool of a project."""
    return _serve_file(ctx, project, distribution, letter, package_name, package_version, file_name)


@area.operation(
    "GET",
    "packages/debian/pool/:distribution/:project_id/:letter/:package_name/:package_version/:file_name",
    scope=GROUP,
    job_token=True,
    refusals=_REFUSALS,
    since="14.2",
)
def get_group_package_debian_pool(
    ctx: ReadContext,
    _group: Group,
    distribution: Distribution,
    project_id: int,
    letter: str,
    package_name: str,
    package_version: str,
    file_name: str,
) -> RawBody:
    """Download a file of a package from the pool of a group."""
    project = get_project(ctx, str(project_id))
    return _serve_file(ctx, project, distribution, letter, package_name, package_version, file_name)


def _serve_file(
    ctx: ReadContext, project: Project, distribution: str, letter: str, name: str, version: str, file_name: str
) -> RawBody:
    if not debian.is_package_name(name):
        raise InvalidParams("package_name is invalid")
    if not debian.VERSION.fullmatch(version):
        raise InvalidParams("package_version is invalid")
    if not name.startswith(letter):
        raise NotFound(reason=f"packages below {letter} begin with that")
    return file_response(ctx, debian.get_file(ctx.world, project, distribution, file_name))


class UploadDebianPackageFile(Params):
    """Where a binary package goes that is published without a changes file."""

    distribution: Annotated[Distribution | None, _DIRECT] = None
    component: Annotated[Component | None, _DIRECT] = None

    rules = (requires("distribution", "component", lifetime=_DIRECT),)


@area.operation(
    "PUT",
    "packages/debian/:file_name",
    scope=UPLOADS,
    ability=Ability.CREATE_PACKAGE,
    params=UploadDebianPackageFile,
    status=201,
    job_token=True,
    refusals=_REFUSALS,
    produces=_TEXT,
)
def upload_debian_package_file(
    ctx: WriteContext, project: Project, file_name: str, p: UploadDebianPackageFile
) -> RawBody:
    """Upload a file of a package: the body, or the part ``file`` of a form."""
    if packages.leads_elsewhere(file_name):
        raise InvalidParams("file_name should be a valid file path")
    if p.distribution and not file_name.endswith(tuple(f".{ending}" for ending in debian.BINARIES)):
        raise InvalidParams("file_name Only debs, udebs and ddebs can be directly added to a distribution")
    content = read_upload(ctx)
    if ctx.profile.has(DEBIAN_REPOSITORIES):
        debian.upload(ctx, project, file_name, content, p.distribution or "", p.component or "")
    return RawBody(CREATED, _TEXT, status=201)
