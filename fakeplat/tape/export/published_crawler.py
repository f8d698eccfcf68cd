"""The crawler of what projects publish, releases, packages and images, and of clusters."""

from typing import Final
from urllib.parse import quote, urlsplit

from fakeplat.tape.export.api_reader import PAGE, ApiReader
from fakeplat.tape.export.subresources import CLUSTERS, IMAGES, PACKAGE_FILES, PACKAGES, RELEASES, TAGS
from fakeplat.tape.records.json_objects import iterate_objects

_REGISTRY: Final = f"registry/{IMAGES}"
_DETAILED_TAGS: Final = 100
"""How many tags of an image repository are read one by one; of the others, only the names are known."""


async def crawl_project(reader: ApiReader, container: str) -> None:
    """Read the releases, packages, images and clusters of a project, as far as the token may."""
    await _crawl_releases(reader, container)
    for package in [row async for row in reader.iterate_rows(f"{container}/{PACKAGES}", PAGE)]:
        await reader.read_all(f"{container}/{PACKAGES}/{package.get('id')}/{PACKAGE_FILES}", PAGE)
    for repository in [row async for row in reader.iterate_rows(f"{container}/{_REGISTRY}", PAGE)]:
        await _crawl_tags(reader, f"{container}/{_REGISTRY}/{repository.get('id')}/{TAGS}")
    await reader.read_all(f"{container}/{CLUSTERS}", PAGE)


async def crawl_group(reader: ApiReader, container: str) -> None:
    """Read the clusters of a group."""
    await reader.read_all(f"{container}/{CLUSTERS}", PAGE)


async def crawl_instance(reader: ApiReader) -> None:
    """Read the clusters of the instance, for administrators."""
    await reader.read_all(f"admin/{CLUSTERS}", PAGE)


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
