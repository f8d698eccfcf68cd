"""Requests that were damaged on the way never break the server."""

from collections.abc import Callable
from random import Random

import pytest

from fakeplat.git import Repository, packs, receive_pack, upload_pack
from fakeplat.git.errors import GitError
from fakeplat.git.name_checks import ZERO_SHA
from fakeplat.git.pktline import FLUSH, encode_line
from fakeplat.git.reachability import list_reachable
from tests.git.conftest import Both


def build_fetch(repository: Repository) -> bytes:
    head, light = repository.resolve("HEAD"), repository.resolve("light")
    return b"".join(
        [
            encode_line(f"want {head} multi_ack_detailed side-band-64k no-done deepen-relative include-tag\n"),
            *(
                encode_line(f"want {repository.refs['refs/tags/v1.0']}\n"),
                encode_line(f"shallow {light}"),
                encode_line("deepen 2"),
            ),
            *(encode_line("deepen-not feature"), FLUSH, encode_line(f"have {light}\n"), FLUSH, encode_line("done\n")),
        ]
    )


def build_push(repository: Repository) -> bytes:
    head, light = repository.resolve("HEAD"), repository.resolve("light")
    return b"".join(
        [
            encode_line(f"{ZERO_SHA} {head} refs/heads/x\0 report-status side-band-64k push-options"),
            *(
                encode_line(f"{light} {head} refs/tags/light"),
                encode_line(f"{head} {ZERO_SHA} refs/heads/master"),
                FLUSH,
            ),
            *(encode_line("option=1"), FLUSH),
            *packs.write_pack(repository.objects, list_reachable(repository.objects, [head])),
        ]
    )


def damage_request(request: bytes, chance: Random) -> bytes:
    """With a byte changed, a few left out or put in, or the end cut off; mostly near the start, where the words are."""
    content = bytearray(request)
    for _ in range(chance.randrange(1, 4)):
        at = chance.randrange(min(len(content), 400 if chance.random() < 0.7 else len(content)))
        match chance.randrange(4):
            case 0:
                content[at] = chance.randrange(256)
            case 1:
                del content[at : at + chance.randrange(1, 9)]
            case 2:
                content[at:at] = bytes(chance.choices(b"0123456789abcdef \0\n", k=chance.randrange(1, 9)))
            case _:
                del content[at + 1 :]
    return bytes(content)


@pytest.mark.parametrize("request_of", [build_fetch, build_push])
def test_damage_is_answered_or_refused(a_rich: Both, request_of: Callable[[Repository], bytes]) -> None:
    """Each of 1,500 damaged requests is answered or refused with GitError, and the refs never change."""
    chance, ours = Random(4), a_rich.ours
    refs, outcomes = dict(ours.refs), {"answered": 0, "refused": 0}
    whole = request_of(ours)
    for _ in range(1500):
        body = damage_request(whole, chance)
        try:
            if request_of is build_fetch:
                b"".join(upload_pack(ours, body))
            else:
                receive_pack(ours, body, lambda update: None if update.is_fast_forward else "no").answer(["hello"])
            outcomes["answered"] += 1
        except GitError:
            outcomes["refused"] += 1
    assert all(count > 100 for count in outcomes.values())
    assert refs == ours.refs
