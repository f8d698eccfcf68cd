"""Cloning of a live server's repository over git's smart HTTP protocol (version 0), as a bundle."""

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
from fakeplat.tape.records.transports import Ask

_SERVICE: Final = "git-upload-pack"
_TOKEN_USERNAME: Final = "oauth2"
# This excludes the platform's internal refs, such as those that keep old commits alive.
_FETCHED_REF: Final = pattern(r"refs/(heads|tags)/.+|refs/merge-requests/\d+/head")
_SYMREF: Final = pattern(rb"symref=HEAD:(\S+)")
_CAPABILITIES: Final = (b"side-band-64k", b"ofs-delta", b"no-progress")
_SHA: Final = pattern(r"[0-9a-f]{40}")
_DATA, _ERROR = 1, 3


class NotCloned(Exception):
    """Raised if a repository cannot be cloned; the message is short, such as the status of the refusal."""


@frozen
class RefAdvertisement:
    """A ref advertisement: ``refs`` to fetch, the short name of HEAD's branch, and the capabilities."""

    refs: Mapping[str, str]
    head: str | None
    capabilities: frozenset[bytes]


@frozen
class FetchedRepository:
    """A fetched repository: its scenario entry (``bundle`` and, if known, ``head``) and the hashes of its objects."""

    entry: Mapping[str, str]
    shas: frozenset[str]


async def clone_repository(ask: Ask, path: str, token: str | None) -> FetchedRepository | None:
    """Clone the repository of a project by its full path; return None if it is empty.

    Branches, tags and the heads of merge requests (their branches may be deleted) are fetched. Raises NotCloned if the
    server refuses or the response is invalid.
    """
    url_path, headers = f"/{path}.git", _credentials(token)
    try:
        response = await ask(Request("GET", f"{url_path}/info/refs", f"service={_SERVICE}", headers))
        advertisement = parse_advertisement(_read_body(response, f"application/x-{_SERVICE}-advertisement"))
        if not advertisement.refs:
            return None
        request_headers = {**headers, "content-type": f"application/x-{_SERVICE}-request"}
        response = await ask(
            Request("POST", f"{url_path}/{_SERVICE}", "", request_headers, _want_request(advertisement))
        )
        objects = _read_objects(advertisement, _extract_pack(_read_body(response, f"application/x-{_SERVICE}-result")))
    except GitError as error:
        raise NotCloned(str(error)) from None
    bundle = b64encode(
        write_bundle(objects, advertisement.refs, f"refs/heads/{advertisement.head}" if advertisement.head else None)
    )
    head = {"head": advertisement.head} if advertisement.head else {}
    return FetchedRepository(
        {"bundle": bundle.decode(), **head}, reachable_objects(objects, advertisement.refs.values())
    )


def _credentials(token: str | None) -> dict[str, str]:
    """Return Basic credentials; with a token, any username is accepted."""
    if token is None:
        return {}
    return {"authorization": f"Basic {b64encode(f'{_TOKEN_USERNAME}:{token}'.encode()).decode()}"}


def _read_body(response: Response, media_type: str) -> bytes:
    content_type = next((value for name, value in response.headers if name.lower() == "content-type"), "")
    if response.status != 200:
        raise NotCloned(str(response.status))
    if content_type.partition(";")[0].strip() != media_type:
        raise NotCloned(f"the content type is {content_type or 'missing'}, not git's")
    return response.body


def parse_advertisement(content: bytes) -> RefAdvertisement:
    """Parse the response to ``info/refs`` for fetching. Raises BadRequest if it is malformed."""
    lines = Lines(content)
    list(lines.section())  # the service announcement
    ref_lines = list(lines.section())
    # The capabilities follow the first ref after a NUL.
    capabilities = ref_lines[0].partition(b"\0")[2] if ref_lines else b""
    refs: dict[str, str] = {}
    for line in ref_lines:
        sha, _, name = decode_text(line.partition(b"\0")[0]).partition(" ")
        # "^{}" marks the commit of an annotated tag, which comes with the tag.
        if _FETCHED_REF.fullmatch(name) and not name.endswith("^{}") and _SHA.fullmatch(sha):
            refs[name] = sha
    match = _SYMREF.search(capabilities)
    head = decode_text(match[1]) if match else ""
    branch = head.removeprefix("refs/heads/") if head in refs else None
    return RefAdvertisement(refs, branch, frozenset(capabilities.split()))


def _want_request(advertisement: RefAdvertisement) -> bytes:
    """Return a request for everything that is reachable from the refs."""
    capabilities = b" ".join(word for word in _CAPABILITIES if word in advertisement.capabilities)
    agent = f" agent=fakeplat/{VERSION}".encode()
    # Several refs can point to one object, which is requested once; the first line states the capabilities, too.
    first, *others = (f"want {sha}".encode() for sha in sorted({*advertisement.refs.values()}))
    wants = [first + b" " + capabilities + agent, *others]
    return b"".join([*(encode_line(want + b"\n") for want in wants), FLUSH, encode_line("done\n")])


def _extract_pack(content: bytes) -> bytes:
    """Return the pack in a response, with or without a side band."""
    lines = Lines(content)
    acknowledgment = lines.next() or b""
    if acknowledgment != b"NAK":
        raise BadRequest(
            acknowledgment.removeprefix(b"ERR ").decode(errors="replace") or "the response contains no pack"
        )
    return lines.rest if lines.rest.startswith(b"PACK") else b"".join(_read_side_band(lines))


def _read_side_band(lines: Lines) -> Iterator[bytes]:
    """Iterate over the data packets of a side band."""
    while not lines.is_at_end and (line := lines.packet()) is not None:
        band, piece = line[:1], line[1:]
        if band == bytes([_ERROR]):
            raise BadRequest(piece.decode(errors="replace").strip())
        # Band 2 is progress, which is ignored.
        if band == bytes([_DATA]):
            yield piece


def _read_objects(advertisement: RefAdvertisement, pack: bytes) -> Objects:
    """Return the objects of a pack after checking that everything reachable from the refs is there."""
    objects = Objects()
    received = read_pack(objects, pack, Limits())
    check_connected(objects, received, advertisement.refs.values(), [])
    objects.absorb(received)
    return objects
