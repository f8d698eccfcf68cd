"""What groups decide for packages of their projects. Source: docs/platform/graphql.md, docs/platform/packages.md."""

from collections.abc import Mapping
from typing import Any, Final, TypedDict, Unpack, cast

from fakeplat.domain.packages import package_settings
from fakeplat.domain.packages.package_settings import Forwarded
from fakeplat.graphql.lookups import require_group
from fakeplat.graphql.people.groups import GROUP, NAMESPACE
from fakeplat.graphql.schema_builder import Type, mutation, to_snake_case
from fakeplat.model.people import Group, Namespace, PackageSettings, UserNamespace
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize, can
from fakeplat.policy.context import ReadContext, WriteContext

_SINCE: Final = "<=13.9"
_GENERIC: Final = "<=14.0"
_FORWARDING: Final = "<=15.8"
_NUGET: Final = "<=16.9"
SETTINGS: Final = Type("PackageSettings", "What a namespace decides for packages.", since=_SINCE)


class PackageSettingsChanges(TypedDict, total=False):
    """New settings; null is as before anybody decided."""

    maven_duplicates_allowed: bool | None
    maven_duplicate_exception_regex: str | None
    generic_duplicates_allowed: bool | None
    generic_duplicate_exception_regex: str | None
    nuget_duplicates_allowed: bool | None
    nuget_duplicate_exception_regex: str | None
    terraform_module_duplicates_allowed: bool | None
    terraform_module_duplicate_exception_regex: str | None
    maven_package_requests_forwarding: bool | None
    lock_maven_package_requests_forwarding: bool | None
    npm_package_requests_forwarding: bool | None
    lock_npm_package_requests_forwarding: bool | None
    pypi_package_requests_forwarding: bool | None
    lock_pypi_package_requests_forwarding: bool | None
    nuget_symbol_server_enabled: bool | None


def _own(namespace: Namespace) -> PackageSettings:
    return package_settings.get_own(namespace) if isinstance(namespace, Group) else PackageSettings()


def _declare_setting(signature: str, description: str, since: str) -> None:
    name = to_snake_case(signature.partition(":")[0])

    def setting(_ctx: ReadContext, namespace: Namespace) -> bool | str | None:
        value: bool | str | None = getattr(_own(namespace), name)
        return value

    SETTINGS.field(signature, since=since, description=description)(setting)


def _declare_duplicates(kind: str, since: str) -> None:
    description = "Whether a package that exists may get its files again."
    exceptions = "Names and versions that may get their files again."
    _declare_setting(f"{kind}DuplicatesAllowed: Boolean!", description, since)
    _declare_setting(f"{kind}DuplicateExceptionRegex: UntrustedRegexp", exceptions, since)


def _declare_forwarding(kind: Forwarded) -> None:
    name = f"{kind.capitalize()}PackageRequestsForwarding"
    description = "Whether requests for unknown packages are forwarded."
    _declare_setting(f"{kind}PackageRequestsForwarding: Boolean", description, _FORWARDING)
    _declare_setting(f"lock{name}: Boolean!", "Whether the namespaces below may not differ.", _FORWARDING)

    @SETTINGS.field(f"{kind}PackageRequestsForwardingLocked: Boolean!", since=_FORWARDING)
    def is_locked(ctx: ReadContext, namespace: Namespace) -> bool:
        """Whether a namespace above has locked its decision."""
        return package_settings.is_locked_above(ctx.world, namespace, kind)


_declare_duplicates("maven", "")
_declare_duplicates("generic", _GENERIC)
_declare_duplicates("nuget", _NUGET)
_declare_duplicates("terraformModule", _NUGET)
for _kind in package_settings.FORWARDED:
    _declare_forwarding(_kind)
_declare_setting("nugetSymbolServerEnabled: Boolean!", "Whether debuggers get symbol files.", _NUGET)


@NAMESPACE.field("packageSettings: PackageSettings", since=_SINCE)
@GROUP.field("packageSettings: PackageSettings", since=_SINCE)
def settings_of(ctx: ReadContext, namespace: Namespace | Project) -> Namespace | None:
    """What the namespace decides for the packages of its projects; for those who administer these."""
    if isinstance(namespace, Group):
        return namespace if can(ctx, Ability.ADMIN_PACKAGE, namespace) else None
    if isinstance(namespace, UserNamespace) and (ctx.admin or namespace.owner_id == getattr(ctx.viewer, "id", 0)):
        return namespace
    return None


@mutation(
    "updateNamespacePackageSettings",
    input_fields=f'''
"""The full path of the namespace."""
namespacePath: ID!
"""Whether Maven packages may be published again."""
mavenDuplicatesAllowed: Boolean
"""Maven packages that may be published again nevertheless."""
mavenDuplicateExceptionRegex: UntrustedRegexp
"""Whether generic packages may be published again."""
genericDuplicatesAllowed: Boolean @lifetime(since: "{_GENERIC}")
"""Generic packages that may be published again nevertheless."""
genericDuplicateExceptionRegex: UntrustedRegexp @lifetime(since: "{_GENERIC}")
"""Whether NuGet packages may be published again."""
nugetDuplicatesAllowed: Boolean @lifetime(since: "{_NUGET}")
"""NuGet packages that may be published again nevertheless."""
nugetDuplicateExceptionRegex: UntrustedRegexp @lifetime(since: "{_NUGET}")
"""Whether Terraform modules may be published again."""
terraformModuleDuplicatesAllowed: Boolean @lifetime(since: "{_NUGET}")
"""Terraform modules that may be published again nevertheless."""
terraformModuleDuplicateExceptionRegex: UntrustedRegexp @lifetime(since: "{_NUGET}")
"""Whether requests for unknown Maven packages are forwarded."""
mavenPackageRequestsForwarding: Boolean @lifetime(since: "{_FORWARDING}")
"""Whether the namespaces below may not differ."""
lockMavenPackageRequestsForwarding: Boolean @lifetime(since: "{_FORWARDING}")
"""Whether requests for unknown npm packages are forwarded."""
npmPackageRequestsForwarding: Boolean @lifetime(since: "{_FORWARDING}")
"""Whether the namespaces below may not differ."""
lockNpmPackageRequestsForwarding: Boolean @lifetime(since: "{_FORWARDING}")
"""Whether requests for unknown PyPI packages are forwarded."""
pypiPackageRequestsForwarding: Boolean @lifetime(since: "{_FORWARDING}")
"""Whether the namespaces below may not differ."""
lockPypiPackageRequestsForwarding: Boolean @lifetime(since: "{_FORWARDING}")
"""Whether debuggers get symbol files."""
nugetSymbolServerEnabled: Boolean @lifetime(since: "{_NUGET}")
''',
    payload_fields='''
"""The settings after the change."""
packageSettings: PackageSettings
''',
    since=_SINCE,
)
def update_package_settings(
    ctx: WriteContext, namespace_path: str, **changes: Unpack[PackageSettingsChanges]
) -> Mapping[str, Any]:
    """Change what a namespace decides for packages."""
    group = require_group(ctx, namespace_path)
    authorize(ctx, Ability.ADMIN_PACKAGE, group)
    values = cast(Mapping[str, bool | str | None], changes)
    errors = package_settings.list_errors(values)
    if errors:
        return {"errors": [", ".join(errors)]}
    return {"package_settings": package_settings.update(ctx, group, values)}
