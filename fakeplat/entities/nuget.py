"""Documents of the NuGet protocol: the service index, metadata and search results.

Source: docs/platform/packages.md (NuGet).
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import quote

from fakeplat.domain.packages import nuget_versions, packages
from fakeplat.domain.packages.nuget import SearchResults
from fakeplat.entities import urls
from fakeplat.model.packages import Package
from fakeplat.model.projects import Project, Routable
from fakeplat.policy.behaviours import NUGET_ENTRIES_ARE_DESCRIBED, NUGET_PUBLISHES_SYMBOLS
from fakeplat.policy.context import ReadContext

_URLS: Final = ("projectUrl", "licenseUrl", "iconUrl")
_SEARCH: Final = "Filter and search for packages by keyword."
_SERVICES: Final = {
    "query": (("SearchQueryService", "SearchQueryService/3.0.0-beta", "SearchQueryService/3.0.0-rc"), _SEARCH),
    "metadata": (
        ("RegistrationsBaseUrl", "RegistrationsBaseUrl/3.0.0-beta", "RegistrationsBaseUrl/3.0.0-rc"),
        "Get package metadata.",
    ),
    "download": (("PackageBaseAddress/3.0.0",), "Get package content (.nupkg)."),
    "": (("PackagePublish/2.0.0",), "Push and delete (or unlist) packages."),
    "symbolpackage": (("SymbolPackagePublish/4.9.0",), "Push symbol packages."),
}
_OF_GROUPS: Final = ("query", "metadata")


def registry_url(ctx: ReadContext, container: Routable) -> str:
    """Return the URL of the registry of a project or group."""
    is_project = isinstance(container, Project)
    return urls.api_url(ctx, f"{'projects' if is_project else 'groups'}/{container.id}{_tail(is_project=is_project)}")


def _tail(*, is_project: bool) -> str:
    return "/packages/nuget" if is_project else "/-/packages/nuget"


def describe_services(ctx: ReadContext, container: Routable) -> dict[str, Any]:
    """Return the service index: where the registry of a project or group has which service."""
    base = registry_url(ctx, container)
    names = [name for name in _SERVICES if name != "symbolpackage" or ctx.profile.has(NUGET_PUBLISHES_SYMBOLS)]
    resources = [
        {"@id": f"{base}/{name}".rstrip("/"), "@type": kind, "comment": _SERVICES[name][1]}
        for name in (names if isinstance(container, Project) else _OF_GROUPS)
        for kind in _SERVICES[name][0]
    ]
    return {"version": "3.0.0", "resources": resources}


def describe_versions(ctx: ReadContext, rows: Sequence[Package]) -> dict[str, Any]:
    """Return the metadata of the versions of a package."""
    versions = sorted((row.version or "" for row in rows), key=nuget_versions.precedence)
    page = {
        "@id": _metadata_url(ctx, rows[0]),
        "lower": versions[0],
        "upper": versions[-1],
        "count": len(rows),
        "items": [describe_version(ctx, row) for row in rows],
    }
    return {"count": 1, "items": [page]}


def describe_version(ctx: ReadContext, package: Package) -> dict[str, Any]:
    """Return the metadata of a version."""
    return {
        "@id": _metadata_url(ctx, package),
        "packageContent": _download_url(ctx, package),
        "catalogEntry": _describe_entry(ctx, package),
    }


def _describe_entry(ctx: ReadContext, package: Package) -> dict[str, Any]:
    url, is_described = _metadata_url(ctx, package), ctx.profile.has(NUGET_ENTRIES_ARE_DESCRIBED)
    return {
        "@id": url,
        **({} if is_described else {"authors": ""}),
        "dependencyGroups": _group_dependencies(url, package),
        "id": package.name,
        "version": package.version,
        "tags": _join_tags(ctx, package),
        "packageContent": _download_url(ctx, package),
        **({} if is_described else {"summary": ""}),
        **_describe_metadatum(ctx, package),
        **({"published": package.created_at} if is_described else {}),
    }


def _describe_metadatum(ctx: ReadContext, package: Package) -> dict[str, str]:
    fields = {name: package.manifest[name] for name in _URLS if package.manifest.get(name)}
    if not ctx.profile.has(NUGET_ENTRIES_ARE_DESCRIBED):
        return fields
    description = package.manifest.get("description", "")
    authors = package.manifest.get("authors", "")
    return {"authors": authors, "description": description, "summary": description, **fields}


def _group_dependencies(url: str, package: Package) -> list[dict[str, Any]]:
    groups: dict[str, list[Mapping[str, str]]] = {}
    for dependency in package.manifest.get("dependencies", ()):
        groups.setdefault(dependency.get("targetFramework", ""), []).append(dependency)
    return [_describe_group(f"{url}#dependencyGroup", framework, rows) for framework, rows in groups.items()]


def _describe_group(base: str, framework: str, rows: Sequence[Mapping[str, str]]) -> dict[str, Any]:
    url = f"{base}/{framework.lower()}" if framework else base
    return {
        "@id": url,
        "@type": "PackageDependencyGroup",
        **({"targetFramework": framework} if framework else {}),
        "dependencies": [
            {
                "@id": f"{url}/{row['id'].lower()}",
                "@type": "PackageDependency",
                "id": row["id"],
                "range": row.get("range", ""),
            }
            for row in rows
        ],
    }


def _metadata_url(ctx: ReadContext, package: Package) -> str:
    name, version = quote(package.name), quote(package.version or "", safe="+")
    return f"{_registry_of(ctx, package)}/metadata/{name}/{version}.json"


def _download_url(ctx: ReadContext, package: Package) -> str:
    names = [file.file_name for file in packages.list_files(ctx.world, package)]
    file_name = next((name for name in reversed(names) if name.endswith(".nupkg")), "")
    name, version = quote(package.name), quote(package.version or "", safe="+")
    return f"{_registry_of(ctx, package)}/download/{name}/{version}/{quote(file_name, safe='+')}"


def _registry_of(ctx: ReadContext, package: Package) -> str:
    return registry_url(ctx, ctx.world.projects[package.project_id])


def _join_tags(ctx: ReadContext, package: Package) -> str:
    return " ".join(tag.name for tag in packages.list_tags(ctx.world, package))


def describe_results(ctx: ReadContext, results: SearchResults) -> dict[str, Any]:
    """Return the results of a search."""
    data = [_describe_result(ctx, name, rows) for name, rows in results.versions_by_name.items()]
    return {"totalHits": results.total, "data": data}


def _describe_result(ctx: ReadContext, name: str, rows: Sequence[Package]) -> dict[str, Any]:
    latest = max(rows, key=lambda row: nuget_versions.precedence(row.version or ""))
    is_described = ctx.profile.has(NUGET_ENTRIES_ARE_DESCRIBED)
    return {
        "@type": "Package",
        **({} if is_described else {"authors": ""}),
        "id": name,
        "title": name,
        **({} if is_described else {"summary": ""}),
        "totalDownloads": 0,
        "verified": True,
        "version": latest.version,
        "versions": [{"@id": _metadata_url(ctx, row), "version": row.version, "downloads": 0} for row in rows],
        "tags": _join_tags(ctx, latest),
        **_describe_metadatum(ctx, latest),
    }
