"""`git-lfs-transfer`: the objects and locks of Git LFS over SSH alone. Source: docs/platform/git-over-ssh.md.

Like gitlab-shell, a session sends the requests of Git LFS over HTTP, with the credentials that `git-lfs-authenticate`
would have given to the client.
"""

import base64
import hmac
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from hashlib import sha256
from typing import Any, ClassVar, Final
from urllib.parse import quote, urlencode

import orjson
from attrs import field

from fakeplat.core.operations.http_messages import Response
from fakeplat.core.store.frozen import frozen
from fakeplat.git.pktline import DELIMITER, FLUSH, MAX_LINE, decode_text, encode_line
from fakeplat.http.ssh.streams import Disconnected, Stream

Send = Callable[[str, str, Mapping[str, str], bytes], Awaitable[Response]]
"""Sends a request: its method, URL, headers and body."""
_CAPABILITIES: Final = ("version=1", "locking")
_JSON: Final = "application/vnd.git-lfs+json"
_MAX_LOCKS: Final = 100
_LOCKS_BY_DEFAULT: Final = 20
_INTERNAL_ERROR: Final = "internal error"
# What the platform's client of its own API makes of the statuses of a lock.
_LOCK_ERRORS: Final = {403: "forbidden", 404: "not found"}


class TransferError(Exception):
    """The status of a command that failed, and its text."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status
        self.text = text


@frozen
class _Status:
    """The response to a command. ``lines`` are text, ``content`` is binary; None: the response has no such part."""

    code: int = 200
    arguments: Sequence[str] = ()
    lines: Sequence[str] | None = None
    content: bytes | None = field(default=None, repr=False)

    def encode(self) -> bytes:
        head = [_encode_text(f"status {self.code:03d}"), *map(_encode_text, self.arguments)]
        if self.lines is not None:
            head += [DELIMITER, *map(_encode_text, self.lines)]
        if self.content is not None:
            head += [DELIMITER, *_encode_content(self.content)]
        return b"".join([*head, FLUSH])


@frozen
class LfsSession:
    """The operation of a session, the address and credentials of Git LFS, and the secret that signs what it offers."""

    operation: str
    href: str
    headers: Mapping[str, str]
    secret: bytes = field(repr=False)

    def sign(self, content: bytes) -> bytes:
        """Return the signature of what is offered to the client."""
        return hmac.digest(self.secret, content, sha256)


class LfsTransfer:
    """A dialogue in which a client says one command after the other. Objects above ``limit`` bytes are refused."""

    def __init__(self, stream: Stream, session: LfsSession, send: Send, limit: int) -> None:
        self._stream = stream
        self._session = session
        self._send = send
        self._limit = limit

    async def run(self) -> None:
        """Answer commands until the client quits."""
        await self._stream.write(b"".join([*map(_encode_text, _CAPABILITIES), FLUSH]))
        while True:
            try:
                command = await self._stream.read_packet()
            except Disconnected:
                return
            name, *arguments = _decode(command).split(" ")
            if name == "quit":
                await self._stream.write(_Status().encode())
                return
            await self._stream.write((await self._answer(name, arguments)).encode())

    async def _answer(self, name: str, arguments: list[str]) -> _Status:
        try:
            run = self._COMMANDS.get(name)
            if run is None:
                raise TransferError(400, "unknown command")
            return await run(self, arguments)
        except TransferError as error:
            return _Status(error.status, lines=[error.text])

    # Commands

    async def _negotiate_version(self, arguments: list[str]) -> _Status:
        if arguments[:1] != ["1"]:
            raise TransferError(400, "unknown version")
        await self._read_lines(FLUSH)
        return _Status(lines=[])

    async def _list_transfers(self, _arguments: list[str]) -> _Status:
        options = _parse_options(await self._read_lines(DELIMITER))
        lines = await self._read_lines(FLUSH)
        algorithm = options.get("hash-algo", "")
        if algorithm not in ("", "sha256"):
            raise TransferError(405, f"error: not allowed: unsupported hash algorithm: {algorithm}")
        body = {
            "operation": self._session.operation,
            "objects": [_parse_object(line) for line in lines],
            "ref": {"name": options.get("refname", "")},
        }
        response = await self._ask("POST", "/objects/batch", body)
        if response.status >= 400:
            raise TransferError(500, _INTERNAL_ERROR)
        return _Status(lines=[self._offer(row) for row in _parse_json(response)["objects"]])

    def _offer(self, row: Mapping[str, Any]) -> str:
        """Return the line of an object: what the client is to do with it, and how the session will know that."""
        operation, pointer = self._session.operation, f"{row['oid']} {row['size']}"
        action = row.get("actions", {}).get(operation)
        if action is None:
            return f"{pointer} noop"
        offer = {"operation": operation, "oid": row["oid"], "href": action["href"]}
        if action.get("header"):
            offer["headers"] = action["header"]
        content = orjson.dumps(offer)
        return f"{pointer} {operation} id={_encode_base64(content)} token={_encode_base64(self._session.sign(content))}"

    async def _put_object(self, arguments: list[str]) -> _Status:
        oid = _get_oid(arguments)
        options = _parse_options(await self._read_lines(DELIMITER))
        if not options.get("size", "").isdecimal():
            raise TransferError(500, _INTERNAL_ERROR)
        content = await self._read_content()
        action = self._check_offer("upload", oid, options)
        response = await self._send("PUT", action["href"], action.get("headers", {}), content)
        if response.status == 404:
            raise TransferError(404, "error: not found")
        if not 200 <= response.status < 300:
            raise TransferError(500, _INTERNAL_ERROR)
        return _Status()

    async def _get_object(self, arguments: list[str]) -> _Status:
        oid = _get_oid(arguments)
        action = self._check_offer("download", oid, _parse_options(await self._read_lines(FLUSH)))
        response = await self._send("GET", action["href"], action.get("headers", {}), b"")
        if not 200 <= response.status < 300:
            raise TransferError(404, f"object {oid} not found")
        return _Status(arguments=[f"size={len(response.body)}"], content=response.body)

    async def _verify_object(self, arguments: list[str]) -> _Status:
        _get_oid(arguments)
        _parse_options(await self._read_lines(FLUSH))
        # The upload was verified by the platform.
        return _Status()

    async def _lock(self, _arguments: list[str]) -> _Status:
        options = _parse_options(await self._read_lines(FLUSH))
        if not options.get("path"):
            raise TransferError(500, _INTERNAL_ERROR)
        response = await self._ask("POST", "/locks", {"path": options["path"], **_get_ref(options)})
        if response.status == 409:
            return _Status(409, _describe_lock(_parse_json(response)["lock"]), ["conflict"])
        return _Status(201, _describe_lock(_get_lock(response)))

    async def _unlock(self, arguments: list[str]) -> _Status:
        if not arguments:
            raise TransferError(400, "unknown command")
        options = _parse_options(await self._read_lines(FLUSH))
        body = {"force": options.get("force") == "true", **_get_ref(options)}
        response = await self._ask(
            "POST", f"/locks/{quote(arguments[0], safe='', errors='surrogateescape')}/unlock", body
        )
        return _Status(200, _describe_lock(_get_lock(response)))

    async def _list_locks(self, _arguments: list[str]) -> _Status:
        options = _parse_options(await self._read_lines(FLUSH))
        if path := options.get("path"):
            return await self._list_locks_of_path(path)
        ours, theirs = await self._verify_locks(options, _read_limit(options))
        locks = [*((lock, "ours") for lock in ours), *((lock, "theirs") for lock in theirs)]
        return _Status(lines=[line for row in locks[: _read_limit(options)] for line in self._specify_lock(*row)])

    async def _list_locks_of_path(self, path: str) -> _Status:
        """Return the lock of a path. As on the platform, which lists all locks, that is the only one there is."""
        ours, theirs = await self._verify_locks({"path": path}, 1)
        match ours, theirs:
            case [lock], []:
                return _Status(lines=self._specify_lock(lock, "ours"))
            case [], [lock]:
                return _Status(lines=self._specify_lock(lock, "theirs"))
            case [], []:
                raise TransferError(404, f"lock for path {path} not found")
            case _:
                raise TransferError(500, _INTERNAL_ERROR)

    async def _verify_locks(self, options: Mapping[str, str], limit: int) -> tuple[list[Any], list[Any]]:
        query = urlencode(
            {name: options[name] for name in ("path", "id") if options.get(name)}, errors="surrogateescape"
        )
        body = {"cursor": options.get("cursor", ""), "limit": limit, "ref": {"name": options.get("refname", "")}}
        response = await self._ask("POST", f"/locks/verify?{query}", body)
        # A refusal lists no locks: those who may only download see none.
        listed = _parse_json(response)
        return listed.get("ours") or [], listed.get("theirs") or []

    def _specify_lock(self, lock: Mapping[str, Any], owner: str) -> list[str]:
        id_ = lock["id"]
        lines = [f"lock {id_}", f"path {id_} {lock['path']}", f"locked-at {id_} {lock['locked_at']}"]
        lines.append(f"ownername {id_} {lock['owner']['name']}")
        return [*lines, f"owner {id_} {owner}"] if self._session.operation == "upload" else lines

    _COMMANDS: ClassVar[Mapping[str, Callable[["LfsTransfer", list[str]], Awaitable[_Status]]]] = {
        "version": _negotiate_version,
        "batch": _list_transfers,
        "put-object": _put_object,
        "verify-object": _verify_object,
        "get-object": _get_object,
        "lock": _lock,
        "list-lock": _list_locks,
        "list-locks": _list_locks,
        "unlock": _unlock,
    }

    # Reading and sending

    async def _read_lines(self, end: bytes) -> list[str]:
        """Return the lines up to a flush or a delimiter; the other one of them reads as an empty line."""
        lines, size = [], 0
        while (packet := await self._stream.read_packet()) != end:
            lines.append(_decode(packet))
            size += len(packet)
            self._stream.check_size(size)
        return lines

    async def _read_content(self) -> bytes:
        """Return the content of an object. Of one that is too large, only so much is kept that it is refused."""
        content = bytearray()
        while (packet := await self._stream.read_packet()) != FLUSH:
            if len(content) <= self._limit:
                content += packet[4:]
        return bytes(content)

    async def _ask(self, method: str, path: str, body: Mapping[str, object]) -> Response:
        headers = {"content-type": _JSON, **self._session.headers}
        return await self._send(method, f"{self._session.href}{path}", headers, _encode_json(body))

    def _check_offer(self, operation: str, oid: str, options: Mapping[str, str]) -> Any:
        """Return what was offered to the client for an object; TransferError unless it was."""
        if not options.get("id"):
            raise TransferError(400, "error: missing id")
        if not options.get("token"):
            raise TransferError(401, "error: missing token")
        content, token = _decode_base64(options["id"], "id"), _decode_base64(options["token"], "token")
        if not hmac.compare_digest(token, self._session.sign(content)):
            raise TransferError(403, "error: token hash mismatch")
        offer = orjson.loads(content)
        if offer["operation"] != operation:
            raise TransferError(403, "error: invalid operation")
        if offer["oid"] != oid:
            raise TransferError(403, "error: invalid oid")
        return offer


def _encode_text(text: str) -> bytes:
    return encode_line(f"{text}\n")


def _encode_content(content: bytes) -> list[bytes]:
    size = MAX_LINE - 4
    return [encode_line(content[start : start + size]) for start in range(0, len(content), size)]


def _encode_json(body: object) -> bytes:
    """Return a body as JSON, in which bytes that are not UTF-8 become U+FFFD, as the platform's library does it."""
    text = json.dumps(body, ensure_ascii=False)
    return text.encode(errors="surrogateescape").decode(errors="replace").encode()


