"""The recording proxy between a client and a server, both real."""

import gzip
from base64 import b64encode
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession, web
from aiohttp.test_utils import RawTestServer

from fakeplat.http.listener import listen
from fakeplat.tape.formats.tape import InitialWorld, Tape, read
from fakeplat.tape.record.proxy import LIMITS, Proxy
from fakeplat.tape.record.recorder import Recorder, TapeFile
from tests.http.wire import receive_all

Answer = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]
USERS = {"Sq7.ada-zW9": "ada", "Sq7.mia-zW9": "mia"}


class Setting:
    """A server, a proxy in front of it, a client and the tape."""

    def __init__(self, folder: Path, answer: Answer) -> None:
        self.answer = answer
        self.path = folder / "tape"
        self.asked: list[web.BaseRequest] = []

    async def serve(self, request: web.BaseRequest) -> web.StreamResponse:
        self.asked.append(request)
        if request.path == "/api/v4/user":
            token = request.headers.get("PRIVATE-TOKEN") or request.headers.get("Authorization", "").removeprefix(
                "Bearer "
            )
            return web.json_response({"username": USERS[token]} if token in USERS else {}, status=200)
        if request.path.startswith("/_fakeplat/"):
            return web.Response(status=404)
        return await self.answer(request)

    @asynccontextmanager
    async def recording(self, **users: str) -> AsyncIterator[tuple[ClientSession, str, RawTestServer]]:
        upstream = RawTestServer(self.serve)
        await upstream.start_server()
        self.upstream = str(upstream.make_url("")).rstrip("/")
        recorder = Recorder(TapeFile(self.path), {name.replace("_", ":"): user for name, user in users.items()})
        proxy = Proxy(self.upstream, recorder)
        assert await proxy.open()
        listening = await listen(proxy.answer, LIMITS)
        async with ClientSession() as client:
            yield client, listening.url, upstream
        await listening.close()
        await upstream.close()
        await proxy.close()
        recorder.close()

    @property
    def tape(self) -> Tape:
        return read(self.path)


async def answer_hello(request: web.BaseRequest) -> web.StreamResponse:
    return web.json_response({"path": request.raw_path, "method": request.method})


async def test_requests_and_answers_pass_as_they_are(tmp_path: Path) -> None:
    """The proxy passes on method, raw path, query, body, status and repeated headers unchanged."""

    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        response = web.Response(status=201, body=await request.read(), headers={"X-Total": "1"})
        response.headers.add("Set-Cookie", "a=Sq7.first-zW9")
        response.headers.add("Set-Cookie", "b=Sq7.second-zW9")
        return response

    setting = Setting(tmp_path, answer)
    async with setting.recording() as (client, url, _):
        target = f"{url}/api/v4/projects/acme%2Fsite?x=%20&y[]=1"
        from yarl import URL

        async with client.post(URL(target, encoded=True), data=b"\x00\xff", headers={"Accept": "a/b"}) as got:
            assert (201, b"\x00\xff", "1") == (got.status, await got.read(), got.headers["X-Total"])
            assert ["a=Sq7.first-zW9", "b=Sq7.second-zW9"] == got.headers.getall("Set-Cookie")
    (asked,) = [request for request in setting.asked if request.method == "POST"]
    assert ("/api/v4/projects/acme%2Fsite?x=%20&y[]=1", "a/b", "identity") == (
        asked.raw_path,
        asked.headers["Accept"],
        asked.headers["Accept-Encoding"],
    )
    (exchange,) = setting.tape
    assert ("POST", "/api/v4/projects/acme%2Fsite", "x=%20&y[]=1", b"\x00\xff") == (
        exchange.request.method,
        exchange.request.path,
        exchange.request.query,
        exchange.request.body,
    )
    assert ["a=<cookie:1>", "b=<cookie:2>"] == [
        value for name, value in exchange.response.headers if name == "Set-Cookie"
    ]


async def test_urls_name_the_proxy_for_the_client_and_the_server_on_the_tape(tmp_path: Path) -> None:
    """URLs in headers and bodies name the proxy for the client and the upstream on the tape."""

    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        here = f"http://{request.headers['Host']}"
        return web.Response(status=302, text=f'{{"url": "{here}/x"}}', headers={"Location": f"{here}/next"})

    setting = Setting(tmp_path, answer)
    async with setting.recording() as (client, url, _):
        async with client.get(f"{url}/a", allow_redirects=False) as got:
            assert (302, f"{url}/next", f'{{"url": "{url}/x"}}') == (
                got.status,
                got.headers["Location"],
                await got.text(),
            )
        async with client.post(f"{url}/a", json={"url": f"{url}/hook"}, allow_redirects=False):
            assert f'{{"url": "{setting.upstream}/hook"}}'.encode() == setting.tape.exchanges[1].request.body
    first = setting.tape.exchanges[0]
    assert f'{{"url": "{setting.upstream}/x"}}'.encode() == first.response.body
    assert ("Location", f"{setting.upstream}/next") in first.response.headers
    assert setting.upstream == setting.tape.head.upstream


async def test_the_tape_says_whose_a_token_was(tmp_path: Path) -> None:
    """The proxy asks the server once per new token for its user, unless the user was given before."""
    setting = Setting(tmp_path, answer_hello)
    async with setting.recording(pat_2="told") as (client, url, _):
        for token in ("Sq7.ada-zW9", "Sq7.other-zW9", "Sq7.ada-zW9", "Sq7.nobody-zW9", "Sq7.nobody-zW9"):
            await client.get(f"{url}/a", headers={"PRIVATE-TOKEN": token})
        await client.get(f"{url}/a", headers={"Authorization": "Bearer Sq7.mia-zW9"})
    assert {"pat:1": "ada", "pat:2": "told", "oauth:1": "mia"} == setting.tape.head.users
    assert 4 == len([request for request in setting.asked if request.path == "/api/v4/user"])
    assert "zW9" not in setting.path.read_text("utf-8")


