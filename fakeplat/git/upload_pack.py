"""Answering `git fetch` and `git clone`: what the client wants and has, and the pack between."""

from collections.abc import Iterator

from attrs import define, field

from fakeplat.git import packs
from fakeplat.git.errors import BadRequest, GitError, UnknownRevision
from fakeplat.git.history import History
from fakeplat.git.pktline import FLUSH, LARGEST, Lines, decode_text, encode_line, encode_sideband
from fakeplat.git.reachability import introduced_objects, list_reachable, new_objects, peel_to_commits, tags_on_the_way
from fakeplat.git.records import Kind
from fakeplat.git.repository import Repository
from fakeplat.git.shallow import Boundary, Depth, compute_boundary, cut_off

LISTS_AT_HAND = 64
_DIGITS = 18


@define
class _Request:
    """The first section of a request."""

    wants: list[str] = field(factory=list)
    capabilities: frozenset[str] = frozenset()
    client: set[str] = field(factory=set)
    commits: int | None = None
    since: int | None = None
    hidden: list[str] = field(factory=list)

    @property
    def depth(self) -> Depth:
        relative = "deepen-relative" in self.capabilities
        return Depth(self.commits, self.since, tuple(self.hidden), relative)


@define
class _Haves:
    """What client and server both have, and what to say about it."""

    common: list[str] = field(factory=list)
    answer: list[bytes] = field(factory=list)
    wants_pack: bool = False


def upload_pack(repository: Repository, body: bytes) -> Iterator[bytes]:
    """The answer to `POST git-upload-pack`, piece by piece. BadRequest before the first piece.

    A wish for what the client may not have, or for a ref that is not there, is answered with an `ERR` line, as by git.
    """
    lines = Lines(body)
    try:
        request = _read(repository, lines)
    except UnknownRevision as error:
        return iter([_error(error)])
    if not request.wants:
        return iter([])
    return _answered(repository, request, lines)


def _answered(repository: Repository, request: _Request, lines: Lines) -> Iterator[bytes]:
    tips = peel_to_commits(repository.objects, request.wants)
    try:
        edge = compute_boundary(repository.objects, tips, frozenset(request.client), request.depth)
    except BadRequest as error:
        return iter([_error(error)])
    haves = _negotiated(repository, request, tips, lines)
    answer = _boundary_lines(edge) if request.depth else []
    answer += haves.answer
    return _pieces(repository, request, haves, edge, answer)


def _error(error: GitError) -> bytes:
    return encode_line(f"ERR upload-pack: {error}"[:1000])


def _pieces(
    repository: Repository, request: _Request, haves: _Haves, edge: Boundary, answer: list[bytes]
) -> Iterator[bytes]:
    yield b"".join(answer)
    if haves.wants_pack:
        shas = _wanted(repository, request, haves.common, edge)
        yield from _sent(packs.write_pack(repository.objects, shas), request.capabilities)


def _read(repository: Repository, lines: Lines) -> _Request:
    request = _Request()
    for line in lines.section():
        word, _, value = decode_text(line).partition(" ")
        match word:
            case "want":
                sha, _, capabilities = value.partition(" ")
                request.capabilities = request.capabilities or frozenset(capabilities.split())
                request.wants.append(_allowed(repository, sha))
            case "shallow":
                request.client |= {value} if _is_commit(repository, value) else set()
            case "deepen":
                request.commits = _number(value)
                if not request.commits:
                    raise BadRequest("invalid deepen")
            case "deepen-since":
                request.since = _number(value)
            case "deepen-not":
                request.hidden.append(repository.resolve(value))
            case _:
                raise BadRequest(f"unexpected line {word!r}")
    return request


def _allowed(repository: Repository, sha: str) -> str:
    if not repository.shows(sha):
        raise UnknownRevision(f"not our ref {sha}")
    return sha


def _is_commit(repository: Repository, sha: str) -> bool:
    return repository.shows(sha) and repository.objects.get(sha).kind is Kind.COMMIT


def _number(value: str) -> int:
    if not value.isascii() or not value.isdecimal() or len(value) > _DIGITS:
        raise BadRequest(f"no number: {value!r}")
    return int(value)


def _boundary_lines(edge: Boundary) -> list[bytes]:
    fresh = [encode_line(f"shallow {sha}") for sha in edge.fresh]
    return [*fresh, *(encode_line(f"unshallow {sha}") for sha in edge.opened), FLUSH]


