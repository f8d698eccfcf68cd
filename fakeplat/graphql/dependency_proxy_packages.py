"""The dependency proxy of a project's packages. Source: docs/platform/graphql.md, docs/platform/packages.md."""

from collections.abc import Mapping
from typing import Any, Final, TypedDict, Unpack, cast

from fakeplat.domain.packages import dependency_proxy
from fakeplat.graphql.errors import ResourceNotAvailable
from fakeplat.graphql.lookups import require_project
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import Type, mutation
from fakeplat.model.dependency_proxy import DependencyProxySetting
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import caller_name, can
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.features import has_feature

_SINCE: Final = "16.5"
SETTING: Final = Type("DependencyProxyPackagesSetting", "The dependency proxy of a project's packages.", since=_SINCE)
SETTING.attributes(
    {
        "enabled: Boolean!": "Whether it is on.",
        "mavenExternalRegistryUrl: String": "The address of the registry of Maven packages.",
        "mavenExternalRegistryUsername: String": "The username there.",
    }
)


def _may_administer(ctx: ReadContext, project: Project) -> bool:
    return has_feature(ctx.world, "premium", project) and can(ctx, Ability.ADMIN_PROJECT, project)


@PROJECT.field("dependencyProxyPackagesSetting: DependencyProxyPackagesSetting", since=_SINCE)
def find_setting(ctx: ReadContext, project: Project) -> DependencyProxySetting | None:
    """The dependency proxy of packages, for Maintainers; paid tiers only."""
    return dependency_proxy.setting_of(project) if _may_administer(ctx, project) else None


class SettingChanges(TypedDict, total=False):
    """What the mutation changes."""

    enabled: bool | None
    maven_external_registry_url: str | None
    maven_external_registry_username: str | None
    maven_external_registry_password: str | None


@mutation(
    "updateDependencyProxyPackagesSettings",
    input_fields='''
"""The full path of the project."""
projectPath: ID!
"""Whether it is on."""
enabled: Boolean
"""The address of the registry of Maven packages."""
mavenExternalRegistryUrl: String
"""The username there."""
mavenExternalRegistryUsername: String
"""The password there."""
mavenExternalRegistryPassword: String
''',
    payload_fields='''
"""The settings after the change."""
dependencyProxyPackagesSetting: DependencyProxyPackagesSetting
''',
    since=_SINCE,
)
def update_packages_settings(
    ctx: WriteContext, project_path: str, **changes: Unpack[SettingChanges]
) -> Mapping[str, Any]:
    """Change the dependency proxy of a project's packages."""
    project = require_project(ctx, project_path)
    if not _may_administer(ctx, project):
        raise ResourceNotAvailable(lambda: f"{caller_name(ctx)} does not administer the dependency proxy of packages")
    setting, errors = dependency_proxy.change_setting(ctx, project, cast(Mapping[str, bool | str | None], changes))
    return {"dependency_proxy_packages_setting": setting, "errors": errors}
