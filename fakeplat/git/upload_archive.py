"""Archives for `git archive --remote`."""

from collections.abc import Iterator

from fakeplat.git.errors import BadRequest, GitError
from fakeplat.git.name_checks import BRANCHES
from fakeplat.git.pktline import FLUSH, Lines, decode_text, encode_line, encode_sideband
from fakeplat.git.repository import Archive, Repository

_TAGS = "refs/tags/"
_FORMATS = {"tar": Archive.TAR, "tar.gz": Archive.TAR_GZ, "tgz": Archive.TAR_GZ, "zip": Archive.ZIP}
_DIED = "git upload-archive: archiver died with error"


def upload_archive(repository: Repository, body: bytes) -> Iterator[bytes]:
    """Yield the response to the lines of a client; BadRequest if they are malformed."""
    arguments = [_read_argument(decode_text(line)) for line in Lines(body).section()]
    head = [encode_line("ACK\n"), FLUSH]
    try:
        content = encode_sideband(1, _build_archive(repository, arguments))
    except GitError as error:
        text = f"fatal: {error}\n".encode(errors="surrogateescape")
        content = iter([*encode_sideband(2, text), *encode_sideband(3, _DIED.encode())])
    return iter([*head, *content, FLUSH])


def _read_argument(line: str) -> str:
    name, _, value = line.partition(" ")
    if name != "argument":
        raise BadRequest("'argument' token or flush expected")
    return value


def _build_archive(repository: Repository, arguments: list[str]) -> bytes:
    form, prefix, names = "tar", "", []
    for argument in arguments:
        option, _, value = argument.partition("=")
        if option == "--format":
            form = value
        elif option == "--prefix":
            prefix = value
        elif argument.startswith("-") and argument != "--":
            raise BadRequest(f"the option {argument[:200]} is not supported")
        elif argument != "--":
            names.append(argument)
    if form not in _FORMATS:
        raise BadRequest(f"Unknown archive format '{form[:200]}'")
    if not names:
        raise BadRequest("no tree-ish is given")
    revision, _, folder = names[0].partition(":")
    return repository.archive(_check_ref(repository, revision), _FORMATS[form], prefix=prefix, path=folder)


def _check_ref(repository: Repository, name: str) -> str:
    """Return the name of a ref: what no ref names is not sent, not even by its hash."""
    candidates = (name, f"refs/{name}", f"{_TAGS}{name}", f"{BRANCHES}{name}")
    if name == "HEAD" and repository.head in repository.refs:
        return name
    known = next((candidate for candidate in candidates if candidate in repository.refs), None)
    if known is None:
        raise BadRequest(f"no such ref: {name[:200]}")
    return known
