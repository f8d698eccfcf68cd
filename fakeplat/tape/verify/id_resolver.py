"""Lookup of ids that a client knew before the recording, by the names that the tape shows."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from fakeplat.core.operations.http_messages import Request
from fakeplat.core.operations.operation import PREFIX
from fakeplat.tape.records.json_objects import Document
from fakeplat.tape.records.observations import Observations
from fakeplat.tape.records.record_kinds import ISSUE, LABEL, MERGE_REQUEST, MILESTONE, NAMESPACE, PROJECT, USER
from fakeplat.tape.records.recorded_requests import json_or_none
from fakeplat.tape.records.transports import Ask


class IdResolver:
    """Looks up ids on the played server, by the names in the tape's observations."""

    def __init__(self, observations: Observations, ask: Ask, origin: str) -> None:
        self._observations = observations
        self._ask = ask
        self._origin = origin

    async def id_of(self, kind: str, recorded: int, headers: Mapping[str, str]) -> int | None:
        """Return the id of a record on the played server, asked with the credentials in ``headers``, or None."""
        record = self._observations.get(kind, recorded)
        address = None if record is None else self._query_for(kind, record)
        if address is None:
            return None
        path, query = address
        # The caller of the recorded request could see the record, so the lookup uses the same credentials.
        credentials = {name: value for name, value in headers.items() if name in _CREDENTIALS}
        response = await self._ask(Request("GET", f"{PREFIX}/{path}", query, credentials, origin=self._origin))
        body = json_or_none(response.body) if response.status == 200 else None
        data: Any = next(iter(body), None) if isinstance(body, list) else body
        id_ = data.get("id") if isinstance(data, dict) else None
        return id_ if isinstance(id_, int) else None

    def _query_for(self, kind: str, record: Document) -> tuple[str, str] | None:
        """Return the path and query of a request that finds the record by name."""
        container = self._container_of(kind, record)
        if kind == USER and "username" in record:
            return "users", f"username={quote(record['username'], safe='')}"
        if kind == NAMESPACE and "full_path" in record:
            return f"groups/{_quoted(record['full_path'])}", ""
        if kind == PROJECT and "path_with_namespace" in record:
            return f"projects/{_quoted(record['path_with_namespace'])}", ""
        if kind == MILESTONE and container and "iid" in record:
            return f"{container}/milestones", f"iids[]={record['iid']}"
        if kind == ISSUE and container and "iid" in record:
            return f"{container}/issues/{record['iid']}", ""
        if kind == MERGE_REQUEST and container and "iid" in record:
            return f"{container}/merge_requests/{record['iid']}", ""
        if kind == LABEL and container and "name" in record:
            return f"{container}/labels/{_quoted(record['name'])}", ""
        return None

    def _container_of(self, kind: str, record: Document) -> str | None:
        """Return the path of the project or group of a record, such as ``projects/acme%2Fsite``."""
        if kind == LABEL:
            owner, name = self._observations.owners.get((LABEL, record["id"]), (PROJECT, ""))
        else:
            owner = PROJECT if record.get("project_id") is not None else NAMESPACE
            name = str(record.get("project_id") or record.get("group_id") or "")
        return self._container_path(owner, name)

    def _container_path(self, owner: str, name: str) -> str | None:
        key = "path_with_namespace" if owner == PROJECT else "full_path"
        known = self._observations.get(owner, int(name)) if name.isdecimal() else {key: name}
        collection = "projects" if owner == PROJECT else "groups"
        return f"{collection}/{_quoted(known[key])}" if known and known.get(key) else None


_CREDENTIALS = ("private-token", "authorization", "cookie", "sudo")


def _quoted(path: str) -> str:
    return quote(path, safe="")
