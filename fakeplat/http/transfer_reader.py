"""The reading of another instance for a direct transfer, by its API.

It is imported with the first transfer. Source: docs/platform/import-export.md ('Direct transfer').
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import quote, urlsplit

import orjson
from aiohttp import ClientError

from fakeplat.domain.import_export.archive_files import BadArchiveError
from fakeplat.domain.import_export.transfer_sources import ROOTS, Source, UnreadSource, build_source
from fakeplat.http.outgoing_client import OutgoingClient
from fakeplat.http.outgoing_failures import describe_failure
from fakeplat.model.outgoing import OutgoingTransfer, WantedSource

_POLL: Final = 0.05
_PER_PAGE: Final = 100
_MOST_SHOWN: Final = 200
_FINISHED: Final = 1
_NETWORK: Final = "BulkImports::NetworkError"
_WRONG: Final = "BulkImports::Error"
_NO_TOKEN: Final = "Personal access token does not have the required 'api' scope or is no longer valid."
_NO_INSTANCE: Final = "Invalid source URL. Enter only the base URL of the source GitLab instance."


class _UnreadError(Exception):
    """What ends the reading of a group or project."""

    def __init__(self, exception_class: str, message: str) -> None:
        super().__init__(message)
        self.source = UnreadSource(exception_class, message)


class TransferReader:
    """Reads what a transfer wants. ``timeout`` (seconds) limits the wait for the exports of a group or project."""

    def __init__(self, client: OutgoingClient, transfer: OutgoingTransfer, timeout: float) -> None:
        self._client = client
        self._transfer = transfer
        self._timeout = timeout
        self._api = f"{transfer.url.rstrip('/')}/api/v4"

    async def read(self) -> Sequence[Source | UnreadSource]:
        """Return what was read of each, in order; whatever the other instance does, this returns."""
        return [await self._try_source(wanted) for wanted in self._transfer.wanted]

    async def _try_source(self, wanted: WantedSource) -> Source | UnreadSource:
        try:
            return await self._read_source(wanted)
        except _UnreadError as error:
            return error.source
        except (BadArchiveError, orjson.JSONDecodeError, LookupError, TypeError, ValueError):
            return UnreadSource(_WRONG, _NO_INSTANCE)

    async def _read_source(self, wanted: WantedSource) -> Source:
        record = f"{ROOTS[wanted.kind]}/{quote(wanted.full_path, safe='')}"
        status, body = await self._fetch("GET", f"{record}?with_projects=false")
        if status == 404:
            raise _UnreadError(_WRONG, f"Import failed. '{wanted.full_path}' not found.")
        shown = self._parse(status, body, record)
        relations = await self._read_relations(record, wanted)
        children = await self._read_children(record) if wanted.kind == "group_entity" and wanted.with_projects else ()
        return build_source(wanted.kind, shown, relations, children)

    async def _read_children(self, record: str) -> Sequence[Source]:
        """Read the projects and subgroups of a group; those that cannot be read are left out."""
        projects, groups = [await self._list(f"{record}/{part}") for part in ("projects", "subgroups")]
        wanted = [
            *(WantedSource("project_entity", row["path_with_namespace"]) for row in projects),
            *(WantedSource("group_entity", row["full_path"]) for row in groups),
        ]
        read = [await self._try_source(child) for child in wanted]
        return [source for source in read if isinstance(source, Source)]

    async def _read_relations(self, record: str, wanted: WantedSource) -> Mapping[str, bytes]:
        status, body = await self._fetch("POST", f"{record}/export_relations")
        if status == 403:
            text = f"Import failed. You don't have permission to export '{wanted.full_path}'."
            raise _UnreadError(_WRONG, text)
        self._parse(status, body, f"{record}/export_relations")
        relations = await self._wait_for_exports(f"{record}/export_relations/status")
        return {name: await self._download(record, name) for name in relations}

    async def _wait_for_exports(self, path: str) -> Sequence[str]:
        """Return the names of the relations once all exports have ended, without those that failed."""
        for _ in range(max(1, round(self._timeout / _POLL))):
            rows = self._parse(*await self._fetch("GET", path), path)
            if all(row["status"] for row in rows):
                return [row["relation"] for row in rows if row["status"] == _FINISHED]
            await asyncio.sleep(_POLL)
        raise _UnreadError("BulkImports::Pipeline::ExpiredError", "Pipeline timeout")

    async def _download(self, record: str, relation: str) -> bytes:
        path = f"{record}/export_relations/download?relation={relation}"
        status, body = await self._fetch("GET", path)
        self._check(status, body, path)
        return body

    async def _list(self, path: str) -> Sequence[Mapping[str, Any]]:
        rows: list[Mapping[str, Any]] = []
        while len(rows) % _PER_PAGE == 0:
            url = f"{path}?per_page={_PER_PAGE}&page={len(rows) // _PER_PAGE + 1}"
            page = self._parse(*await self._fetch("GET", url), path)
            if not page:
                break
            rows += page
        return rows

    def _parse(self, status: int, body: bytes, path: str) -> Any:  # JSON, which the callers check
        self._check(status, body, path)
        return orjson.loads(body)

    def _check(self, status: int, body: bytes, path: str) -> None:
        if status == 401:
            raise _UnreadError(_WRONG, _NO_TOKEN)
        if status >= 300:
            text = (
                f"Unsuccessful response {status} from {self._api}/{path}. Body: {body[:200].decode(errors='replace')}"
            )
            raise _UnreadError(_NETWORK, text)

    async def _fetch(self, method: str, path: str) -> tuple[int, bytes]:
        url = f"{self._api}/{path}"
        try:
            return await self._client.fetch(method, url, self._transfer.access_token)
        except (TimeoutError, ClientError, OSError) as error:
            raise _UnreadError(_NETWORK, describe_failure(error, urlsplit(url))) from None
