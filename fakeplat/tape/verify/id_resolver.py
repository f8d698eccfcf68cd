"""Ids that a client knew before the tape began: found on the played server by the names that the tape shows."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from fakeplat.core.operations.http_messages import Request
from fakeplat.core.operations.operation import PREFIX
from fakeplat.tape.export.json_objects import Document
from fakeplat.tape.export.observations import Observations
from fakeplat.tape.export.record_kinds import ISSUE, LABEL, MERGE_REQUEST, MILESTONE, NAMESPACE, PROJECT, USER
from fakeplat.tape.export.recorded_requests import json_or_none
from fakeplat.tape.export.transports import Ask


class IdResolver:
    """Asks the played server who is who, by what was ``seen`` on the whole tape."""

    def __init__(self, seen: Observations, ask: Ask, origin: str) -> None:
        self._seen = seen
        self._ask = ask
        self._origin = origin

    async def id_of(self, kind: str, recorded: int, headers: Mapping[str, str]) -> int | None:
        """The id on the played server of a record, asked with somebody's credentials; None for an unknown one."""
        record = self._seen.get(kind, recorded)
        address = None if record is None else self._address(kind, record)
        if address is None:
            return None
        path, query = address
        credentials = {name: value for name, value in headers.items() if name in _CREDENTIALS}
        answer = await self._ask(Request("GET", f"{PREFIX}/{path}", query, credentials, origin=self._origin))
        body = json_or_none(answer.body) if answer.status == 200 else None
        found: Any = next(iter(body), None) if isinstance(body, list) else body
        id_ = found.get("id") if isinstance(found, dict) else None
        return id_ if isinstance(id_, int) else None

    def _address(self, kind: str, record: Document) -> tuple[str, str] | None:
        """Path and query of a request that shows the record by its names."""
        place = self._place(kind, record)
        if kind == USER and "username" in record:
            return "users", f"username={quote(record['username'], safe='')}"
        if kind == NAMESPACE and "full_path" in record:
            return f"groups/{_quoted(record['full_path'])}", ""
        if kind == PROJECT and "path_with_namespace" in record:
            return f"projects/{_quoted(record['path_with_namespace'])}", ""
        if kind == MILESTONE and place and "iid" in record:
            return f"{place}/milestones", f"iids[]={record['iid']}"
        if kind == ISSUE and place and "iid" in record:
            return f"{place}/issues/{record['iid']}", ""
        if kind == MERGE_REQUEST and place and "iid" in record:
            return f"{place}/merge_requests/{record['iid']}", ""
        if kind == LABEL and place and "name" in record:
            return f"{place}/labels/{_quoted(record['name'])}", ""
        return None

    def _place(self, kind: str, record: Document) -> str | None:
        """The project or group that a record is in, as paths name it."""
        if kind == LABEL:
            owner, name = self._seen.owners.get((LABEL, record["id"]), (PROJECT, ""))
        else:
            owner = PROJECT if record.get("project_id") is not None else NAMESPACE
            name = str(record.get("project_id") or record.get("group_id") or "")
        return self._by_path(owner, name)

    def _by_path(self, owner: str, name: str) -> str | None:
        key = "path_with_namespace" if owner == PROJECT else "full_path"
        known = self._seen.get(owner, int(name)) if name.isdecimal() else {key: name}
        collection = "projects" if owner == PROJECT else "groups"
        return f"{collection}/{_quoted(known[key])}" if known and known.get(key) else None


_CREDENTIALS = ("private-token", "authorization", "cookie", "sudo")


def _quoted(path: str) -> str:
    return quote(path, safe="")
