"""Handling of `git fetch` and `git clone`: negotiation, and the pack of missing objects."""

from collections.abc import Iterator

from attrs import define, field

from fakeplat.git import packs
from fakeplat.git.errors import BadRequest, GitError, UnknownRevision
from fakeplat.git.history import History
from fakeplat.git.object_filters import ObjectFilter, filter_objects, parse_filter
from fakeplat.git.pktline import FLUSH, MAX_LINE, Lines, decode_text, encode_line, encode_sideband
from fakeplat.git.reachability import (
    classify,
    introduced_objects,
    list_reachable,
    new_objects,
    peel_tags,
    peel_to_commits,
)
from fakeplat.git.records import Kind
from fakeplat.git.repository import Repository
from fakeplat.git.shallow import Boundary, Depth, compute_boundary, parents_within

MAX_CACHED_LISTS = 64
# So many digits always fit into 64 bits.
_MAX_DIGITS = 18


@define
class FetchRequest:
    """The first section of a request: wants, depth and filters. ``client`` is the boundary of a shallow client."""

    wants: list[str] = field(factory=list)
    capabilities: frozenset[str] = frozenset()
    client: set[str] = field(factory=set)
    commits: int | None = None
    since: int | None = None
    hidden: list[str] = field(factory=list)
    filters: tuple[ObjectFilter, ...] = ()

    @property
    def depth(self) -> Depth:
        """The history that is requested."""
        relative = "deepen-relative" in self.capabilities
        return Depth(self.commits, self.since, tuple(self.hidden), relative)


@define
class Haves:
    """The result of the negotiation: common commits, lines of the response, and whether the pack follows."""

    common: list[str] = field(factory=list)
    lines: list[bytes] = field(factory=list)
    pack_follows: bool = False


def upload_pack(repository: Repository, body: bytes) -> Iterator[bytes]:
    """Yield the response to `POST git-upload-pack` in pieces; BadRequest before the first piece.

    If the client wants an object that is not visible, or names a missing ref, the response is an `ERR` line, as in git.
    """
    lines = Lines(body)
    try:
        request = _parse_request(repository, lines)
    except UnknownRevision as error:
        return iter([error_line(error)])
    if not request.wants:
        # A client that is up to date sends only a flush; git gives it an empty response.
        return iter([])
    return _respond(repository, request, lines)


def _respond(repository: Repository, request: FetchRequest, lines: Lines) -> Iterator[bytes]:
    tips = peel_to_commits(repository.objects, request.wants)
    try:
        boundary = compute_boundary(repository.objects, tips, frozenset(request.client), request.depth)
    except BadRequest as error:
        return iter([error_line(error)])
    haves = _negotiate(repository, request, tips, lines)
    head = [*boundary_lines(boundary), FLUSH] if request.depth else []
    head += haves.lines
    return _stream(repository, request, haves, boundary, head)


def error_line(error: GitError) -> bytes:
    """Return the line with which git refuses a fetch."""
    return encode_line(f"ERR upload-pack: {error}"[:1000])


def _stream(
    repository: Repository, request: FetchRequest, haves: Haves, boundary: Boundary, head: list[bytes]
) -> Iterator[bytes]:
    yield b"".join(head)
    if haves.pack_follows:
        shas = list_missing(repository, request, haves.common, boundary)
        yield from send_pack(packs.write_pack(repository.objects, shas), request.capabilities)


def _parse_request(repository: Repository, lines: Lines) -> FetchRequest:
    request = FetchRequest()
    for line in lines.section():
        word, _, value = decode_text(line).partition(" ")
        if word == "want":
            sha, _, capabilities = value.partition(" ")
            # Only the first line carries capabilities.
            request.capabilities = request.capabilities or frozenset(capabilities.split())
            request.wants.append(check_visible(repository, sha))
        elif not read_limit(repository, request, word, value):
            raise BadRequest(f"unexpected line {word!r}")
    return request


def read_limit(repository: Repository, request: FetchRequest, word: str, value: str) -> bool:
    """Read a line that limits what is sent: the client's boundary, a depth or a filter; False for another line."""
    match word:
        case "shallow":
            # As in git, boundaries that do not exist here are ignored; the client may have fetched them elsewhere.
            request.client |= {value} if _is_commit(repository, value) else set()
        case "deepen":
            request.commits = parse_number(value)
            if not request.commits:
                raise BadRequest("invalid deepen")
        case "deepen-since":
            request.since = parse_number(value)
        case "deepen-not":
            request.hidden.append(repository.resolve(value))
        case "filter":
            request.filters = parse_filter(value)
        case _:
            return False
    return True


def check_visible(repository: Repository, sha: str) -> str:
    """Return the hash of an object that a client wants; UnknownRevision if the repository does not show it."""
    if not repository.shows(sha):
        raise UnknownRevision(f"not our ref {sha}")
    return sha


def _is_commit(repository: Repository, sha: str) -> bool:
    return repository.shows(sha) and repository.objects.get(sha).kind is Kind.COMMIT


def parse_number(value: str) -> int:
    """Return a number of a request; BadRequest for another text."""
    if not value.isascii() or not value.isdecimal() or len(value) > _MAX_DIGITS:
        raise BadRequest(f"not a number: {value!r}")
    return int(value)


def boundary_lines(boundary: Boundary) -> list[bytes]:
    """Return the lines that tell a client how its boundary has changed."""
    shallow = [encode_line(f"shallow {sha}") for sha in boundary.fresh]
    return [*shallow, *(encode_line(f"unshallow {sha}") for sha in boundary.opened)]