def _decode(packet: bytes) -> str:
    return decode_text(packet[4:]).removesuffix("\n")


def _encode_base64(content: bytes) -> str:
    return base64.b64encode(content).decode()


def _decode_base64(text: str, name: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except ValueError:
        raise TransferError(400, f"error: invalid {name}") from None


def _parse_options(lines: Sequence[str]) -> dict[str, str]:
    options = {}
    for line in lines:
        name, separator, value = line.partition("=")
        if not separator:
            raise TransferError(400, f"error: parse error: invalid argument: {_quote(line)}")
        options[name] = value
    return options


def _parse_object(line: str) -> dict[str, object]:
    if not line:
        raise TransferError(400, "error: invalid packet")
    oid, _, rest = line.partition(" ")
    size, *options = rest.split(" ")
    if not size:
        raise TransferError(400, "error: parse error")
    if not size.removeprefix("-").isdecimal():
        raise TransferError(400, f"error: parse error: invalid integer, got: {_quote(size)}")
    _parse_options(options)
    return {"oid": oid, "size": int(size)}


def _quote(text: str) -> str:
    return orjson.dumps(text.encode(errors="replace").decode()).decode()


def _get_oid(arguments: Sequence[str]) -> str:
    if not arguments:
        raise TransferError(400, "bad request")
    return arguments[0]


def _get_ref(options: Mapping[str, str]) -> dict[str, object]:
    return {"ref": {"name": options["refname"]}} if options.get("refname") else {}


def _get_lock(response: Response) -> Mapping[str, Any]:
    """Return the lock of a response; TransferError for a refusal."""
    if response.status in _LOCK_ERRORS:
        raise TransferError(response.status, f"error: {_LOCK_ERRORS[response.status]}")
    if not 200 <= response.status < 300:
        raise TransferError(500, _INTERNAL_ERROR)
    lock: Mapping[str, Any] = _parse_json(response)["lock"]
    return lock


def _parse_json(response: Response) -> Any:
    try:
        return orjson.loads(response.body)
    except orjson.JSONDecodeError:
        raise TransferError(500, _INTERNAL_ERROR) from None


def _describe_lock(lock: Mapping[str, Any]) -> list[str]:
    return [
        f"id={lock['id']}",
        f"path={lock['path']}",
        f"locked-at={lock['locked_at']}",
        f"ownername={lock['owner']['name']}",
    ]


def _read_limit(options: Mapping[str, str]) -> int:
    text = options.get("limit", "")
    number = int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else 0
    return min(number, _MAX_LOCKS) or _LOCKS_BY_DEFAULT
