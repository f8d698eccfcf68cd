"""Version 2 of the protocol: the commands `ls-refs` and `fetch`, each a request of its own, also within a session."""

from collections.abc import Iterator

from attrs import define, field

from fakeplat.git import packs
from fakeplat.git.errors import BadRequest, UnknownRevision
from fakeplat.git.pktline import DELIMITER, FLUSH, Lines, decode_text, encode_line
from fakeplat.git.reachability import peel_tags, peel_to_commits
from fakeplat.git.ref_advertisement import AGENT, Service, service_header
from fakeplat.git.repository import Repository
from fakeplat.git.shallow import Boundary, compute_boundary
from fakeplat.git.upload_pack import (
    FetchRequest,
    boundary_lines,
    can_end_negotiation,
    check_visible,
    error_line,
    list_missing,
    read_limit,
    send_pack,
)

_CAPABILITIES = (
    "version 2",
    f"agent={AGENT}",
    "ls-refs=unborn",
    "fetch=shallow wait-for-done filter",
    "server-option",
    "object-format=sha1",
)
_FORMAT = "object-format="
# What a fetch may ask for besides limits, wants and haves. The first two change nothing here: packs have no deltas.
_FLAGS = frozenset({"thin-pack", "ofs-delta", "no-progress", "include-tag", "deepen-relative", "wait-for-done", "done"})


@define
class _Fetch:
    """The arguments of `fetch`: what is requested, the objects that the client has, and the end of the negotiation."""

    request: FetchRequest
    haves: list[str] = field(factory=list)
    is_done: bool = False
    waits_for_done: bool = False


def requested_version(git_protocol: str | None) -> int:
    """Return the version that a client requests in the header `Git-Protocol`, or in the variable `GIT_PROTOCOL`."""
    keys = (git_protocol or "").split(":")
    return next((version for version in (2, 1) if f"version={version}" in keys), 0)


def advertise_capabilities(*, is_stateless: bool = True) -> bytes:
    """Return the response to `info/refs?service=git-upload-pack`, and the begin of a session."""
    head = service_header(Service.UPLOAD) if is_stateless else b""
    return b"".join([head, *(encode_line(f"{line}\n") for line in _CAPABILITIES), FLUSH])


def is_fetch(body: bytes) -> bool:
    """Return whether a request is one of the command `fetch`."""
    return body.startswith(b"command=fetch", 4)


def serve_command(repository: Repository, body: bytes) -> Iterator[bytes]:
    """Yield the response to one command in pieces; BadRequest before the first piece."""
    lines = Lines(body)
    command = _read_command(lines)
    arguments = [decode_text(line) for line in lines.part()]
    if command == "ls-refs":
        return iter([b"".join(_list_refs(repository, arguments))])
    if command != "fetch":
        raise BadRequest(f"invalid command '{command[:200]}'")
    try:
        fetch = _parse_fetch(repository, arguments)
    except UnknownRevision as error:
        return iter([error_line(error)])
    return _fetch(repository, fetch) if fetch.request.wants else iter([])


def _read_command(lines: Lines) -> str:
    """Return the command of a request, behind which stand the capabilities of the client."""
    commands = []
    for line in map(decode_text, lines.part()):
        name, _, value = line.partition("=")
        if name == "command":
            commands.append(value)
        if line.startswith(_FORMAT) and value != "sha1":
            raise BadRequest(f"mismatched object format: server sha1; client {value[:200]}")
    if len(commands) != 1:
        raise BadRequest("no command requested" if not commands else f"command '{commands[1][:200]}' requested twice")
    return commands[0]


def _list_refs(repository: Repository, arguments: list[str]) -> Iterator[bytes]:
    prefixes = tuple(text.removeprefix("ref-prefix ") for text in arguments if text.startswith("ref-prefix "))
    head = repository.refs.get(repository.head) if repository.head else None
    names = [*([("HEAD", head)] if head else []), *sorted(repository.refs.items())]
    if repository.head and head is None and "unborn" in arguments:
        yield encode_line(f"unborn HEAD symref-target:{repository.head}\n")
    for name, sha in names:
        if prefixes and not name.startswith(prefixes):
            continue
        symref = f" symref-target:{repository.head}" if name == "HEAD" and "symrefs" in arguments else ""
        target = peel_tags(repository.objects, sha)[1] if "peel" in arguments else sha
        peeled = f" peeled:{target}" if target != sha else ""
        yield encode_line(f"{sha} {name}{symref}{peeled}\n")
    yield FLUSH


def _parse_fetch(repository: Repository, arguments: list[str]) -> _Fetch:
    fetch = _Fetch(FetchRequest())
    # The pack is always on a side band.
    flags = {"side-band-64k"}
    for line in arguments:
        word, _, value = line.partition(" ")
        if word == "want":
            fetch.request.wants.append(check_visible(repository, value))
        elif word == "have":
            fetch.haves.append(value)
        elif line in _FLAGS:
            flags.add(line)
        elif not read_limit(repository, fetch.request, word, value):
            raise BadRequest(f"unexpected line: '{line[:200]}'")
    fetch.request.capabilities = frozenset(flags)
    fetch.is_done, fetch.waits_for_done = "done" in flags, "wait-for-done" in flags
    return fetch


def _fetch(repository: Repository, fetch: _Fetch) -> Iterator[bytes]:
    request = fetch.request
    tips = peel_to_commits(repository.objects, request.wants)
    try:
        boundary = compute_boundary(repository.objects, tips, frozenset(request.client), request.depth)
    except BadRequest as error:
        return iter([error_line(error)])
    return _stream(repository, fetch, tips, boundary)


def _stream(repository: Repository, fetch: _Fetch, tips: list[str], boundary: Boundary) -> Iterator[bytes]:
    request, common = fetch.request, [sha for sha in fetch.haves if repository.shows(sha)]
    # A client that has nothing does not negotiate.
    if fetch.haves and not fetch.is_done:
        yield encode_line("acknowledgments\n")
        yield b"".join(encode_line(f"ACK {sha}\n") for sha in common) or encode_line("NAK\n")
        if not common or fetch.waits_for_done or not can_end_negotiation(repository, tips, common):
            yield FLUSH
            return
        yield encode_line("ready\n") + DELIMITER
    if request.depth or request.client:
        yield b"".join([encode_line("shallow-info\n"), *boundary_lines(boundary), DELIMITER])
    yield encode_line("packfile\n")
    shas = list_missing(repository, request, common, boundary)
    yield from send_pack(packs.write_pack(repository.objects, shas), request.capabilities)
