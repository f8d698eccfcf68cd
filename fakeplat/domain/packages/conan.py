"""Conan packages: recipes, the binary packages that were built from them, and their revisions.

Conan 1 has one revision of everything, which is not stored; Conan 2 names those of recipes and of binary packages.
Source: docs/platform/packages.md.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from fnmatch import translate
from typing import Final, Literal, NamedTuple

from fakeplat.core.operations.errors import BadRequest, NotFound, RecordNotFound
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.packages import digests, packages, protection_rules
from fakeplat.domain.people import namespaces
from fakeplat.model.packages import Package, PackageFile
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.behaviours import CONAN_FILES_ARE_STORED_ONCE, CONAN_SEARCHES_ARE_LIMITED
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.descriptions import describe

FileName = Literal[
    "conanfile.py", "conanmanifest.txt", "conan_sources.tgz", "conan_export.tgz", "conaninfo.txt", "conan_package.tgz"
]
INFO: Final = "conaninfo.txt"
RECIPE_FILES: Final = ("conanfile.py", "conanmanifest.txt", "conan_sources.tgz", "conan_export.tgz")
PACKAGE_FILES: Final = (INFO, "conanmanifest.txt", "conan_package.tgz")
NONE: Final = "_"
"""The username and channel of a recipe that has none."""
DEFAULT_REVISION: Final = "0"
"""The only revision of Conan 1."""
MAX_RESULTS: Final = 500
_COMPONENT: Final = re.compile(r"[a-zA-Z0-9_][a-zA-Z0-9_+.-]{1,49}")
_REFERENCE: Final = re.compile(r"[A-Za-z0-9]+")
_SECTION: Final = re.compile(r"\[(\w{1,50})\]")
_SECTIONS: Final = ("requires", "recipe_hash", "options", "settings")
_SEPARATORS: Final = re.compile(r"[@/]")
_MAX_SEARCH: Final = 200
_MAX_WILDCARDS: Final = 5


@frozen
class Recipe:
    """A recipe, which is a package of a project, whether or not it exists."""

    project: Project
    name: str
    version: str
    username: str
    channel: str

    def __str__(self) -> str:
        return f"{self.name}/{self.version}@{self.username}/{self.channel}"


@frozen
class Place:
    """Where a file belongs: to a recipe, or to a binary package with a reference. A revision of Conan 1 is None."""

    recipe_revision: str | None = None
    reference: str | None = None
    package_revision: str | None = None


class Revision(NamedTuple):
    """A revision of a recipe or of a binary package, and when its first file was uploaded."""

    revision: str
    time: str


def is_component(text: str) -> bool:
    """Return whether a text is a valid name, version, username or channel."""
    return _COMPONENT.fullmatch(text) is not None


def is_reference(text: str) -> bool:
    """Return whether a text is a valid reference of a binary package."""
    return _REFERENCE.fullmatch(text) is not None


def path_of_username(username: str) -> str:
    """Return the full path of the project that a username of a recipe names."""
    return username.replace("+", "/")


def find_package(world: World, recipe: Recipe) -> Package | None:
    """Return the newest package of a recipe."""
    wanted = (recipe.version, recipe.username, recipe.channel)
    versions = packages.list_named(world, recipe.project, "conan", recipe.name)
    return next((row for row in reversed(versions) if wanted == (row.version, *_owner_of(row))), None)


def _owner_of(package: Package) -> tuple[str, str]:
    return package.conan_username or NONE, package.conan_channel or NONE


def get_package(world: World, recipe: Recipe) -> Package:
    """Return the package of a recipe, or refuse with 404."""
    package = find_package(world, recipe)
    if package is None:
        raise NotFound("Package", reason=lambda: f"{describe(world, recipe.project)} has no Conan package {recipe}")
    return package


def list_recipe_files(world: World, package: Package | None) -> Sequence[PackageFile]:
    """Return the files of a recipe in all its revisions, by id."""
    files = packages.list_files(world, package) if package is not None else ()
    return [file for file in files if file.conan_package_reference is None]


def list_package_files(world: World, package: Package | None, reference: str) -> Sequence[PackageFile]:
    """Return the files of the binary packages with a reference, by id."""
    files = packages.list_files(world, package) if package is not None else ()
    return [file for file in files if file.conan_package_reference == reference]


def list_files_at(world: World, package: Package, place: Place) -> Sequence[PackageFile]:
    """Return the files of a revision, by id."""
    return [file for file in packages.list_files(world, package) if place_of(file) == place]


def list_revision_files(world: World, package: Package, recipe_revision: str) -> Sequence[PackageFile]:
    """Return the files of a revision of a recipe and of its binary packages, by id."""
    return [file for file in packages.list_files(world, package) if file.conan_recipe_revision == recipe_revision]


def place_of(file: PackageFile) -> Place:
    """Return the revision that a file belongs to."""
    return Place(file.conan_recipe_revision, file.conan_package_reference, file.conan_package_revision)


def get_file(world: World, recipe: Recipe, place: Place, file_name: str) -> PackageFile:
    """Return the newest file of a revision with a name, or refuse with 404."""
    files = list_files_at(world, get_package(world, recipe), place)
    found = next((file for file in reversed(files) if file.file_name == file_name), None)
    if found is None:
        raise RecordNotFound(reason=f"the revision of {recipe} has no file {file_name}")
    return found


def upload(ctx: WriteContext, recipe: Recipe, place: Place, file_name: str, content: bytes) -> PackageFile | None:
    """Add a file to the package of a recipe, which is created if necessary.

    Conan first sends no content, to learn whether it has to send it at all; nothing is stored then.
    """
    if content and packages.is_too_large(ctx.world.settings.conan_max_file_size, len(content)):
        raise packages.build_refusal(ctx, "File is too large")
    protection_rules.authorize_push(ctx, recipe.project, "conan", recipe.name)
    if place.reference is not None and not is_reference(place.reference):
        raise BadRequest("Validation failed: Conan file metadatum conan package reference is invalid")
    package = find_package(ctx.world, recipe) or packages.create(
        ctx,
        recipe.project,
        "conan",
        recipe.name,
        recipe.version,
        conan_username=recipe.username,
        conan_channel=recipe.channel,
    )
    if not content:
        return None
    computed = digests.compute(content)
    return _find_same(ctx, package, place, file_name, computed.file_sha1) or packages.add_file(
        ctx,
        package,
        file_name,
        content,
        file_md5=computed.file_md5,
        file_sha1=computed.file_sha1,
        conan_recipe_revision=place.recipe_revision,
        conan_package_reference=place.reference,
        conan_package_revision=place.package_revision,
    )


def _find_same(ctx: WriteContext, package: Package, place: Place, file_name: str, sha1: str) -> PackageFile | None:
    if not ctx.profile.has(CONAN_FILES_ARE_STORED_ONCE):
        return None
    return next(
        (
            file
            for file in list_files_at(ctx.world, package, place)
            if file.file_name == file_name and (place.recipe_revision is not None or file.file_sha1 == sha1)
        ),
        None,
    )


def list_recipe_revisions(world: World, package: Package) -> list[Revision]:
    """Return the revisions of a recipe, newest first."""
    return _newest_first((file.conan_recipe_revision, file.created_at) for file in packages.list_files(world, package))


def list_package_revisions(world: World, package: Package, recipe_revision: str, reference: str) -> list[Revision]:
    """Return the revisions of a binary package of a recipe's revision, newest first."""
    return _newest_first(
        (file.conan_package_revision, file.created_at)
        for file in list_package_files(world, package, reference)
        if file.conan_recipe_revision == recipe_revision
    )


