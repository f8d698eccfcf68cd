"""The dependency proxy of projects, which keeps packages of a registry outside in their own registry.

Registries outside are those of other projects on the same host: nothing else is asked. Source:
docs/platform/packages.md.
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final, Literal
from urllib.parse import unquote, urlsplit

from attrs import asdict

from fakeplat.core.store.frozen import frozen
from fakeplat.domain.outbound_urls import explain_blocked_url
from fakeplat.domain.packages import digests, maven, npm, packages
from fakeplat.domain.people import namespaces
from fakeplat.domain.purging import purge
from fakeplat.domain.validation import BLANK, ValidationErrors, join_words, too_long
from fakeplat.model.dependency_proxy import DependencyProxySetting
from fakeplat.model.packages import PackageFile
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext, WriteContext

Kind = Literal["maven", "npm"]
_MAVEN_URL: Final = "maven_external_registry_url"
_NPM_URL: Final = "npm_external_registry_url"
_MAVEN_CREDENTIALS: Final = ("maven_external_registry_username", "maven_external_registry_password")
_REGISTRY: Final = re.compile(r"/api/v4/projects/(?P<project>[^/]+)/packages/(?P<kind>maven|npm)")
_TARBALL: Final = re.compile(r".+?-(?P<version>\d.*)\.tgz")


@frozen
class WantedFile:
    """A file of a package: its folder (for npm, the name of the package) and its name there."""

    project: Project
    kind: Kind
    path: str
    name: str


def setting_of(project: Project) -> DependencyProxySetting:
    """Return the setting of a project, whether or not its proxy is on."""
    return DependencyProxySetting(**(project.dependency_proxy_packages or {}))


def change_setting(
    ctx: WriteContext, project: Project, changes: Mapping[str, bool | str | None]
) -> tuple[DependencyProxySetting | None, list[str]]:
    """Change the setting of a project; return it, or what is wrong with it. A new address ends the credentials."""
    old = asdict(setting_of(project))
    given = {name: value or None if name in _MAVEN_CREDENTIALS else value for name, value in changes.items()}
    new = {**old, **given}
    errors = _validate(ctx, new)
    if errors:
        return None, [join_words(errors.full_messages())]
    if new[_MAVEN_URL] != old[_MAVEN_URL] and any(new[name] == old[name] for name in _MAVEN_CREDENTIALS):
        new |= dict.fromkeys(_MAVEN_CREDENTIALS)
    changed = ctx.world.projects.change(project, dependency_proxy_packages=new)
    return setting_of(changed), []


def _validate(ctx: ReadContext, setting: Mapping[str, Any]) -> ValidationErrors:
    errors, own_host = ValidationErrors(), urlsplit(ctx.origin).netloc
    url, credentials = setting[_MAVEN_URL], [setting[name] for name in _MAVEN_CREDENTIALS]
    if not url and not setting[_NPM_URL]:
        errors.add("base", f"At least one field of {json.dumps([_MAVEN_URL, _NPM_URL])} must be present")
    blocked = explain_blocked_url(url, allowed_hosts=(own_host,)) if url else ""
    errors.when(blocked, _MAVEN_URL, f"is blocked: {blocked}")
    for name, value in zip(_MAVEN_CREDENTIALS, credentials, strict=True):
        errors.when(any(credentials) and not value, name, BLANK)
    for name in (_MAVEN_URL, *_MAVEN_CREDENTIALS):
        too_long(errors, name, setting[name])
    return errors


def find_setting(project: Project, kind: Kind) -> DependencyProxySetting | None:
    """Return the setting of a project, if its proxy is on for a type of packages."""
    setting = setting_of(project)
    return setting if setting.enabled and _url_of(setting, kind) else None


def _url_of(setting: DependencyProxySetting, kind: Kind) -> str:
    return (setting.maven_external_registry_url if kind == "maven" else setting.npm_external_registry_url) or ""


def find_file(world: World, project: Project, wanted: WantedFile) -> PackageFile | None:
    """Return a file in the registry of a project."""
    if wanted.kind == "maven":
        return maven.find_file(world, [project], wanted.path, wanted.name)
    rows = packages.list_named(world, project, "npm", wanted.path)
    files = (packages.find_file(world, package, wanted.name) for package in reversed(rows))
    return next((file for file in files if file is not None), None)


def find_registry(ctx: ReadContext, project: Project, kind: Kind) -> Project | None:
    """Return the project whose registry a proxy asks; None for a registry that is not of this host."""
    setting = find_setting(project, kind)
    url = urlsplit(_url_of(setting, kind)) if setting is not None else urlsplit("")
    origin = f"{url.scheme}://{url.netloc}" if url.netloc else ctx.origin
    match = _REGISTRY.fullmatch(url.path.rstrip("/")) if origin == ctx.origin else None
    if match is None or match["kind"] != kind:
        return None
    return namespaces.find_project(ctx.world, unquote(match["project"]))


def find_upstream_file(ctx: ReadContext, wanted: WantedFile) -> PackageFile | None:
    """Return a file of the registry outside."""
    registry = find_registry(ctx, wanted.project, wanted.kind)
    return find_file(ctx.world, registry, wanted) if registry is not None else None


def is_current(kept: PackageFile, upstream: PackageFile | None) -> bool:
    """Return whether a file is that of the registry outside; also if that cannot be asked."""
    return upstream is None or kept.content == upstream.content


def plan_keeping(ctx: ReadContext, wanted: WantedFile) -> Callable[[WriteContext], object] | None:
    """Return what keeps a file that is pulled for the first time, or has changed outside, if the caller may."""
    kept, upstream = find_file(ctx.world, wanted.project, wanted), find_upstream_file(ctx, wanted)
    if upstream is None or (kept is not None and is_current(kept, upstream)):
        return None
    needed = (Ability.CREATE_PACKAGE,) if kept is None else (Ability.CREATE_PACKAGE, Ability.DESTROY_PACKAGE)
    if not all(can(ctx, ability, wanted.project) for ability in needed):
        return None

    def keep(write_ctx: WriteContext) -> None:
        if kept is not None:
            purge(write_ctx, kept)
        _keep(write_ctx, wanted, upstream)

    return keep


def _keep(ctx: WriteContext, wanted: WantedFile, upstream: PackageFile) -> None:
    if wanted.kind == "maven":
        maven.upload(ctx, wanted.project, wanted.path, wanted.name, upstream.content)
        return
    source = ctx.world.packages[upstream.package_id]
    match = _TARBALL.fullmatch(wanted.name)
    version = source.version or (match["version"] if match else "")
    package = packages.get_or_create(ctx, wanted.project, "npm", wanted.path, version, manifest=source.manifest)
    packages.add_file(ctx, package, wanted.name, upstream.content, **digests.compute(upstream.content)._asdict())


def is_npm_name(name: str) -> bool:
    """Return whether a text can be the name of an npm package."""
    return npm.is_name(name)
