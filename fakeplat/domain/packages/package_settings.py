"""What groups decide for the packages of their projects. Source: docs/platform/packages.md."""

from collections.abc import Mapping, Sequence
from typing import Final, Literal, cast
from urllib.parse import quote

from fakeplat.core.operations.errors import BadRequest
from fakeplat.core.operations.http_messages import RawBody
from fakeplat.core.regexps import RegexpError, compile_regexp
from fakeplat.domain.packages import packages
from fakeplat.domain.validation import ValidationErrors, too_long
from fakeplat.model.packages import Package, PackageType
from fakeplat.model.people import Group, Namespace, PackageSettings
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.behaviours import DUPLICATE_EXCEPTIONS_INVERT, GENERIC_REFUSES_DUPLICATES, MAVEN_REFUSES_DUPLICATES
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.levels import ancestors_of

_REFUSING: Final = {"maven": MAVEN_REFUSES_DUPLICATES, "generic": GENERIC_REFUSES_DUPLICATES}


Forwarded = Literal["maven", "npm", "pypi"]
"""The types of packages that can be looked up elsewhere."""
FORWARDED: Final[tuple[Forwarded, ...]] = ("maven", "npm", "pypi")
_PUBLIC: Final[Mapping[Forwarded, str]] = {
    "maven": "https://repo.maven.apache.org/maven2",
    "npm": "https://registry.npmjs.org",
    "pypi": "https://pypi.org/simple",
}


def get_settings(world: World, project: Project) -> PackageSettings:
    """Return the settings of the namespace of a project; that of a user has the defaults."""
    namespace = world.namespaces[project.namespace_id]
    return get_own(namespace) if isinstance(namespace, Group) else PackageSettings()


def get_own(group: Group) -> PackageSettings:
    """Return the settings of a group."""
    return PackageSettings(**group.package_settings)


def is_locked_above(world: World, namespace: Namespace, kind: Forwarded) -> bool:
    """Return whether a group above a namespace has locked its decision on unknown packages."""
    above = (each for each in ancestors_of(world, namespace) if isinstance(each, Group) and each.id != namespace.id)
    return any(getattr(get_own(group), f"lock_{kind}_package_requests_forwarding") for group in above)


def list_errors(changes: Mapping[str, bool | str | None]) -> list[str]:
    """Return what is wrong with new settings."""
    errors = ValidationErrors()
    for name, value in changes.items():
        if isinstance(value, str):
            too_long(errors, name, value)
            errors.when(not is_valid_regexp(value), name, "not valid RE2 syntax")
    return errors.full_messages()


def is_valid_regexp(pattern: str) -> bool:
    """Return whether an expression of exceptions is valid."""
    try:
        compile_regexp(pattern)
    except RegexpError:
        return False
    return True


def update(ctx: WriteContext, group: Group, changes: Mapping[str, bool | str | None]) -> Group:
    """Change settings of a group. What is null is as it was before anybody decided."""
    kept = {name: value for name, value in {**group.package_settings, **changes}.items() if value is not None}
    return cast(Group, ctx.world.namespaces.change(group, package_settings=kept))


def allows_duplicate(world: World, project: Project, package: Package) -> bool:
    """Return whether a package that exists may get the same files again."""
    names = (package.name, package.version or "")
    return _allows(world, get_settings(world, project), package.package_type, names)


def _allows(world: World, settings: PackageSettings, kind: PackageType, names: Sequence[str]) -> bool:
    """Return whether settings allow duplicates; the exception is, in later releases, from either decision."""
    allowed: bool = getattr(settings, f"{kind}_duplicates_allowed")
    pattern: str = getattr(settings, f"{kind}_duplicate_exception_regex")
    try:
        expression = compile_regexp(rf"\A{pattern}\z")
    except RegexpError:
        return allowed
    is_exception = bool(pattern) and any(expression.is_in(name) for name in names)
    return (allowed and not (is_exception and world.profile.has(DUPLICATE_EXCEPTIONS_INVERT))) or (
        not allowed and is_exception
    )


def allows_module_elsewhere(world: World, project: Project, name: str) -> bool:
    """Return whether several projects of a group may have a module: if any group above the project says so."""
    above = ancestors_of(world, project)
    settings = (get_own(group) for group in above if isinstance(group, Group))
    return any(_allows(world, each, "terraform_module", [name]) for each in settings)


def refuse_duplicate(world: World, project: Project, package: Package, file_name: str) -> None:
    """Raise 400 if a package has a file with a name, and may not get it again."""
    lifetime = _REFUSING[package.package_type]
    is_duplicate = packages.find_file(world, package, file_name) is not None
    if is_duplicate and world.profile.has(lifetime) and not allows_duplicate(world, project, package):
        reason = f"{package.name} has {file_name}, and the settings of packages forbid duplicates"
        raise BadRequest("400 Bad request - Duplicate package is not allowed", reason=reason)


def is_forwarded(world: World, container: Project | Group | None, kind: Forwarded) -> bool:
    """Return whether requests for unknown packages are forwarded to the public registry.

    The outermost group that locks its decision decides, else the innermost one that has decided, else the instance.
    """
    name = f"{kind}_package_requests_forwarding"
    groups = [above for above in ancestors_of(world, container) if isinstance(above, Group)] if container else []
    decided = [get_own(group) for group in groups if name in group.package_settings]
    locked = [settings for settings in decided if getattr(settings, f"lock_{name}")]
    deciding = locked[-1] if locked else next(iter(decided), None)
    decision = getattr(deciding, name) if deciding is not None else None
    return bool(getattr(world.settings, name) if decision is None else decision)


def forward(ctx: ReadContext, kind: Forwarded, path: str, status: int = 302) -> RawBody:
    """Return the redirect to a package in the public registry, or in the one that ``instance.upstreams`` names."""
    base = ctx.instance.upstreams.get(kind, _PUBLIC[kind]).rstrip("/")
    origin = ctx.origin if base.startswith("/") else ""
    location = f"{origin}{base}/{quote(path, safe='@/+')}"
    return RawBody(b"", "text/html; charset=utf-8", (("Location", location),), status)