def _negotiate(repository: Repository, request: FetchRequest, tips: list[str], lines: Lines) -> Haves:
    """Acknowledge the client's commits that exist here, in the mode of the client's capabilities.

    HTTP is stateless: each request repeats all earlier `have` lines. With `no-done` the pack follows as soon as every
    wanted commit has a common ancestor; otherwise the client has to send `done`.
    """
    haves = Haves()
    detailed = "multi_ack_detailed" in request.capabilities
    multiple = detailed or "multi_ack" in request.capabilities
    while not lines.is_at_end:
        has_new = False
        for line in lines.section():
            word, _, sha = decode_text(line).partition(" ")
            if word == "done":
                haves.pack_follows = True
                # With multi_ack the last common commit is acknowledged again; otherwise its ACK was sent before.
                last = haves.common[-1:] if multiple else []
                haves.lines += [encode_line(f"ACK {common}\n") for common in last] or (
                    [] if haves.common else [encode_line("NAK\n")]
                )
                return haves
            if word != "have":
                raise BadRequest(f"unexpected line {word!r}")
            if repository.shows(sha):
                has_new = True
                haves.common.append(sha)
                # Without multi_ack, git acknowledges only the first common commit.
                if multiple or len(haves.common) == 1:
                    haves.lines.append(
                        encode_line(f"ACK {sha}{' common' if detailed else ' continue' if multiple else ''}\n")
                    )
        _end_round(repository, request, tips, haves, has_new=has_new)
        if haves.pack_follows:
            return haves
    return haves


def _end_round(repository: Repository, request: FetchRequest, tips: list[str], haves: Haves, *, has_new: bool) -> None:
    detailed = "multi_ack_detailed" in request.capabilities
    is_ready = detailed and has_new and can_end_negotiation(repository, tips, haves.common)
    if is_ready:
        haves.lines.append(encode_line(f"ACK {haves.common[-1]} ready\n"))
    if not haves.common or detailed or "multi_ack" in request.capabilities:
        haves.lines.append(encode_line("NAK\n"))
    if is_ready and "no-done" in request.capabilities:
        haves.lines.append(encode_line(f"ACK {haves.common[-1]}\n"))
        haves.pack_follows = True


def can_end_negotiation(repository: Repository, tips: list[str], common: list[str]) -> bool:
    """Return whether every wanted commit has a common ancestor with the client."""
    history = History.of(repository.objects)
    # Clients also send the hashes of annotated tags that they have.
    bases = [peel_tags(repository.objects, sha)[1] for sha in common]
    return all(any(history.holds(history.ancestors(repository.objects, tip), sha) for sha in bases) for tip in tips)


def list_missing(repository: Repository, request: FetchRequest, common: list[str], boundary: Boundary) -> list[str]:
    """List the objects that the client wants and does not have."""
    if boundary.cut or boundary.opened or request.client:
        shas = _list_shallow(repository, request, common, boundary)
    else:
        shas = _list_full(repository, request.wants, common)
    if request.filters:
        shas = filter_objects(repository.objects, shas, request.wants, request.filters)
    if "include-tag" in request.capabilities:
        shas = _add_tags(repository, shas)
    return shas


def _list_full(repository: Repository, wants: list[str], common: list[str]) -> list[str]:
    """List the missing objects of a full history. The list is cached, so repeated clones only pay for sending."""
    cache: dict[tuple[str, ...], list[str]] = repository.objects.caches.setdefault(upload_pack, {})
    key = (*wants, "", *common)  # the empty text separates the two lists
    if key not in cache:
        if len(cache) >= MAX_CACHED_LISTS:
            cache.clear()
        cache[key] = list_reachable(repository.objects, wants, common)
    return cache[key]


def _list_shallow(repository: Repository, request: FetchRequest, common: list[str], boundary: Boundary) -> list[str]:
    """List the missing objects of a shallow history. Commits at its boundary have no parents: all their files count."""
    objects = repository.objects
    # A commit that is no longer at the boundary was sent before, but its parents were not.
    new_parents = [parent for sha in boundary.opened for parent in objects.commit(sha).parents]
    wanted = parents_within(objects, [*peel_to_commits(repository.objects, request.wants), *new_parents], boundary.cut)
    existing = parents_within(objects, peel_to_commits(repository.objects, common), frozenset(request.client))
    commits = [sha for sha in wanted if sha not in existing]
    # A shallow and partial client asks for single trees and blobs, too.
    tags, _, others = classify(objects, request.wants)
    files = (
        sha
        for commit in commits
        for sha in (
            new_objects(objects, objects.commit(commit), ())
            if commit in boundary.cut
            else introduced_objects(objects, commit)
        )
    )
    return list(dict.fromkeys([*tags, *commits, *files, *others]))


def _add_tags(repository: Repository, shas: list[str]) -> list[str]:
    """Add the annotated tags of sent objects (`include-tag`)."""
    sent = set(shas)
    more = []
    for sha in repository.refs.values():
        tags, target = peel_tags(repository.objects, sha)
        if tags and target in sent:
            more += [tag for tag in tags if tag not in sent]
    return [*shas, *dict.fromkeys(more)]


def send_pack(pack: Iterator[bytes], capabilities: frozenset[str]) -> Iterator[bytes]:
    """Yield a pack in large pieces, on side band 1 if the client supports it."""
    # A line holds 65,520 bytes with side-band-64k and 1000 with side-band, of which length and band take five.
    size = MAX_LINE - 5 if "side-band-64k" in capabilities else 995
    if not capabilities & {"side-band", "side-band-64k"}:
        yield from pack
        return
    buffer = bytearray()
    for piece in pack:
        buffer += piece
        while len(buffer) >= size:
            yield from encode_sideband(1, bytes(buffer[:size]))
            del buffer[:size]
    yield from encode_sideband(1, bytes(buffer))
    yield FLUSH
