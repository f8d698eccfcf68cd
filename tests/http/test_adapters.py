"""Worlds without a port: ASGI, aiohttp, requests and httpx, by their own clients and servers."""

import gzip
import inspect
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

import gitlab
import httpx
import pytest
import requests
import trustme
import uvicorn
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.testclient import TestClient

import fakeplat
from fakeplat.asgi import create_app
from fakeplat.harness.fake import Fakeplat
from fakeplat.workbench.keywords import InvalidOption
from tests.harness.test_plugin import run, session

__all__ = ["session"]

SITE = "/api/v4/projects/acme%2Fsite"
TOKEN = {"PRIVATE-TOKEN": "ada-token"}
URL = "http://fakeplat.test"


@pytest.fixture
def world() -> Iterator[Fakeplat]:
    with fakeplat.start(listen=False) as world:
        yield world


def open_session(world: Fakeplat) -> requests.Session:
    session = requests.Session()
    session.mount(world.url, world.requests_adapter())
    return session


def test_a_world_without_a_port(world: Fakeplat) -> None:
    """A world that does not listen has a default origin or the chosen base URL, and no `listen_url`."""
    assert URL == world.url
    with pytest.raises(RuntimeError, match="listen=False"):
        assert world.listen_url
    with fakeplat.start(listen=False, base_url="https://git.example.test") as named:
        assert (
            "https://git.example.test/acme/site" == named.as_user("ada").get("projects/acme%2Fsite").json()["web_url"]
        )


def test_python_gitlab_by_the_adapter(world: Fakeplat) -> None:
    """python-gitlab works through the requests adapter: lists, forms, uploads and errors."""
    client = gitlab.Gitlab(world.url, private_token="ada-token", session=open_session(world))
    project = client.projects.get("acme/site")
    issue = project.issues.create({"title": "Broken"})
    upload = project.upload("log.txt", filedata=b"text")

    assert f"{URL}/acme/site/-/issues/{issue.iid}" == issue.web_url
    assert len(client.projects.list(iterator=True)) == len(client.projects.list(get_all=True))
    assert upload["url"].endswith("/log.txt")
    with pytest.raises(gitlab.GitlabGetError, match="404"):
        client.projects.get("acme/none")
    assert "create_issue" in [entry.operation for entry in world.requests]


def test_requests_sees_headers_and_redirects(world: Fakeplat) -> None:
    """requests gets headers, links, redirects and empty HEAD bodies through the adapter as from a server."""
    session = open_session(world)
    listed = session.get(f"{URL}/api/v4/projects?per_page=1", headers=TOKEN)
    moved = session.get(f"{URL}/acme/site/info/refs?service=git-upload-pack", auth=("ada", "ada-token"))

    assert "application/json" == listed.headers["content-type"]
    assert listed.links["next"]["url"].startswith(f"{URL}/api/v4/projects?")
    assert str(len(listed.content)) == listed.headers["Content-Length"]
    assert [301] == [response.status_code for response in moved.history]
    assert f"{URL}/acme/site.git/info/refs?service=git-upload-pack" == moved.url
    head = session.head(f"{URL}{SITE}", headers=TOKEN)
    assert (200, b"") == (head.status_code, head.content)


def test_bodies_of_requests(world: Fakeplat) -> None:
    """The requests adapter accepts texts, generators and gzipped bodies, and a damaged body gets 400."""
    session = open_session(world)
    url = f"{URL}{SITE}/issues"
    json = {**TOKEN, "Content-Type": "application/json"}

    assert 201 == session.post(url, data='{"title": "text"}', headers=json).status_code
    assert 201 == session.post(url, data=(part for part in (b'{"title":', b' "parts"}')), headers=json).status_code
    zipped = {**json, "Content-Encoding": "gzip"}
    assert 201 == session.post(url, data=gzip.compress(b'{"title": "zipped"}'), headers=zipped).status_code
    assert 400 == session.post(url, data=b"no gzip", headers=zipped).status_code


@pytest.mark.parametrize(
    ("fault", "raised"),
    [
        ("timeout", requests.ReadTimeout),
        ("reset", requests.ConnectionError),
        ("lost_reply", requests.ConnectionError),
        ("truncated", requests.ConnectionError),
    ],
)
def test_lost_responses_in_requests(world: Fakeplat, fault: str, raised: type[Exception]) -> None:
    """Faults of the connection raise the exceptions of requests."""
    world.faults.add({"operation": "get_project", "connection": fault, "once": True})
    session = open_session(world)
    with pytest.raises(raised):
        session.get(f"{URL}{SITE}", headers=TOKEN)
    assert 200 == session.get(f"{URL}{SITE}", headers=TOKEN).status_code


@pytest.mark.parametrize(
    ("fault", "raised"),
    [
        ("timeout", httpx.ReadTimeout),
        ("reset", httpx.ReadError),
        ("lost_reply", httpx.RemoteProtocolError),
        ("truncated", httpx.RemoteProtocolError),
    ],
)
async def test_lost_responses_in_httpx(world: Fakeplat, fault: str, raised: type[Exception]) -> None:
    """Faults of the connection raise the exceptions of httpx."""
    world.faults.add({"operation": "get_project", "connection": fault, "once": True})
    async with httpx.AsyncClient(transport=world.httpx_transport(), base_url=URL, headers=TOKEN) as client:
        with pytest.raises(raised):
            await client.get(SITE)
        assert 200 == (await client.get(SITE)).status_code


def test_a_synchronous_client_of_httpx(world: Fakeplat) -> None:
    """The httpx transport serves synchronous clients, and a late response is a ReadTimeout."""
    world.faults.add({"operation": "get_project", "latency": 9, "once": True})
    with httpx.Client(transport=world.httpx_transport(), base_url=URL, headers=TOKEN, timeout=5) as client:
        with pytest.raises(httpx.ReadTimeout):
            client.get(SITE)
        assert 200 == client.get(SITE).status_code


