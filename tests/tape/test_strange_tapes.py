"""Answers that no server should give do no harm: what cannot be used is left out."""

import asyncio
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import orjson
import pytest
from attrs import evolve

from fakeplat import scenario
from fakeplat.core.operations.http_messages import Request, Response
from fakeplat.platform import Platform
from fakeplat.tape.export.crawler import ApiRefused, Crawl
from fakeplat.tape.export.from_tape import scenario_from_tape
from fakeplat.tape.export.pruning import prune
from fakeplat.tape.export.scenario_builder import build_scenario
from fakeplat.tape.formats.tape import Exchange, Tape, read
from fakeplat.tape.records.transports import Ask
from tests.scenario.worlds import create_platform
from tests.tape.busy import busy_starter
from tests.tape.sessions import record_session
from tests.tape.test_crawl_inside import use_everything
from tests.tape.test_verify import verify_tape

KEPT = Path(__file__).parents[1] / "tapes" / "python-gitlab.tape"
ODD: tuple[Any, ...] = (
    *(None, True, -1, 0, 1.5, 10**18, "", "x", "2020-13-45T00:00:00Z"),
    *([], [1], [None], {}, {"id": "x"}, {"id": [1]}),
)


def distort_value(value: Any, chance: Random, often: float) -> Any:
    """A JSON value with some parts that are others or are not there."""
    if chance.random() < often:
        return chance.choice(ODD)
    if isinstance(value, dict):
        return {key: distort_value(item, chance, often) for key, item in value.items() if chance.random() > often / 3}
    return [distort_value(item, chance, often) for item in value] if isinstance(value, list) else value


def distort_tape(tape: Tape, chance: Random) -> Tape:
    def body(content: bytes, often: float) -> bytes:
        return (
            orjson.dumps(distort_value(orjson.loads(content), chance, often))
            if content[:1] in (b"{", b"[")
            else content
        )

    def distort_exchange(exchange: Exchange) -> Exchange:
        request = evolve(exchange.request, body=body(exchange.request.body, 0.1))
        response = evolve(exchange.response, body=body(exchange.response.body, 0.02))
        return evolve(exchange, request=request, response=response)

    return evolve(tape, exchanges=tuple(map(distort_exchange, tape)), head=evolve(tape.head, fakeplat=None))


@pytest.mark.parametrize("seed", range(6))
def test_any_tape_makes_a_world(seed: int) -> None:
    """A scenario built from a distorted tape can be loaded."""
    built = scenario_from_tape(distort_tape(read(KEPT), Random(seed))).scenario

    assert scenario.base_world(scenario.get_scenario(built)).state is not None


@pytest.mark.parametrize("seed", range(6))
def test_any_tape_can_be_verified(seed: int) -> None:
    """Verifying a distorted tape accounts for each exchange and reports drift."""
    tape = distort_tape(read(KEPT), Random(seed))
    report = verify_tape(tape, create_platform("starter"))

    assert len(tape) == report.played.total()
    assert {"status", "value", "type", "missing", "extra"} & {drift.difference.kind.value for drift in report.drifts}


@pytest.mark.parametrize("seed", range(6))
def test_a_tape_of_strange_comments_makes_a_world(seed: int, tmp_path: Path) -> None:
    """A scenario built from a tape with distorted threads and merge requests can be loaded."""
    tape = record_session(busy_starter(), tmp_path / "busy.tape", use_everything)
    built = scenario_from_tape(distort_tape(tape, Random(seed))).scenario

    assert scenario.base_world(scenario.get_scenario(built)).state is not None


@pytest.mark.parametrize(
    "world", [partial(create_platform, "starter"), partial(busy_starter, "premium")], ids=["starter", "busy"]
)
@pytest.mark.parametrize("seed", range(6))
def test_a_strange_server_can_be_crawled(seed: int, world: Callable[[], Platform]) -> None:
    """A crawl of a server with distorted responses yields a scenario that loads, or one line of error."""
    platform, chance = world(), Random(seed)

    async def ask(request: Request) -> Response:
        return _answer_strangely(platform, request, chance)

    crawled, refusal = _try_crawl(ask)

    assert (crawled is None) == (len(refusal.splitlines()) == 1)
    assert scenario.base_world(scenario.get_scenario(crawled or {})).state is not None


def _try_crawl(ask: Ask) -> tuple[dict[str, Any] | None, str]:
    """The scenario, or why there is none."""
    try:
        seen = asyncio.run(Crawl(ask, "root-token").read(["acme/site", "acme/docs"], ["acme"]))
    except ApiRefused as refused:
        return None, str(refused)
    return prune(build_scenario(seen)).scenario, ""


def _answer_strangely(platform: Platform, request: Request, chance: Random) -> Response:
    response = platform.handle(request)
    if not response.body.startswith((b"{", b"[")):
        return response
    return evolve(response, body=orjson.dumps(distort_value(orjson.loads(response.body), chance, 0.01)))


def test_pages_that_go_round_in_a_circle_end() -> None:
    """A crawl ends even if the next page is always one that was already read."""
    platform = create_platform("starter")

    async def ask(request: Request) -> Response:
        response = platform.handle(request)
        again = f'<http://localhost{request.path}?{request.query}>; rel="next"'
        return evolve(response, headers=(*response.headers, ("Link", again)))

    seen = asyncio.run(Crawl(ask, "root-token").read(["acme/site"], []))

    assert "acme/site" in [row["path_with_namespace"] for row in seen.of_kind("project")]
