"""Version 2 of the protocol, request by request, as gitprotocol-v2 describes it."""

from pathlib import Path

import pytest

from fakeplat.git.errors import BadRequest
from fakeplat.git.pktline import DELIMITER, FLUSH, encode_line
from fakeplat.git.protocol_v2 import advertise_capabilities, serve_command
from tests.git.command import Git
from tests.git.conftest import Both
from tests.git.git_server import serving
from tests.git_http.remote import error_output

MASTER = "refs/heads/master"


def build(command: str, *arguments: str) -> bytes:
    lines = [encode_line(f"command={command}\n"), encode_line("object-format=sha1\n"), DELIMITER]
    return b"".join([*lines, *(encode_line(f"{argument}\n") for argument in arguments), FLUSH])


def serve(both: Both, command: str, *arguments: str) -> bytes:
    return b"".join(serve_command(both.ours, build(command, *arguments)))


def test_capabilities_are_advertised() -> None:
    """The advertisement has the version, the commands and their features, and the format of objects."""
    content = advertise_capabilities(is_stateless=False)
    assert content.startswith(encode_line("version 2\n"))
    for line in ("ls-refs=unborn\n", "fetch=shallow wait-for-done filter\n", "object-format=sha1\n"):
        assert encode_line(line) in content
    assert content.endswith(FLUSH)


def test_refs_are_limited_to_prefixes(a_rich: Both) -> None:
    """Only refs that begin with one of the prefixes are listed, and symbolic ones with their targets if asked for."""
    sha = a_rich.ours.refs[MASTER]
    expected = encode_line(f"{sha} HEAD symref-target:{MASTER}\n") + encode_line(f"{sha} {MASTER}\n") + FLUSH
    assert expected == serve(a_rich, "ls-refs", "symrefs", "ref-prefix HEAD", f"ref-prefix {MASTER}")
    assert FLUSH == serve(a_rich, "ls-refs", "ref-prefix refs/nothing/")


def test_tags_are_peeled_if_asked_for(a_rich: Both) -> None:
    """An annotated tag is listed with the object that it points to."""
    assert b" peeled:" not in serve(a_rich, "ls-refs")
    assert b" peeled:" in serve(a_rich, "ls-refs", "peel")


def test_a_client_without_objects_does_not_negotiate(a_rich: Both) -> None:
    """Without haves the pack follows at once."""
    content = serve(a_rich, "fetch", f"want {a_rich.ours.refs[MASTER]}", "done")
    assert content.startswith(encode_line("packfile\n"))


def test_unknown_haves_are_not_acknowledged(a_rich: Both) -> None:
    """A round without common objects is answered with NAK, and no pack follows."""
    expected = encode_line("acknowledgments\n") + encode_line("NAK\n") + FLUSH
    assert expected == serve(a_rich, "fetch", f"want {a_rich.ours.refs[MASTER]}", f"have {'1' * 40}")


def test_the_pack_follows_a_common_object(a_rich: Both) -> None:
    """When everything wanted has a common ancestor, the answer is ready, unless the client waits for its done."""
    sha = a_rich.ours.refs[MASTER]
    parent = a_rich.git.sha(f"{sha}^")
    acknowledged = encode_line("acknowledgments\n") + encode_line(f"ACK {parent}\n")
    ready = acknowledged + encode_line("ready\n") + DELIMITER + encode_line("packfile\n")
    assert serve(a_rich, "fetch", f"want {sha}", f"have {parent}").startswith(ready)
    assert acknowledged + FLUSH == serve(a_rich, "fetch", "wait-for-done", f"want {sha}", f"have {parent}")


def test_the_new_boundary_precedes_the_pack(a_rich: Both) -> None:
    """A shallow fetch gets its boundary in a section of its own."""
    sha = a_rich.ours.refs[MASTER]
    content = serve(a_rich, "fetch", f"want {sha}", "deepen 1", "done")
    expected = encode_line("shallow-info\n") + encode_line(f"shallow {sha}") + DELIMITER + encode_line("packfile\n")
    assert content.startswith(expected)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        FLUSH,
        build("unknown"),
        build("fetch", "nonsense"),
        build("fetch", "filter sparse:oid=x"),
        build("fetch", "deepen 0"),
        build("ls-refs")[:-2],
        encode_line("command=fetch\n") * 2 + FLUSH,
        encode_line("command=ls-refs\n") + encode_line("object-format=sha256\n") + FLUSH,
    ],
)
def test_malformed_commands_are_refused(a_rich: Both, body: bytes) -> None:
    """What is no command of the protocol is refused, and so is another format of objects."""
    with pytest.raises(BadRequest):
        b"".join(serve_command(a_rich.ours, body))


def test_objects_that_no_ref_reaches_are_refused(a_rich: Both) -> None:
    """A wanted object that is not there is an error of the protocol."""
    assert encode_line(f"ERR upload-pack: not our ref {'1' * 40}") == serve(a_rich, "fetch", f"want {'1' * 40}")


def test_repositories_with_sha256_are_refused(a_rich: Both, tmp_path: Path) -> None:
    """git names the format of objects when a repository with SHA-256 is pushed or fetched into."""
    folder = tmp_path / "sha256"
    folder.mkdir()
    other = Git(folder, init=False)
    other("init", "-q", "--object-format=sha256")
    other.commit("first", {"a": "a"})
    with serving(a_rich.ours) as served:
        pushed = error_output(other.tried("push", served.url, "HEAD:refs/heads/other"))
        fetched = error_output(other.tried("fetch", served.url))
    assert "the receiving end does not support this repository's hash algorithm" in pushed
    assert "mismatched algorithms: client sha256; server sha1" in fetched
