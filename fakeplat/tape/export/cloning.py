"""A repository of a live server, fetched whole over git's smart HTTP (version 0) and written down as a bundle."""

from base64 import b64encode
from collections.abc import Iterator, Mapping
from re import compile as pattern
from typing import Final

from fakeplat.core.operations.http_messages import Request, Response
from fakeplat.core.release import VERSION
from fakeplat.core.store.frozen import frozen
from fakeplat.git.bundles import write_bundle
from fakeplat.git.errors import BadRequest, GitError
from fakeplat.git.objects import Objects
from fakeplat.git.packs import Limits, read_pack
from fakeplat.git.pktline import FLUSH, Lines, decode_text, encode_line
from fakeplat.git.reachability import check_connected, reachable_objects
from fakeplat.tape.export.transports import Ask

_UPLOAD: Final = "git-upload-pack"
_NAME_OF_TOKENS: Final = "oauth2"
_KEPT: Final = pattern(r"refs/(heads|tags)/.+|refs/merge-requests/\d+/head")
_SYMREF: Final = pattern(rb"symref=HEAD:(\S+)")
_SPOKEN: Final = (b"side-band-64k", b"ofs-delta", b"no-progress")
_SHA: Final = pattern(r"[0-9a-f]{40}")
_DATA, _ERROR = 1, 3


class NotCloned(Exception):
    """A repository that is not to be had: a few words that say why, as the status of the refusal."""


@frozen
class Advertised:
    """What a server says first: ``refs`` (branches and tags), HEAD's branch by its short name, what it can do."""

    refs: Mapping[str, str]
    head: str | None
    capabilities: frozenset[bytes]


@frozen
class Fetched:
    """A repository as a scenario says it (``bundle``, and ``head`` if that is there), and the hashes of all in it."""

    said: Mapping[str, str]
    holds: frozenset[str]


async def clone_repository(ask: Ask, path: str, token: str | None) -> Fetched | None:
    """The repository of a project by its full path.

    Branches and tags are fetched, and the heads of merge requests, whose branches may be gone. None for one that holds
    nothing; NotCloned where it is refused or unreadable.
    """
    place, headers = f"/{path}.git", _credentials(token)
    try:
        answer = await ask(Request("GET", f"{place}/info/refs", f"service={_UPLOAD}", headers))
        said = parse_advertisement(_body(answer, f"application/x-{_UPLOAD}-advertisement"))
        if not said.refs:
            return None
        sent = {**headers, "content-type": f"application/x-{_UPLOAD}-request"}
        answer = await ask(Request("POST", f"{place}/{_UPLOAD}", "", sent, _wanting(said)))
        objects = _objects(said, _pack(_body(answer, f"application/x-{_UPLOAD}-result")))
    except GitError as error:
        raise NotCloned(str(error)) from None
    bundle = b64encode(write_bundle(objects, said.refs, f"refs/heads/{said.head}" if said.head else None))
    head = {"head": said.head} if said.head else {}
    return Fetched({"bundle": bundle.decode(), **head}, reachable_objects(objects, said.refs.values()))


def _credentials(token: str | None) -> dict[str, str]:
    """Name and password as git sends them; with a token any name will do."""
    if token is None:
        return {}
    return {"authorization": f"Basic {b64encode(f'{_NAME_OF_TOKENS}:{token}'.encode()).decode()}"}


def _body(response: Response, media_type: str) -> bytes:
    given = next((value for name, value in response.headers if name.lower() == "content-type"), "")
    if response.status != 200:
        raise NotCloned(str(response.status))
    if given.partition(";")[0].strip() != media_type:
        raise NotCloned(f"the answer is {given or 'of no type'}, not git's")
    return response.body


def parse_advertisement(content: bytes) -> Advertised:
    """The answer to ``info/refs`` for fetching. BadRequest for what is no such answer."""
    lines = Lines(content)
    list(lines.section())
    listed = list(lines.section())
    capabilities = listed[0].partition(b"\0")[2] if listed else b""
    refs: dict[str, str] = {}
    for line in listed:
        sha, _, name = decode_text(line.partition(b"\0")[0]).partition(" ")
        if _KEPT.fullmatch(name) and not name.endswith("^{}") and _SHA.fullmatch(sha):
            refs[name] = sha
    found = _SYMREF.search(capabilities)
    head = decode_text(found[1]) if found else ""
    branch = head.removeprefix("refs/heads/") if head in refs else None
    return Advertised(refs, branch, frozenset(capabilities.split()))


def _wanting(said: Advertised) -> bytes:
    """A request for all that branches and tags lead to."""
    spoken = b" ".join(word for word in _SPOKEN if word in said.capabilities)
    agent = f" agent=fakeplat/{VERSION}".encode()
    first, *others = (f"want {sha}".encode() for sha in sorted({*said.refs.values()}))
    wants = [first + b" " + spoken + agent, *others]
    return b"".join([*(encode_line(want + b"\n") for want in wants), FLUSH, encode_line("done\n")])


def _pack(content: bytes) -> bytes:
    """The pack in an answer, with or without a side band."""
    lines = Lines(content)
    agreed = lines.next() or b""
    if agreed != b"NAK":
        raise BadRequest(agreed.removeprefix(b"ERR ").decode(errors="replace") or "the answer holds no pack")
    return lines.rest if lines.rest.startswith(b"PACK") else b"".join(_data(lines))


def _data(lines: Lines) -> Iterator[bytes]:
    """What stands on the side band for data."""
    while not lines.ended and (line := lines.packet()) is not None:
        band, piece = line[:1], line[1:]
        if band == bytes([_ERROR]):
            raise BadRequest(piece.decode(errors="replace").strip())
        if band == bytes([_DATA]):
            yield piece


def _objects(said: Advertised, pack: bytes) -> Objects:
    """All that the refs lead to; whole, and in an order of its own, however the server packed it."""
    objects = Objects()
    came = read_pack(objects, pack, Limits())
    check_connected(objects, came, said.refs.values(), [])
    objects.absorb(came)
    return objects
