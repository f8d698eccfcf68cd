"""The NuGet registry, protocol version 2: XML documents for clients that know no other.

Source: docs/platform/packages.md (NuGet).
"""

import re
from html import escape
from typing import Annotated, Final

from fakeplat.api.packages.access import get_any_project
from fakeplat.api.packages.nuget import OPEN_GROUP, OPEN_PROJECT, check_id, check_name, check_version
from fakeplat.core.operations.errors import InvalidParams, RouteNotFound
from fakeplat.core.operations.http_messages import RawBody
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.scope import NO_SCOPE, Segment
from fakeplat.core.params.params import Named, Params
from fakeplat.entities.nuget import registry_url
from fakeplat.model.people import Group
from fakeplat.model.projects import Project, Routable
from fakeplat.policy.context import ReadContext

area: Final = Area("Packages (NuGet)", login=Login.NEVER)
_XML: Final = "application/xml; charset=utf-8"
_DECLARATION: Final = '<?xml version="1.0" encoding="UTF-8"?>\n'
_LATEST: Final = "0.0.0-latest-version"
_PACKAGE: Final = re.compile(r"Packages\(Id='(.*)',Version='(.*)'\)")
_FILTER: Final = re.compile(r"tolower\(Id\) eq '(.+?)'")
_SCHEMAS: Final = "http://schemas.microsoft.com/ado"
_NOT_NULL: Final = ' Nullable="false"'
_PROPERTIES: Final = {
    "Id": ("String", True),
    "Version": ("String", True),
    "Authors": ("String", False),
    "Dependencies": ("String", False),
    "Description": ("String", False),
    "DownloadCount": ("Int64", True),
    "IconUrl": ("String", False),
    "Published": ("DateTime", True),
    "ProjectUrl": ("String", False),
    "Tags": ("String", False),
    "Title": ("String", False),
    "LicenseUrl": ("String", False),
}


@area.operation("GET", "packages/nuget/v2", scope=OPEN_PROJECT, since="16.2", refusals=(400, 404))
def get_package_nuget(ctx: ReadContext, project: Project) -> RawBody:
    """Get the service index of the NuGet feed of a project."""
    return _render_services(ctx, project)


@area.operation("GET", "-/packages/nuget/v2", scope=OPEN_GROUP, since="16.2", refusals=(400, 404))
def get_group_package_nuget(ctx: ReadContext, group: Group) -> RawBody:
    """Get the service index of the NuGet feed of a group."""
    return _render_services(ctx, group)


def _render_services(ctx: ReadContext, container: Routable) -> RawBody:
    return _respond(
        f'{_DECLARATION}<service xmlns="http://www.w3.org/2007/app" xmlns:atom="http://www.w3.org/2005/Atom" '
        f'xml:base="{escape(registry_url(ctx, container))}/v2">\n'
        "  <workspace>\n"
        '    <atom:title type="text">Default</atom:title>\n'
        '    <collection href="Packages">\n'
        '      <atom:title type="text">Packages</atom:title>\n'
        "    </collection>\n"
        "  </workspace>\n"
        "</service>\n"
    )


def _respond(text: str) -> RawBody:
    return RawBody(text.encode(), _XML)


def _accept_any_id(_ctx: ReadContext, reference: str) -> int:
    return check_id(reference)


_ANY_PROJECT: Final = NO_SCOPE / Segment("projects/:id", locate=_accept_any_id, word="project")
_ANY_GROUP: Final = NO_SCOPE / Segment("groups/:id", locate=_accept_any_id, word="group")


@area.operation("GET", "packages/nuget/v2/$metadata", scope=_ANY_PROJECT, since="16.3", refusals=(400,))
def get_project_package_nuget_metadata(_ctx: ReadContext, _id: int) -> RawBody:
    """Get the schema of the NuGet feed of a project, which is the same for each."""
    return _respond(_render_schema())


@area.operation("GET", "-/packages/nuget/v2/$metadata", scope=_ANY_GROUP, since="16.3", refusals=(400,))
def get_group_package_nuget_metadata_by_id(_ctx: ReadContext, _id: int) -> RawBody:
    """Get the schema of the NuGet feed of a group, which is the same for each."""
    return _respond(_render_schema())


