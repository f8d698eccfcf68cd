"""The simple pages of PyPI, as HTML and, with a feature, as JSON (PEP 691). Source: docs/platform/packages.md."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any, Final
from urllib.parse import quote

import orjson

from fakeplat.core.operations.http_messages import Headers, RawBody
from fakeplat.domain.instance import features
from fakeplat.domain.packages import pypi
from fakeplat.entities import urls
from fakeplat.model.packages import Package, PackageFile
from fakeplat.model.people import Group
from fakeplat.model.projects import Project
from fakeplat.policy.behaviours import PYPI_PAGES_MAY_BE_JSON
from fakeplat.policy.context import ReadContext

_HTML: Final = "text/html; charset=utf-8"
_JSON: Final = "application/vnd.pypi.simple.v1+json"
_JSON_TYPES: Final = (_JSON, "application/vnd.pypi.simple.latest+json")
_META: Final = {"api-version": "1.0"}
_FEATURE: Final = "pypi_pep_691_json"
_VARY: Final[Headers] = (("Vary", "Accept, Origin"),)


def render_index(ctx: ReadContext, container: Project | Group, rows: Sequence[Package]) -> RawBody:
    """Return the page of a project or group, with a link for each version of a package; JSON has each name once."""
    if _wants_json(ctx, container):
        names = sorted({pypi.normalize(row.name) for row in rows})
        return _render_json({"projects": [{"name": name} for name in names]})
    base = f"{_registry_url(ctx, container)}/simple"
    links = [_render_link(f"{base}/{quote(pypi.normalize(row.name))}", row, row.name) for row in rows]
    return _render_html(ctx, container, container.name, links)


def render_package(
    ctx: ReadContext, container: Project | Group, files: Sequence[tuple[Package, PackageFile]]
) -> RawBody:
    """Return the page of a package, with a link for each of its files."""
    base, name = f"{_registry_url(ctx, container)}/files", files[0][0].name
    if _wants_json(ctx, container):
        rows = [_describe_file(base, package, file) for package, file in files]
        return _render_json({"name": pypi.normalize(name), "files": rows})
    links = [_render_link(_file_url(base, file), package, file.file_name) for package, file in files]
    return _render_html(ctx, container, name, links)


def _describe_file(base: str, package: Package, file: PackageFile) -> dict[str, Any]:
    requirement = {"requires-python": package.requires_python} if package.requires_python else {}
    hashes = {"sha256": file.file_sha256}
    return {"filename": file.file_name, "url": _file_url(base, file), "hashes": hashes, **requirement}


def _file_url(base: str, file: PackageFile) -> str:
    return f"{base}/{file.file_sha256}/{quote(file.file_name)}#sha256={file.file_sha256}"


def _registry_url(ctx: ReadContext, container: Project | Group) -> str:
    if isinstance(container, Project):
        return urls.api_url(ctx, f"projects/{container.id}/packages/pypi")
    return urls.api_url(ctx, f"groups/{container.id}/-/packages/pypi")


def _has_json(ctx: ReadContext, container: Project | Group) -> bool:
    return ctx.profile.has(PYPI_PAGES_MAY_BE_JSON) and features.is_enabled(ctx.world, _FEATURE, container)


def _wants_json(ctx: ReadContext, container: Project | Group) -> bool:
    if not _has_json(ctx, container):
        return False
    # Responses are kept for all clients alike.
    ctx.expire_at_once()
    accepted = ctx.request.headers.get("accept", "") if ctx.request else ""
    return any(kind.strip().startswith(_JSON_TYPES) for kind in accepted.split(","))


def _render_json(document: Mapping[str, Any]) -> RawBody:
    return RawBody(orjson.dumps({"meta": _META, **document}), f"{_JSON}; charset=utf-8", _VARY)


def _render_html(ctx: ReadContext, container: Project | Group, name: str, links: Iterable[str]) -> RawBody:
    title = f"Links for {escape(name)}"
    page = (
        f"<!DOCTYPE html>\n<html>\n<head>\n<title>{title}</title>\n</head>\n<body>\n<h1>{title}</h1>\n"
        f"{''.join(links)}</body>\n</html>\n"
    )
    return RawBody(page.encode(), _HTML, _VARY if _has_json(ctx, container) else ())


def _render_link(url: str, package: Package, text: str) -> str:
    return f'<a href="{url}" data-requires-python="{escape(package.requires_python or "")}">{escape(text)}</a><br>\n'
