"""What groups decide for the packages of their projects. Source: docs/platform/packages.md."""

from fakeplat.core.regexps import RegexpError, compile_regexp
from fakeplat.model.packages import Package
from fakeplat.model.people import Group, PackageSettings
from fakeplat.model.projects import Project
from fakeplat.model.world import World


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
