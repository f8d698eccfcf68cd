"""Tests that run on trio."""

from typing import Any

import httpx
import trio

import fakeplat

ADA = {"PRIVATE-TOKEN": "ada-token"}
HOOK = {"url": "https://bot.example.test", "issues_events": True}
SITE = "/api/v4/projects/acme%2Fsite"


def run(test: Any) -> None:
    """Run a test on trio with a served world, without pytest's plugins for asyncio."""

    async def main() -> None:
        async with fakeplat.start() as world:
            await test(world)

    trio.run(main)


def test_requests_and_deliveries_are_awaited() -> None:
    """On trio `until` awaits requests and deliveries."""

    async def test(world: fakeplat.Fakeplat) -> None:
        async with httpx.AsyncClient(base_url=world.url, headers=ADA) as client:
            await client.post(f"{SITE}/hooks", json=HOOK)
            await client.post(f"{SITE}/issues", json={"title": "x"})
        assert "create_issue" == (await world.requests.until(operation="create_issue"))[0].operation
        assert "held_back" == (await world.hooks.until("issue")).state

    run(test)


def test_the_transport_of_httpx() -> None:
    """In-process requests with callbacks and delays work on trio without asyncio."""

    async def test(world: fakeplat.Fakeplat) -> None:
        world.before("get_version", lambda each: each.as_user("ada").post("projects/5001/star"))
        world.faults.add(operation="get_version", latency="1ms")
        async with httpx.AsyncClient(transport=world.httpx_transport(), base_url=world.url, headers=ADA) as client:
            assert 200 == (await client.get("/api/v4/version")).status_code
            assert 200 == (await client.get("/_fakeplat/health")).status_code
        assert 1 == world.world.project(5001).star_count

    run(test)