async def test_a_compressed_answer_is_plain_for_client_and_tape(tmp_path: Path) -> None:
    """The proxy decompresses responses with a content encoding and keeps compressed files as they are."""

    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        if request.path == "/file":
            return web.Response(body=gzip.compress(b"file", mtime=0), content_type="application/gzip")
        headers = {"Content-Encoding": "gzip", "Content-Type": "application/json"}
        return web.Response(body=gzip.compress(b'{"token": "Sq7.zipped-zW9"}', mtime=0), headers=headers)

    setting = Setting(tmp_path, answer)
    async with setting.recording() as (client, url, _):
        async with client.get(f"{url}/a") as got:
            assert b'{"token": "Sq7.zipped-zW9"}' == await got.read()
        async with client.get(f"{url}/file") as got:
            assert b"file" == gzip.decompress(await got.read())
    assert b'{"token": "<token:1>"}' == setting.tape.exchanges[0].response.body
    assert b"file" == gzip.decompress(setting.tape.exchanges[1].response.body)


async def test_a_server_that_is_gone_is_502_and_not_on_the_tape(tmp_path: Path) -> None:
    """If the server does not respond, the client gets 502 and the tape no exchange."""
    setting = Setting(tmp_path, answer_hello)
    async with setting.recording() as (client, url, upstream):
        await client.get(f"{url}/a")
        await upstream.close()
        async with client.get(f"{url}/b") as got:
            assert 502 == got.status
            assert f"the upstream {setting.upstream} does not answer" in (await got.json())["error"]
    assert ["/a"] == [exchange.request.path for exchange in setting.tape]


async def test_a_server_that_comes_late_is_recorded_from_then_on(tmp_path: Path) -> None:
    """A tape of a server that never responds has its head and no exchange."""
    recorder = Recorder(TapeFile(tmp_path / "tape"))
    proxy = Proxy("http://127.0.0.1:9", recorder)
    assert not await proxy.open()
    await proxy.close()
    recorder.close()
    assert ("http://127.0.0.1:9", 0) == (read(tmp_path / "tape").head.upstream, len(read(tmp_path / "tape")))


async def test_every_exchange_is_on_the_disk_once_it_is_answered(tmp_path: Path) -> None:
    """Each exchange is on disk as soon as the client has its response."""
    setting = Setting(tmp_path, answer_hello)
    async with setting.recording() as (client, url, _):
        for number in (1, 2, 3):
            await client.get(f"{url}/{number}")
            assert number == len(setting.tape)


async def test_a_foreign_host_is_refused(tmp_path: Path) -> None:
    """The proxy refuses a request with a foreign Host header."""
    setting = Setting(tmp_path, answer_hello)
    async with setting.recording() as (client, url, _), client.get(url, headers={"Host": "evil.example"}) as got:
        assert 400 == got.status


async def test_the_tape_of_a_fakeplat_says_where_its_world_began(tmp_path: Path, fakeplat: Any) -> None:
    """The tape of a fakeplat contains the scenario, seed and clock that its control routes return."""
    recorder = Recorder(TapeFile(tmp_path / "tape"))
    proxy = Proxy(fakeplat.url, recorder)
    assert await proxy.open()
    await proxy.close()
    recorder.close()
    began = {"kind": "auto", "start": fakeplat.clock.now}
    assert InitialWorld("starter", fakeplat.bench.seed, began) == read(tmp_path / "tape").head.fakeplat


async def test_the_tape_says_whose_a_token_was_that_git_sent(tmp_path: Path) -> None:
    """The proxy finds the user of a token that git sends as a password with Basic authentication."""
    setting = Setting(tmp_path, answer_hello)
    async with setting.recording() as (client, url, _):
        for password in ("Sq7.ada-zW9", "Sq7.nobody-zW9", "Sq7.ada-zW9"):
            basic = b64encode(f"oauth2:{password}".encode()).decode()
            await client.get(f"{url}/x.git/info/refs", headers={"Authorization": f"Basic {basic}"})
    credentials = [exchange.request.headers["authorization"] for exchange in setting.tape]
    assert ["Basic oauth2:<pat:1>", "Basic oauth2:<password:1>", "Basic oauth2:<pat:1>"] == credentials
    assert {"pat:1": "ada"} == setting.tape.head.users


@pytest.mark.parametrize("line", ['{"a": 1}', "text"])
async def test_head_requests_have_no_body(tmp_path: Path, line: str) -> None:
    """The response to a HEAD request has no body for the client and on the tape."""

    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        return web.Response(text=line)

    setting = Setting(tmp_path, answer)
    async with setting.recording() as (client, url, _), client.head(f"{url}/a") as got:
        assert (200, b"") == (got.status, await got.read())
    assert b"" == setting.tape.exchanges[0].response.body


async def test_absolute_targets_and_strange_ones_are_passed_on(tmp_path: Path) -> None:
    """An absolute request target overrides the Host header; any target that begins with a slash is a path."""
    setting = Setting(tmp_path, answer_hello)
    async with setting.recording() as (_, url, _):
        port = int(url.rpartition(":")[2])
        for target, path in ((f"{url}/a%2Fb?x=1", "/a%2Fb?x=1"), ("//[", "//["), ("/c#d", "/c")):
            head = f"GET {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
            got = await receive_all(port, head.encode())
            assert f'"path": "{path}"'.encode() in got
        got = await receive_all(
            port, b"GET http://evil.test/a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        )
        assert got.startswith(b"HTTP/1.1 400 ")
