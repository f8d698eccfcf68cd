"""Fetches, pushes and archives over SSH, translated into the requests of git over HTTP.

Over HTTP each request repeats what the ones before it said. A session collects that, and sends of each response only
what the client has not got yet. Version 2 of the protocol has no such state.
"""

from collections.abc import Awaitable, Callable
from typing import Final

from fakeplat.git import protocol_v2
from fakeplat.git.framing import PackEnd
from fakeplat.git.name_checks import ZERO_SHA
from fakeplat.git.packs import Limits as PackLimits
from fakeplat.git.pktline import FLUSH, Lines, decode_text
from fakeplat.git.ref_advertisement import Service
from fakeplat.http.ssh.streams import Disconnected, Stream

Exchange = Callable[[str, bytes], Awaitable[bytes]]
"""Sends a request to a service of the repository, with a body, and returns the body of the response."""
_NOTHING: Final = b""


async def fetch(stream: Stream, exchange: Exchange, git_protocol: str | None) -> None:
    """Serve `git-upload-pack` after its advertisement."""
    if protocol_v2.requested_version(git_protocol) == 2:
        await _fetch_in_commands(stream, exchange)
    else:
        await _fetch_in_rounds(stream, exchange)


async def _fetch_in_commands(stream: Stream, exchange: Exchange) -> None:
    while True:
        try:
            command = await _read_command(stream)
        except Disconnected:
            return
        if command == FLUSH:
            return
        await stream.write(await exchange(Service.UPLOAD.value, command))


async def _read_command(stream: Stream) -> bytes:
    """Return a command; unlike in version 0, the line ``done`` is one of its arguments."""
    command = await stream.read_section()
    while not command.endswith(FLUSH):
        command += await stream.read_section()
    return command


async def _fetch_in_rounds(stream: Stream, exchange: Exchange) -> None:
    request = await stream.read_section()
    if request == FLUSH:  # the client has everything
        return
    sent = _NOTHING
    if _limits_depth(request):
        # The client waits for its new boundary before it says what it has.
        sent = await exchange(Service.UPLOAD.value, request)
        await stream.write(sent)
    is_done = False
    while not is_done:
        line = await stream.read_section()
        is_done = not line.endswith(FLUSH)
        request += line
        response = await exchange(Service.UPLOAD.value, request)
        await stream.write(response.removeprefix(sent))
        sent = response


def _limits_depth(request: bytes) -> bool:
    return any(line.startswith(b"deepen") for line in Lines(request).section())


async def push(stream: Stream, exchange: Exchange, limits: PackLimits) -> None:
    """Serve `git-receive-pack` after its advertisement."""
    request = await stream.read_section()
    if request == FLUSH:  # there is nothing to push
        return
    lines = [decode_text(line) for line in Lines(request).section()]
    if any("push-options" in line.partition("\0")[2].split() for line in lines):
        request += await stream.read_section()
    # A push that only deletes has no pack.
    if any(_creates(line.partition("\0")[0]) for line in lines):
        request += await _read_pack(stream, limits)
    await stream.write(await exchange(Service.RECEIVE.value, request))


def _creates(command: str) -> bool:
    words = command.split(" ")
    return len(words) > 2 and words[1] != ZERO_SHA


async def _read_pack(stream: Stream, limits: PackLimits) -> bytes:
    """Return a pack, whose end many clients do not mark by the end of their input."""
    end, pack = PackEnd(limits), bytearray()
    while not end.is_complete:
        try:
            content = await stream.read_some()
        except Disconnected:
            break  # what is there is refused as an incomplete pack
        pack += content
        end.feed(content)
    return bytes(pack)


async def send_archive(stream: Stream, exchange: Exchange) -> None:
    """Serve `git-upload-archive`, which has no advertisement."""
    await stream.write(await exchange("git-upload-archive", await stream.read_section()))
