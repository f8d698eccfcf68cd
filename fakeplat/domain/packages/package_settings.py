"""What groups decide for the packages of their projects. Source: docs/platform/packages.md."""

from typing import Literal

from fakeplat.core.regexps import RegexpError, compile_regexp
from fakeplat.model.packages import Package
from fakeplat.model.people import Group, PackageSettings
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.levels import ancestors_of


def get_settings(world: World, project: Project) -> PackageSettings:
    """Return the settings of the namespace of a project; that of a user has the defaults."""
    namespace = world.namespaces[project.namespace_id]
    return PackageSettings(**namespace.package_settings) if isinstance(namespace, Group) else PackageSettings()


def allows_duplicate(world: World, project: Project, package: Package) -> bool:
    """Return whether a package that exists may get the same files again."""
    settings, kind = get_settings(world, project), package.package_type
    if getattr(settings, f"{kind}_duplicates_allowed"):
        return True
    pattern: str = getattr(settings, f"{kind}_duplicate_exception_regex")
    try:
        expression = compile_regexp(rf"\A{pattern}\z")
    except RegexpError:
        return False
    return expression.is_in(package.name) or expression.is_in(package.version or "")


def is_forwarded(world: World, container: Project | Group | None, kind: Literal["npm", "pypi"]) -> bool:
    """Return whether requests for unknown packages are forwarded to the public registry.

    The outermost group that locks its decision decides, else the innermost one that has decided, else the instance.
    """
    name = f"{kind}_package_requests_forwarding"
    groups = [above for above in ancestors_of(world, container) if isinstance(above, Group)] if container else []
    decided = [PackageSettings(**group.package_settings) for group in groups if name in group.package_settings]
    locked = [settings for settings in decided if getattr(settings, f"lock_{name}")]
    deciding = locked[-1] if locked else next(iter(decided), None)
    decision = getattr(deciding, name) if deciding is not None else None
    return bool(getattr(world.settings, name) if decision is None else decision)