def _newest_first(rows: Iterator[tuple[str | None, str]]) -> list[Revision]:
    first: dict[str, str] = {}
    for revision, time in rows:
        if revision is not None:
            first.setdefault(revision, time)
    return [Revision(*row) for row in reversed(first.items())]


def describe_references(
    world: World, package: Package, recipe_revision: str | None = None
) -> dict[str, Mapping[str, object]]:
    """Return what is known of each binary package of a recipe, by reference: the settings it was built with."""
    found: dict[str, Mapping[str, object]] = {}
    for file in packages.list_files(world, package):
        reference = file.conan_package_reference
        if reference is None or recipe_revision not in (None, file.conan_recipe_revision):
            continue
        found.setdefault(reference, {})
        if file.file_name == INFO:
            found[reference] = parse_info(file.content)
    return found


def parse_info(content: bytes) -> dict[str, object]:
    """Return the sections of a ``conaninfo.txt`` that the platform keeps; none if it cannot be parsed."""
    info: dict[str, object] = {}
    section = ""
    for line in map(str.strip, content.decode("utf-8", "replace").splitlines()):
        header = _SECTION.fullmatch(line)
        if header is not None:
            section = header[1]
        elif line.startswith("[") or not _add_line(info, section, line):
            return {}
    return info


def _add_line(info: dict[str, object], section: str, line: str) -> bool:
    """Add a line to its section, unless the platform does not keep that; return False if the line does not fit."""
    if not line or section not in _SECTIONS:
        return True
    if section == "recipe_hash":
        is_first = section not in info
        info[section] = line
        return is_first
    key, equals, value = map(str.strip, line.partition("="))
    if not equals:
        lines = info.setdefault(section, [])
        if isinstance(lines, list):
            lines.append(line)
        return isinstance(lines, list)
    values = info.setdefault(section, {})
    if not (isinstance(values, dict) and key and value):
        return False
    values[key] = value
    return True


