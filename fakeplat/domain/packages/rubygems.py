"""RubyGems: publication of gems, and their dependencies for clients. Source: docs/platform/packages.md."""

from collections.abc import Iterable
from typing import Final

from fakeplat.core.operations.errors import NotFound, NotFoundWithMessage, RecordNotFound
from fakeplat.core.ruby_marshal import Symbol, Value
from fakeplat.domain.packages import digests, gem_indexes, gemspecs, packages
from fakeplat.domain.packages.packed_files import UnreadableFile
from fakeplat.model.packages import Package, PackageFile
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.behaviours import GEMS_HAVE_SERIALIZED_SPECIFICATIONS
from fakeplat.policy.context import WriteContext
from fakeplat.policy.descriptions import describe

FLAG: Final = "rubygem_packages"
"""The feature of the platform that switches the registry on."""
_TEMPORARY_NAME: Final = "Gem.Temporary.Package"
_UPLOADED_NAME: Final = "package.gem"
_PLATFORM: Final = "ruby"


def upload(ctx: WriteContext, project: Project, content: bytes) -> None:
    """Publish a gem. One that cannot be read becomes a package with an error."""
    try:
        spec = gemspecs.read(content)
    except UnreadableFile:
        version = f"0.0.0-{ctx.random_uuid('rubygems')}"
        package = packages.create(ctx, project, "rubygems", _TEMPORARY_NAME, version, status="error")
        _add_file(ctx, package, _UPLOADED_NAME, content)
        return
    package = packages.get_or_create(ctx, project, "rubygems", spec.name, spec.version)
    if not project.has_gem_indexes:
        ctx.world.projects.change(ctx.world.projects[project.id], has_gem_indexes=True)
    ctx.world.packages.change(package, manifest=_build_manifest(spec), updated_at=ctx.now_iso)
    _add_file(ctx, package, f"{spec.name}-{spec.version}.gem", content)
    if ctx.profile.has(GEMS_HAVE_SERIALIZED_SPECIFICATIONS):
        _add_file(ctx, package, f"{spec.name}-{spec.version}.gemspec.rz", gem_indexes.serialize(spec))
    else:
        _add_file(ctx, package, f"{spec.name}.gemspec", gemspecs.to_ruby(spec).encode())


def _add_file(ctx: WriteContext, package: Package, file_name: str, content: bytes) -> PackageFile:
    return packages.add_file(ctx, package, file_name, content, **digests.compute(content)._asdict())


def _build_manifest(spec: gemspecs.Gemspec) -> dict[str, list[list[str]]]:
    rows = [[dependency.name, ", ".join(dependency.requirements)] for dependency in spec.dependencies]
    return {"dependencies": rows} if rows else {}


def get_file(world: World, project: Project, file_name: str) -> PackageFile:
    """Return the newest file of a gem with a name, or refuse with 404."""
    gems = _list_gems(world, project)
    files = [file for gem in gems if (file := packages.find_file(world, gem, file_name)) is not None]
    if not files:
        raise RecordNotFound(reason=lambda: f"{describe(world, project)} has no gem with the file {file_name}")
    return max(files, key=lambda file: file.id)


def _list_gems(world: World, project: Project) -> list[Package]:
    return [row for row in world.packages.where("project", project.id) if row.package_type == "rubygems"]


def build_index(world: World, project: Project, file_name: str) -> bytes:
    """Return an index of the gems of a project, or refuse with 404 as long as it never had one."""
    gems = _list_gems(world, project)
    if not gems and not project.has_gem_indexes:
        raise NotFound(
            reason=lambda: f"{describe(world, project)} never had gems, which are indexed when they are pushed"
        )
    return gem_indexes.build_index((gem for gem in gems if gem.version and gem.status != "error"), file_name)


def list_dependencies(world: World, project: Project, names: Iterable[str]) -> Value:
    """Return the versions of some gems with what they need, or refuse with 404 for a name that is not known."""
    return [_describe(package) for name in names for package in _list_versions(world, project, name)]


def _list_versions(world: World, project: Project, name: str) -> list[Package]:
    rows = packages.list_named(world, project, "rubygems", name)
    if not rows:
        raise NotFoundWithMessage(f"{name} not found", reason=lambda: f"{describe(world, project)} has no gem {name}")
    return rows


def _describe(package: Package) -> Value:
    return {
        Symbol("name"): package.name,
        Symbol("number"): package.version or "",
        Symbol("platform"): _PLATFORM,
        Symbol("dependencies"): package.manifest.get("dependencies", []),
    }
