"""The crawler of what projects publish, releases, packages and images, and of clusters."""

from base64 import b64encode
from hashlib import sha1
from typing import Final
from urllib.parse import quote, unquote, urlsplit

from fakeplat.core.operations.operation import PREFIX
from fakeplat.scenario.sections.serialization import MAX_CONTENT
from fakeplat.tape.export.api_reader import PAGE, ApiReader
from fakeplat.tape.export.image_puller import IMAGE_CONTENTS, pull_images
from fakeplat.tape.export.subresources import CLUSTERS, CONTENT, IMAGES, PACKAGE_FILES, PACKAGES, RELEASES, TAGS
from fakeplat.tape.records.json_objects import Document, iterate_objects

_REGISTRY: Final = f"registry/{IMAGES}"
_DOWNLOADS: Final = {
    "generic": "generic/{name}/{version}/{file_name}",
    "maven": "maven/{name}/{version}/{file_name}",
    "npm": "npm/{name}/-/{file_name}",
    "nuget": "nuget/download/{name}/{version}/{file_name}",
    "pypi": "pypi/files/{file_sha256}/{file_name}",
    "rubygems": "rubygems/gems/{file_name}",
    "terraform_module": "terraform/modules/{name}/{version}",
}
"""Where package managers download a file, by the type of its package."""
_BY_ID: Final = "{package_id}/package_files/{id}/download"
"""Where later releases download the file of any package."""
_NAMES: Final = ("name", "version", "file_name", "file_sha256", "package_id", "id")
_DETAILED_TAGS: Final = 100
"""How many tags of an image repository are read one by one; of the others, only the names are known."""


async def crawl_project(reader: ApiReader, container: str) -> None:
    """Read the releases, packages, images and clusters of a project, as far as the token may."""
    await _crawl_releases(reader, container)
    for package in [row async for row in reader.iterate_rows(f"{container}/{PACKAGES}", PAGE)]:
        await _crawl_package_files(reader, container, package)
    for repository in [row async for row in reader.iterate_rows(f"{container}/{_REGISTRY}", PAGE)]:
        await _crawl_images(reader, f"{container}/{_REGISTRY}", repository)
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
    size = file.get("size")
    if not isinstance(size, int) or size > MAX_CONTENT:
        return {}
    # The parts of the path of a generic file are encoded in its name.
    values = {**package, **file, "package_id": package.get("id"), "file_name": unquote(str(file.get("file_name")))}
    names = {name: quote(str(values.get(name) or ""), safe="/@") for name in _NAMES}
    template = _DOWNLOADS.get(str(package.get("package_type")))
    for path in (template, _BY_ID) if template is not None else (_BY_ID,):
        response = await reader.get(f"{container}/{PACKAGES}/{path.format(**names)}", "")
        digest = sha1(response.body, usedforsecurity=False).hexdigest()
        if response.status == 200 and digest == file.get("file_sha1"):
            return {CONTENT: b64encode(response.body).decode()}
    return {}


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


async def _crawl_images(reader: ApiReader, path: str, repository: Document) -> None:
    """Read the tags of an image repository, and pull what they name."""
    digests = await _crawl_tags(reader, f"{path}/{repository.get('id')}/{TAGS}")
    contents = await pull_images(reader, str(repository.get("path")), digests) if digests else []
    if contents:
        shown = {**repository, IMAGE_CONTENTS: contents}
        reader.observations.add_response(f"{PREFIX}/{path}", "", [shown], reader.me)


async def _crawl_tags(reader: ApiReader, path: str) -> list[str]:
    """Read the tags at a path, and return the digests of their images."""
    tags = [row async for row in reader.iterate_rows(path, PAGE)]
    details = [await reader.page(f"{path}/{quote(str(tag.get('name')), safe='')}", "") for tag in tags[:_DETAILED_TAGS]]
    shown = [str(detail["digest"]) for detail in iterate_objects(details) if detail.get("digest")]
    return list(dict.fromkeys(shown))
