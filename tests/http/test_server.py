"""A server of worlds: when it runs what a request has made due."""

import asyncio
from typing import Any

import aiohttp
import pytest

from fakeplat.http.server import WorldServer
from fakeplat.workbench.options import Options

PROJECT = "/api/v4/projects/acme%2Fsite"


async def _check_after_creation(server: WorldServer) -> str:
    """Create a merge request; return its merge status a moment after the response, without another request."""
    world = await server.open(Options("starter").bench())
    actions = [{"action": "create", "file_path": "new.txt", "content": "new"}]
    commit = {"branch": "new", "start_branch": "master", "commit_message": "New", "actions": actions}
    async with aiohttp.ClientSession(world.url, headers={"PRIVATE-TOKEN": "root-token"}) as session:
        await _post(session, "/repository/commits", commit)
        created = await _post(
            session, "/merge_requests", {"title": "New", "source_branch": "new", "target_branch": "master"}
        )
    await asyncio.sleep(0.05)
    merge_request = world.bench.platform.view.merge_requests[created["id"]]
    await server.close_all()
    return merge_request.merge_status


async def _post(session: aiohttp.ClientSession, path: str, body: dict[str, Any]) -> Any:
    async with session.post(PROJECT + path, json=body) as response:
        assert 201 == response.status, await response.text()
        return await response.json()


@pytest.mark.parametrize(("runs_ahead", "status"), [(True, "can_be_merged"), (False, "unchecked")])
async def test_what_is_due_runs_ahead_of_the_next_request(runs_ahead: bool, status: str) -> None:
    """A server that runs ahead checks a new merge request at once; another one with the next request."""
    assert status == await _check_after_creation(WorldServer(runs_ahead=runs_ahead))
