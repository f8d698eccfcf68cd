"""What packages depend on, as their manifests tell. Source: docs/platform/packages.md."""

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, Final

from fakeplat.core.store.frozen import frozen
from fakeplat.model.packages import Package

KINDS: Final = ("dependencies", "devDependencies", "bundleDependencies", "peerDependencies")
"""The kinds of dependencies, which are those of npm; other packages have the first one."""
_NUMBER_LENGTH: Final = 12


@frozen
class Dependency:
    """A package by name, and which versions of it: the same one for all packages that need them."""

    name: str
    version_pattern: str

    @property
    def id(self) -> int:
        """A number that belongs to the name and the versions."""
        return _number(self.name, self.version_pattern)


@frozen
class DependencyLink:
    """That a package depends on another one; in NuGet, perhaps only for a framework."""

    package_id: int
    dependency: Dependency
    dependency_type: str
    target_framework: str | None = None

    @property
    def id(self) -> int:
        """A number that belongs to the package and to what it needs."""
        return _number(str(self.package_id), str(self.dependency.id), self.dependency_type, self.target_framework or "")


def _number(*texts: str) -> int:
    return int(sha256("\0".join(texts).encode()).hexdigest()[:_NUMBER_LENGTH], 16)


def list_links(package: Package) -> Sequence[DependencyLink]:
    """Return what a package depends on, the last one of its manifest first."""
    if package.package_type == "npm":
        links = _list_of_npm(package)
    elif package.package_type == "nuget":
        links = _list_of_nuget(package)
    elif package.package_type == "rubygems":
        links = _list_of_gem(package)
    else:
        return ()
    return [*links][::-1]


def _list_of_npm(package: Package) -> Iterator[DependencyLink]:
    for kind in KINDS:
        patterns = package.manifest.get(kind)
        for name, pattern in patterns.items() if isinstance(patterns, Mapping) else ():
            yield DependencyLink(package.id, Dependency(str(name), str(pattern)), kind)


def _list_of_nuget(package: Package) -> Iterator[DependencyLink]:
    needed: Sequence[Mapping[str, Any]] = package.manifest.get("dependencies", ())
    for entry in needed:
        dependency = Dependency(entry.get("id", ""), entry.get("range", ""))
        yield DependencyLink(package.id, dependency, KINDS[0], entry.get("targetFramework"))


def _list_of_gem(package: Package) -> Iterator[DependencyLink]:
    for name, pattern in package.manifest.get("dependencies", ()):
        yield DependencyLink(package.id, Dependency(name, pattern), KINDS[0])
