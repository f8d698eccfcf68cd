"""Pulling the contents of images from a live server, by docker's protocol.

The registry has to be at the address of the server itself, as that of fakeplat is.
"""

from base64 import b64encode
from collections.abc import Iterable, Iterator
from contextlib import suppress
from hashlib import sha256
from typing import Final
from urllib.parse import urlencode

from fakeplat.core.operations.http_messages import Request, Response
from fakeplat.domain.registry import image_manifests
from fakeplat.scenario.sections.serialization import MAX_CONTENT
from fakeplat.tape.export.api_reader import ApiReader
from fakeplat.tape.records.json_objects import Document, iterate_objects
from fakeplat.tape.records.recorded_requests import json_or_none

IMAGE_CONTENTS: Final = "image_contents"
"""What a crawler adds to an image repository: its blobs and manifests, as a scenario has them."""
_SERVICE: Final = "container_registry"
_TOKEN_USERNAME: Final = "oauth2"
_MANIFESTS: Final = ", ".join((*image_manifests.INDEXES, *image_manifests.IMAGES))


class _Unavailable(Exception):
    """A part of an image cannot be pulled, is too large, or is not what its digest says."""


async def pull_images(reader: ApiReader, path: str, digests: Iterable[str]) -> list[Document]:
    """Return the contents of images of a repository, given its path, without images of which a part is unavailable."""
    puller = _Puller(reader, path)
    if not await puller.log_in():
        return []
    for digest in digests:
        with suppress(_Unavailable):
            await puller.pull(digest)
    return [*puller.blobs.values(), *puller.manifests.values()]


class _Puller:
    """The contents of a repository that were pulled so far, by digest; manifests follow those that they name."""

    def __init__(self, reader: ApiReader, path: str) -> None:
        self._reader = reader
        self._path = path
        self._authorization = ""
        self.blobs: dict[str, Document] = {}
        self.manifests: dict[str, Document] = {}

    async def log_in(self) -> bool:
        """Get a token that allows to pull; return whether the server gives one."""
        query = urlencode({"service": _SERVICE, "scope": f"repository:{self._path}:pull"})
        headers = {}
        if self._reader.token:
            credentials = b64encode(f"{_TOKEN_USERNAME}:{self._reader.token}".encode()).decode()
            headers["authorization"] = f"Basic {credentials}"
        response = await self._reader.send(Request("GET", "/jwt/auth", query, headers))
        answer = next(iterate_objects(json_or_none(response.body)), {})
        self._authorization = f"Bearer {answer.get('token')}"
        return response.status == 200 and "token" in answer

    async def pull(self, digest: str) -> None:
        """Pull an image with all that it names, and what refers to it."""
        await self._pull_manifest(digest)
        referrers = await self._get(f"referrers/{digest}")
        if referrers.status == 200:
            index = next(iterate_objects(json_or_none(referrers.body)), {})
            for referrer in _list_digests(index, "manifests"):
                if referrer not in self.manifests:
                    await self.pull(referrer)

    async def _pull_manifest(self, digest: str) -> None:
        if digest in self.manifests:
            return
        response = await self._get_content(f"manifests/{digest}", digest)
        media_type = {name.lower(): value for name, value in response.headers}.get("content-type", "")
        manifest = next(iterate_objects(json_or_none(response.body)), {})
        for part in _list_digests(manifest, "manifests"):
            await self._pull_manifest(part)
        for part in (*_list_digests(manifest, "config"), *_list_digests(manifest, "layers")):
            await self._pull_blob(part)
        self.manifests[digest] = {"digest": digest, "media_type": media_type, **_encode(response.body)}

    async def _pull_blob(self, digest: str) -> None:
        if digest not in self.blobs:
            response = await self._get_content(f"blobs/{digest}", digest)
            self.blobs[digest] = {"digest": digest, **_encode(response.body)}

    async def _get_content(self, name: str, digest: str) -> Response:
        response = await self._get(name)
        is_same = response.status == 200 and digest == f"sha256:{sha256(response.body).hexdigest()}"
        if not is_same or len(response.body) > MAX_CONTENT:
            raise _Unavailable(digest)
        return response

    async def _get(self, name: str) -> Response:
        headers = {"authorization": self._authorization, "accept": _MANIFESTS}
        return await self._reader.send(Request("GET", f"/v2/{self._path}/{name}", "", headers))


def _list_digests(manifest: Document, name: str) -> Iterator[str]:
    """Yield the digests that a manifest names in a field: a descriptor, or a list of them."""
    for descriptor in iterate_objects(manifest.get(name)):
        yield str(descriptor.get("digest"))


def _encode(content: bytes) -> Document:
    return {"content_base64": b64encode(content).decode()}