def _render_schema() -> str:
    properties = "".join(
        f'          <Property Name="{name}" Type="Edm.{kind}"{_NOT_NULL if is_required else ""}/>\n'
        for name, (kind, is_required) in _PROPERTIES.items()
    )
    return (
        f'{_DECLARATION}<edmx:Edmx xmlns:edmx="{_SCHEMAS}/2007/06/edmx" Version="1.0">\n'
        f'  <edmx:DataServices xmlns:m="{_SCHEMAS}/2007/08/dataservices/metadata" m:DataServiceVersion="2.0" '
        'm:MaxDataServiceVersion="2.0">\n'
        f'    <Schema xmlns="{_SCHEMAS}/2006/04/edm" Namespace="NuGetGallery.OData">\n'
        '      <EntityType Name="V2FeedPackage" m:HasStream="true">\n'
        '        <Key>\n          <PropertyRef Name="Id"/>\n          <PropertyRef Name="Version"/>\n        </Key>\n'
        f"{properties}"
        "      </EntityType>\n"
        "    </Schema>\n"
        f'    <Schema xmlns="{_SCHEMAS}/2006/04/edm" Namespace="NuGetGallery">\n'
        '      <EntityContainer Name="V2FeedContext" m:IsDefaultEntityContainer="true">\n'
        '        <EntitySet Name="Packages" EntityType="NuGetGallery.OData.V2FeedPackage"/>\n'
        '        <FunctionImport Name="FindPackagesById" '
        'ReturnType="Collection(NuGetGallery.OData.V2FeedPackage)" EntitySet="Packages">\n'
        '          <Parameter Name="id" Type="Edm.String" FixedLength="false" Unicode="false"/>\n'
        "        </FunctionImport>\n"
        "      </EntityContainer>\n"
        "    </Schema>\n"
        "  </edmx:DataServices>\n"
        "</edmx:Edmx>\n"
    )


def _get_project_of_feed(ctx: ReadContext, reference: str) -> Project:
    check_id(reference, "project_id")
    return get_any_project(ctx, reference)


# The parameter id is the name of the package.
_FEED: Final = NO_SCOPE / Segment("projects/:project_id", locate=_get_project_of_feed, word="project")


class FindNugetPackagesById(Params):
    """The name of a package, in quotes."""

    name: Annotated[str, Named("id")]


@area.operation(
    "GET",
    "packages/nuget/v2/FindPackagesById()",
    scope=_FEED,
    params=FindNugetPackagesById,
    since="16.4",
    refusals=(400, 404),
)
def get_package_nuget_find_packages_by_id(ctx: ReadContext, project: Project, p: FindNugetPackagesById) -> RawBody:
    """Get the entry of a name in the NuGet feed of a project, whether or not there is such a package."""
    return _render_entry(ctx, project, check_name(p.name.replace("'", ""), "id"))


class FilterNugetPackages(Params):
    """The name of a package in an expression of OData."""

    filter: Annotated[str, Named("$filter")]


@area.operation(
    "GET",
    "packages/nuget/v2/Packages()",
    scope=_FEED,
    params=FilterNugetPackages,
    since="16.4",
    refusals=(400, 404),
)
def list_project_package_nuget_packages(ctx: ReadContext, project: Project, p: FilterNugetPackages) -> RawBody:
    """Get the entry of a package in the NuGet feed of a project by an expression that names it."""
    match = _FILTER.search(p.filter)
    if match is None:
        raise InvalidParams("$filter is invalid", reason="only (tolower(Id) eq 'name') is known")
    return _render_entry(ctx, project, check_name(match[1], "$filter"))


@area.operation("GET", "packages/nuget/v2/*package_query", scope=_FEED, since="16.4", refusals=(400, 404))
def list_package_nuget_packages(ctx: ReadContext, project: Project, package_query: str) -> RawBody:
    """Get the entry of a version in the NuGet feed of a project: Packages(Id='name',Version='1.0.0')."""
    match = _PACKAGE.fullmatch(package_query)
    if match is None:
        raise RouteNotFound(reason=f"{package_query!r} is no query of the feed")
    return _render_entry(ctx, project, check_name(match[1]), check_version(match[2]))


def _render_entry(ctx: ReadContext, project: Project, name: str, version: str = _LATEST) -> RawBody:
    base = escape(f"{registry_url(ctx, project)}/v2")
    downloaded = "latest" if version == _LATEST else version
    return _respond(
        "<entry xmlns='http://www.w3.org/2005/Atom' "
        f"xmlns:d='{_SCHEMAS}/2007/08/dataservices' xmlns:georss='http://www.georss.org/georss' "
        f"xmlns:gml='http://www.opengis.net/gml' xmlns:m='{_SCHEMAS}/2007/08/dataservices/metadata' "
        f'xml:base="{base}"> '
        f"<id>{base}/Packages(Id='{name}',Version='{version}')</id> "
        f"<category term='V2FeedPackage' scheme='{_SCHEMAS}/2007/08/dataservices/scheme'/> "
        f"<title type='text'>{name}</title> "
        f"<content type='application/zip' src=\"{base}/download/{name}/{downloaded}\"/> "
        f"<m:properties> <d:Version>{version}</d:Version> </m:properties> </entry>"
    )
