"""The crawler of what belongs to pipelines and deployments of a project or group."""

from typing import Final

from fakeplat.tape.export.api_reader import PAGE, ApiReader, find_header
from fakeplat.tape.export.subresources import (
    BRIDGES,
    DELIVERY,
    DEPLOY_TOKENS,
    JOBS,
    PIPELINES,
    RESOURCE_GROUPS,
    SCHEDULES,
    VARIABLES,
)
from fakeplat.tape.records.json_objects import Document, iterate_objects
from fakeplat.tape.records.record_kinds import RUNNER
from fakeplat.tape.records.recorded_requests import json_or_none

_RUNNERS: Final = "runners"
_NEWEST: Final = 100
"""How many pipelines of a project are read: one page, since each takes several requests."""
_WITH_RETRIED: Final = f"{PAGE}&include_retried=true"
_OF_GROUPS: Final = (VARIABLES, DEPLOY_TOKENS, _RUNNERS)
_READ_OTHERWISE: Final = (PIPELINES, JOBS, SCHEDULES, RESOURCE_GROUPS)
"""Resource groups have no list in this release; jobs name them."""
_OF_PROJECTS: Final = (*(name for name in DELIVERY if name not in _READ_OTHERWISE), _RUNNERS)


async def crawl_project(reader: ApiReader, container: str) -> None:
    """Read a project's newest pipelines with their jobs, and everything that they use, as far as the token may."""
    for name in _OF_PROJECTS:
        await reader.read_all(f"{container}/{name}", PAGE)
    for schedule in [row async for row in reader.iterate_rows(f"{container}/{SCHEDULES}", PAGE)]:
        await reader.page(f"{container}/{SCHEDULES}/{schedule.get('id')}", "")
    for pipeline in await _list_newest(reader, f"{container}/{PIPELINES}"):
        path = f"{container}/{PIPELINES}/{pipeline.get('id')}"
        await reader.page(path, "")
        for name in (JOBS, BRIDGES):
            await reader.read_all(f"{path}/{name}", _WITH_RETRIED)
        await reader.read_optional(f"{path}/{VARIABLES}")


async def _list_newest(reader: ApiReader, path: str) -> list[Document]:
    """Return the pipelines on the first page of a list; those of further pages are counted as unread."""
    response = await reader.get(path, f"per_page={_NEWEST}")
    rows = list(iterate_objects(json_or_none(response.body))) if response.status == 200 else []
    total = find_header(response, "x-total") or ""
    if total.isdigit() and int(total) > len(rows):
        reader.unread["older pipelines"] += int(total) - len(rows)
    return rows


async def crawl_group(reader: ApiReader, container: str) -> None:
    """Read the variables, deploy tokens and runners of a group, as far as the token may."""
    for name in _OF_GROUPS:
        await reader.read_all(f"{container}/{name}", PAGE)


async def crawl_runners(reader: ApiReader) -> None:
    """Read the runners that projects or groups listed, with their projects and groups."""
    for runner in reader.observations.of_kind(RUNNER):
        await reader.page(f"{_RUNNERS}/{runner['id']}", "")
