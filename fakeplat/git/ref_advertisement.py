"""Advertisement of refs and capabilities (`GET info/refs`, and the begin of a session over SSH)."""

from enum import Enum

from fakeplat.core.release import VERSION
from fakeplat.git.name_checks import ZERO_SHA
from fakeplat.git.pktline import FLUSH, encode_line
from fakeplat.git.reachability import peel_tags
from fakeplat.git.repository import Repository

_STATELESS_CAPABILITIES = "no-done "
_UPLOAD_CAPABILITIES = (
    "multi_ack multi_ack_detailed side-band side-band-64k thin-pack shallow deepen-since deepen-not "
    "deepen-relative no-progress include-tag allow-tip-sha1-in-want allow-reachable-sha1-in-want filter"
)
_RECEIVE_CAPABILITIES = "report-status delete-refs quiet atomic ofs-delta side-band-64k push-options"

AGENT = f"fakeplat/{VERSION}"


class Service(Enum):
    """The two services of smart HTTP, by name."""

    UPLOAD = "git-upload-pack"
    RECEIVE = "git-receive-pack"

    @property
    def advertisement_type(self) -> str:
        """The content type of `info/refs`."""
        return f"application/x-{self.value}-advertisement"

    @property
    def request_type(self) -> str:
        """The content type of a request."""
        return f"application/x-{self.value}-request"

    @property
    def result_type(self) -> str:
        """The content type of a response."""
        return f"application/x-{self.value}-result"


def advertise_refs(repository: Repository, service: Service, version: int = 0, *, is_stateless: bool = True) -> bytes:
    """Return the response to `info/refs?service=…`, in protocol version 0, which newer clients understand too.

    Version 1 only says its number first. Of a push there is no version 2, so a client that requests it gets version 0.
    A session over SSH is not stateless: it begins with the refs themselves.
    """
    lines = _fetch_refs(repository) if service is Service.UPLOAD else _push_refs(repository)
    # The first line carries the capabilities, so an empty repository has a placeholder for it.
    first, *others = lines or [f"{ZERO_SHA} capabilities^{{}}"]
    head = service_header(service) if is_stateless else b""
    body = [
        *([encode_line("version 1\n")] if version == 1 else []),
        encode_line(f"{first}\0{_capabilities(repository, service, is_stateless=is_stateless)}\n"),
        *(encode_line(f"{line}\n") for line in others),
    ]
    return b"".join([head, *body, FLUSH])


def service_header(service: Service) -> bytes:
    """Return what a response to `info/refs` begins with."""
    return encode_line(f"# service={service.value}\n") + FLUSH


def _capabilities(repository: Repository, service: Service, *, is_stateless: bool) -> str:
    agent = f"object-format=sha1 agent={AGENT}"
    if service is Service.RECEIVE:
        return f"{_RECEIVE_CAPABILITIES} {agent}"
    stateless = _STATELESS_CAPABILITIES if is_stateless else ""
    return f"{stateless}{_UPLOAD_CAPABILITIES} {f'symref=HEAD:{repository.head} ' if repository.head else ''}{agent}"


def _fetch_refs(repository: Repository) -> list[str]:
    head = repository.refs.get(repository.head) if repository.head else None
    lines = [f"{head} HEAD"] if head else []
    for name, sha in sorted(repository.refs.items()):
        lines.append(f"{sha} {name}")
        # An annotated tag is followed by the object that it points to, which tells clients if they have that already.
        target = peel_tags(repository.objects, sha)[1]
        if target != sha:
            lines.append(f"{target} {name}^{{}}")
    return lines


def _push_refs(repository: Repository) -> list[str]:
    # Unlike git-upload-pack, git-receive-pack lists neither HEAD nor the targets of tags.
    return [f"{sha} {name}" for name, sha in sorted(repository.refs.items())]
