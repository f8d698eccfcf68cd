"""The crawler of what projects publish, releases, packages and images, and of clusters."""

from base64 import b64encode
from hashlib import sha1
from typing import Final
from urllib.parse import quote, urlsplit

from fakeplat.core.operations.operation import PREFIX
from fakeplat.scenario.sections.serialization import MAX_CONTENT
from fakeplat.tape.export.api_reader import PAGE, ApiReader
from fakeplat.tape.export.subresources import CLUSTERS, CONTENT, IMAGES, PACKAGE_FILES, PACKAGES, RELEASES, TAGS
from fakeplat.tape.records.json_objects import Document, iterate_objects

_REGISTRY: Final = f"registry/{IMAGES}"
_DOWNLOADS: Final = {
    "generic": "generic/{name}/{version}/{file_name}",
    "maven": "maven/{name}/{version}/{file_name}",
    "npm": "npm/{name}/-/{file_name}",
    "nuget": "nuget/download/{name}/{version}/{file_name}",
    "pypi": "pypi/files/{file_sha256}/{file_name}",
}
"""Where package managers download a file, by the type of its package."""
_NAMES: Final = ("name", "version", "file_name", "file_sha256")
_DETAILED_TAGS: Final = 100
"""How many tags of an image repository are read one by one; of the others, only the names are known."""


async def crawl_project(reader: ApiReader, container: str) -> None:
    """Read the releases, packages, images and clusters of a project, as far as the token may."""
    await _crawl_releases(reader, container)
    for package in [row async for row in reader.iterate_rows(f"{container}/{PACKAGES}", PAGE)]:
        await _crawl_package_files(reader, container, package)
    for repository in [row async for row in reader.iterate_rows(f"{container}/{_REGISTRY}", PAGE)]:
        await _crawl_tags(reader, f"{container}/{_REGISTRY}/{repository.get('id')}/{TAGS}")
    await reader.read_all(f"{container}/{CLUSTERS}", PAGE)


async def crawl_group(reader: ApiReader, container: str) -> None:
    """Read the clusters of a group."""
    await reader.read_all(f"{container}/{CLUSTERS}", PAGE)


async def crawl_instance(reader: ApiReader) -> None:
    """Read the clusters of the instance, for administrators."""
    await reader.read_all(f"admin/{CLUSTERS}", PAGE)


async def _crawl_package_files(reader: ApiReader, container: str, package: Document) -> None:
    """Read the files of a package with their contents, where package managers download them by their names."""
    path = f"{container}/{PACKAGES}/{package.get('id')}/{PACKAGE_FILES}"
    files = [row async for row in reader.iterate_rows(path, PAGE, observe=False)]
    shown = [{**file, **await _read_content(reader, container, package, file)} for file in files]
    reader.observations.add_response(f"{PREFIX}/{path}", "", shown, reader.me)


async def _read_content(reader: ApiReader, container: str, package: Document, file: Document) -> Document:
    """Return the content of a file; nothing if it is unavailable, too large, or not what the digest says."""
    template, size = _DOWNLOADS.get(str(package.get("package_type"))), file.get("size")
    if template is None or not isinstance(size, int) or size > MAX_CONTENT:
        return {}
    values = {**package, **file}
    names = {name: quote(str(values.get(name) or ""), safe="/@") for name in _NAMES}
    response = await reader.get(f"{container}/{PACKAGES}/{template.format(**names)}", "")
    is_same = response.status == 200 and sha1(response.body, usedforsecurity=False).hexdigest() == file.get("file_sha1")
    return {CONTENT: b64encode(response.body).decode()} if is_same else {}


async def _crawl_releases(reader: ApiReader, container: str) -> None:
    """Read releases with their evidence, which is a file of its own."""
    async for release in reader.iterate_rows(f"{container}/{RELEASES}", PAGE, observe=False):
        evidences = [
            {**evidence, "summary": await _read_text(reader, evidence.get("filepath"))}
            for evidence in iterate_objects(release.get("evidences") or [])
        ]
        shown = {**release, "evidences": evidences} if evidences else release
        reader.observations.add_response(f"/api/v4/{container}/{RELEASES}", "", [shown], reader.me)


async def _read_text(reader: ApiReader, url: object) -> str | None:
    response = await reader.get(urlsplit(str(url)).path, "")
    return response.body.decode(errors="replace") if response.status == 200 else None


async def _crawl_tags(reader: ApiReader, path: str) -> None:
    tags = [row async for row in reader.iterate_rows(path, PAGE)]
    for tag in tags[:_DETAILED_TAGS]:
        await reader.page(f"{path}/{quote(str(tag.get('name')), safe='')}", "")