async def test_httpx_by_asgi(world: Fakeplat) -> None:
    """The ASGI application serves httpx with the client's host, and control routes, too."""
    transport = httpx.ASGITransport(world.asgi)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost", headers=TOKEN) as client:
        created = await client.post(f"{SITE}/issues", json={"title": "Ünïcode"})
        assert (201, "Ünïcode") == (created.status_code, created.json()["title"])
        assert created.json()["web_url"].startswith("http://localhost/acme/site/")
        assert 200 == (await client.get("/_fakeplat/requests")).status_code


async def test_a_lost_response_is_an_error_of_the_application(world: Fakeplat) -> None:
    """A fault that loses a response is an exception of the ASGI application."""
    world.faults.add({"operation": "get_project", "connection": "reset"})
    async with httpx.AsyncClient(transport=httpx.ASGITransport(world.asgi), base_url=URL, headers=TOKEN) as client:
        with pytest.raises(ConnectionResetError):
            await client.get(SITE)


def test_starlette_mounts_it(world: Fakeplat) -> None:
    """The ASGI application can be mounted in Starlette and used with its test client."""
    with TestClient(Starlette(routes=[Mount("/", world.asgi)])) as client:
        assert "Site" == client.get(SITE, headers=TOKEN).json()["name"]


async def test_aiohttp_serves_it(world: Fakeplat, aiohttp_client: Any) -> None:
    """The aiohttp application can be served by the fixtures of pytest-aiohttp."""
    client = await aiohttp_client(world.aiohttp_app())
    response = await client.get(SITE, headers=TOKEN)
    assert "Site" == (await response.json())["name"]
    posted = await client.post(f"{SITE}/issues", data={"title": "form"}, headers=TOKEN)
    assert 201 == posted.status


class Server(uvicorn.Server):
    """A server on a thread."""

    def install_signal_handlers(self) -> None:
        """Leave the signals to pytest."""


@contextmanager
def serve(config: uvicorn.Config) -> Iterator[int]:
    """The port of a running server."""
    server = Server(config)
    thread = Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive()
            thread.join(0.01)
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        thread.join()


@pytest.mark.parametrize("fault", ["reset", "lost_reply", "truncated"])
@pytest.mark.parametrize("protocol", ["h11", "httptools"])
def test_uvicorn_ends_the_connection_of_a_lost_response(world: Fakeplat, fault: str, protocol: Any) -> None:
    """Under uvicorn a lost response ends the connection without a 500."""
    world.faults.add({"operation": "delete_project", "connection": fault, "times": 1})
    config = uvicorn.Config(world.asgi, port=0, log_level="critical", http=protocol)
    with serve(config) as port, httpx.Client(base_url=f"http://127.0.0.1:{port}", headers=TOKEN) as client:
        with pytest.raises(httpx.RemoteProtocolError):
            client.delete(SITE)
        assert (404 if fault != "reset" else 200) == client.get(SITE).status_code


def test_uvicorn_serves_it_over_tls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """uvicorn serves the application over TLS, with options from the environment."""
    authority = trustme.CA()
    certificate = authority.issue_cert("localhost")
    certificate.private_key_and_cert_chain_pem.write_to_path(tmp_path / "server.pem")
    context = ssl.create_default_context()
    authority.configure_trust(context)
    monkeypatch.setenv("FAKEPLAT_TIER", "premium")
    config = uvicorn.Config(
        "fakeplat.asgi:create_app", factory=True, port=0, ssl_certfile=tmp_path / "server.pem", log_level="warning"
    )
    with serve(config) as port:
        origin = f"https://localhost:{port}"
        body = httpx.get(f"{origin}{SITE}", headers=TOKEN, verify=context).json()
        assert f"{origin}/acme/site" == body["web_url"]
        assert 400 == httpx.get(f"{origin}/api/v4/version", headers={"Host": "x.test"}, verify=context).status_code


def test_a_suite_that_forbids_sockets(session: pytest.Pytester) -> None:
    """A world that does not listen works under pytest-socket, which forbids sockets."""
    result = run(
        session,
        """
        import pytest
        import requests

        @pytest.mark.fakeplat(listen=False)
        def test_reads(fakeplat):
            session = requests.Session()
            session.mount(fakeplat.url, fakeplat.requests_adapter())
            response = session.get(f"{fakeplat.api_url}/user", headers={"PRIVATE-TOKEN": fakeplat.token("ada")})
            assert response.json()["username"] == "ada"
            assert fakeplat.as_user("dev").get("user").json()["username"] == "dev"
        """,
        "--disable-socket",
    )
    result.assert_outcomes(passed=1)


def test_clients_of_a_served_world_need_no_port_either(fakeplat: Fakeplat) -> None:
    """A write through the adapter is visible in the served world."""
    session = open_session(fakeplat)
    session.post(f"{fakeplat.api_url}/projects/acme%2Fsite/star", headers=TOKEN)
    assert 1 == fakeplat.world.project("acme/site").star_count
    assert inspect.iscoroutinefunction(fakeplat.asgi.__call__)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [("SEED", "abc", "seed: 'abc' is not a whole number"), ("BASE_URL", "foo", "base_url: 'foo' is not an origin")],
)
def test_options_in_the_environment_are_checked(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, message: str
) -> None:
    """Invalid options in the environment are refused when the application is created."""
    monkeypatch.setenv(f"FAKEPLAT_{name}", value)
    with pytest.raises(InvalidOption, match=f"^{message}"):
        create_app()