def search(ctx: ReadContext, query: str, project: Project | None, *, ignore_case: bool = True) -> list[str]:
    """Return the recipes that a query finds: those of a project, or of all projects whose packages the caller reads.

    Until the platform limited searches, they were made in the whole instance, and only the end of a query was free.
    """
    if not ctx.profile.has(CONAN_SEARCHES_ARE_LIMITED):
        return _search_everywhere(ctx, query)
    if len(query) > _MAX_SEARCH:
        raise packages.build_refusal(ctx, f"Search term length must be less than {_MAX_SEARCH} characters.")
    if query.count("*") > _MAX_WILDCARDS:
        raise packages.build_refusal(ctx, f"Too many wildcards in search term. Maximum is {_MAX_WILDCARDS}.")
    name, version, username = [*_SEPARATORS.split(query), "", "", ""][:3]
    if query == "*" or not name or (name, version) == ("*", "*"):
        return []
    projects = [project] if project is not None else _list_projects(ctx, username)
    matching = [
        package
        for package in _list_packages(ctx.world, projects)
        if _is_like(package.name, name, ignore_case=ignore_case)
        and (not version or _is_like(package.version or "", version, ignore_case=ignore_case))
    ]
    return [package.full_name for package in matching[-MAX_RESULTS:][::-1]]


def _is_like(text: str, pattern: str, *, ignore_case: bool) -> bool:
    # Only the star is special in a query.
    expression = translate(pattern.replace("[", "[[]").replace("?", "[?]"))
    return re.match(expression, text, re.IGNORECASE if ignore_case else 0) is not None


def _search_everywhere(ctx: ReadContext, query: str) -> list[str]:
    text = query.replace("*", "")
    if query == "*":
        return []
    if "@" in query:
        name, version, username = [*_SEPARATORS.split(text), "", ""][:3]
        matching = [
            package
            for package in _list_packages(ctx.world, _list_projects(ctx, username))
            if (package.name, package.version) == (name, version)
        ]
        return [package.full_name for package in matching[-1:]]
    pattern = f"{text}*" if query.endswith("*") else text
    found = _list_packages(ctx.world, _list_projects(ctx, ""))
    found.sort(key=lambda package: package.name)
    return [package.full_name for package in found if _is_like(package.name, pattern, ignore_case=True)]


def _list_projects(ctx: ReadContext, username: str) -> Collection[Project]:
    """Return the project that a username names, or all projects, as far as the caller reads their packages."""
    named = namespaces.find_project_by_path(ctx.world, path_of_username(username)) if username else None
    projects = ctx.world.projects.all() if not username else [] if named is None else [named]
    return packages.select_readable(ctx, projects)


def _list_packages(world: World, projects: Collection[Project]) -> list[Package]:
    found = [
        package
        for project in projects
        for package in world.packages.where("project", project.id)
        if package.package_type == "conan" and packages.is_listed(package)
    ]
    return sorted(found, key=lambda package: package.id)