def _negotiated(repository: Repository, request: _Request, tips: list[str], lines: Lines) -> _Haves:
    """Which of the client's commits are known here, in the words that the client understands.

    One request has all that the client has said so far. With `no-done` the pack follows as soon as every wanted commit
    leads to a common one; otherwise the client has to say `done`.
    """
    haves = _Haves()
    detailed = "multi_ack_detailed" in request.capabilities
    several = detailed or "multi_ack" in request.capabilities
    while not lines.ended:
        fresh = False
        for line in lines.section():
            word, _, sha = decode_text(line).partition(" ")
            if word == "done":
                haves.wants_pack = True
                last = haves.common[-1:] if several else []
                haves.answer += [encode_line(f"ACK {one}\n") for one in last] or (
                    [] if haves.common else [encode_line("NAK\n")]
                )
                return haves
            if word != "have":
                raise BadRequest(f"unexpected line {word!r}")
            if repository.shows(sha):
                fresh = True
                haves.common.append(sha)
                if several or len(haves.common) == 1:
                    haves.answer.append(
                        encode_line(f"ACK {sha}{' common' if detailed else ' continue' if several else ''}\n")
                    )
        _end_of_round(repository, request, tips, haves, fresh=fresh)
        if haves.wants_pack:
            return haves
    return haves


def _end_of_round(repository: Repository, request: _Request, tips: list[str], haves: _Haves, *, fresh: bool) -> None:
    detailed = "multi_ack_detailed" in request.capabilities
    enough = detailed and fresh and _is_enough(repository, tips, haves.common)
    if enough:
        haves.answer.append(encode_line(f"ACK {haves.common[-1]} ready\n"))
    if not haves.common or detailed or "multi_ack" in request.capabilities:
        haves.answer.append(encode_line("NAK\n"))
    if enough and "no-done" in request.capabilities:
        haves.answer.append(encode_line(f"ACK {haves.common[-1]}\n"))
        haves.wants_pack = True


def _is_enough(repository: Repository, tips: list[str], common: list[str]) -> bool:
    """Whether every wanted commit leads to one that both have."""
    history = History.of(repository.objects)
    known = [tags_on_the_way(repository.objects, sha)[1] for sha in common]
    return all(any(history.holds(history.ancestors(repository.objects, tip), sha) for sha in known) for tip in tips)


def _wanted(repository: Repository, request: _Request, common: list[str], edge: Boundary) -> list[str]:
    if edge.cut or edge.opened or request.client:
        shas = _shallow(repository, request, common, edge)
    else:
        shas = _whole(repository, request.wants, common)
    if "include-tag" in request.capabilities:
        shas = _with_tags(repository, shas)
    return shas


def _whole(repository: Repository, wants: list[str], common: list[str]) -> list[str]:
    """The list for a clone is kept, so that the next one costs what sending it costs."""
    kept: dict[tuple[str, ...], list[str]] = repository.objects.kept.setdefault(upload_pack, {})
    key = (*wants, "", *common)
    if key not in kept:
        if len(kept) >= LISTS_AT_HAND:
            kept.clear()
        kept[key] = list_reachable(repository.objects, wants, common)
    return kept[key]


def _shallow(repository: Repository, request: _Request, common: list[str], edge: Boundary) -> list[str]:
    """As for a whole history, but commits at the edge have no parents, so all their files are sent."""
    objects = repository.objects
    opened = [parent for sha in edge.opened for parent in objects.commit(sha).parents]
    wanted = cut_off(objects, [*peel_to_commits(repository.objects, request.wants), *opened], edge.cut)
    there = cut_off(objects, peel_to_commits(repository.objects, common), frozenset(request.client))
    commits = [sha for sha in wanted if sha not in there]
    tags = [tag for sha in request.wants for tag in tags_on_the_way(objects, sha)[0]]
    files = (
        sha
        for one in commits
        for sha in (
            new_objects(objects, objects.commit(one), ()) if one in edge.cut else introduced_objects(objects, one)
        )
    )
    return list(dict.fromkeys([*tags, *commits, *files]))


def _with_tags(repository: Repository, shas: list[str]) -> list[str]:
    """Annotated tags on what is sent are sent too."""
    sent = set(shas)
    more = []
    for sha in repository.refs.values():
        tags, target = tags_on_the_way(repository.objects, sha)
        if tags and target in sent:
            more += [tag for tag in tags if tag not in sent]
    return [*shas, *dict.fromkeys(more)]


def _sent(pack: Iterator[bytes], capabilities: frozenset[str]) -> Iterator[bytes]:
    """A pack in large pieces, on the first side band if the client knows it."""
    size = LARGEST - 5 if "side-band-64k" in capabilities else 995
    if not capabilities & {"side-band", "side-band-64k"}:
        yield from pack
        return
    waiting = bytearray()
    for piece in pack:
        waiting += piece
        while len(waiting) >= size:
            yield from encode_sideband(1, bytes(waiting[:size]))
            del waiting[:size]
    yield from encode_sideband(1, bytes(waiting))
    yield FLUSH
