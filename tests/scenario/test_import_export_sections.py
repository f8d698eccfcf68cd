"""Exports and imports in scenarios, and back."""

import io
import tarfile
from base64 import b64encode
from typing import Any

import orjson
import pytest

from fakeplat.core.operations.http_messages import Request
from fakeplat.core.timestamps import MINUTE
from fakeplat.platform import Platform
from tests.scenario.answers import token_of
from tests.scenario.worlds import create_platform, reload_export

FAILURE = {
    "created_at": "2020-01-05T00:00:00.000Z",
    "exception_class": "BadArchiveError",
    "exception_message": "title is missing",
    "source": "process_relation_item!",
    "relation_name": "issues",
}
SITE = "projects/ada%2Fsite"


def load_project(**project: Any) -> Platform:
    site = {"path_with_namespace": "ada/site", "issues": [{"title": "One"}], **project}
    return create_platform({"users": ["ada"], "projects": [site]})


def get_json(platform: Platform, path: str) -> Any:
    headers = {"private-token": token_of(platform.view, "ada") or ""}
    return platform.handle(Request("GET", f"/api/v4/{path}", "", headers))


def read_export(platform: Platform, path: str) -> Any:
    return orjson.loads(get_json(platform, path).body)


def test_a_finished_export_is_declared() -> None:
    """The archive of a declared export contains the project's issues and is the same after a round trip."""
    platform = load_project(export={})
    body = get_json(platform, f"{SITE}/export/download").body
    with tarfile.open(fileobj=io.BytesIO(body)) as archive:
        issues = archive.extractfile("./tree/project/issues.ndjson")
        assert issues is not None
        assert "One" == orjson.loads(issues.read())["title"]

    assert "finished" == read_export(platform, f"{SITE}/export")["export_status"]
    assert body == get_json(reload_export(platform), f"{SITE}/export/download").body


@pytest.mark.parametrize("status", ["queued", "started"])
def test_an_export_in_progress_goes_on(status: str) -> None:
    """A declared export that is queued or started finishes as the clock advances."""
    platform = reload_export(load_project(export={"status": status}))
    assert status == read_export(platform, f"{SITE}/export")["export_status"]
    platform.advance(MINUTE)

    assert "finished" == read_export(platform, f"{SITE}/export")["export_status"]


def test_a_past_import_is_declared() -> None:
    """A finished import shows its correlation id and failed relations, also after a round trip."""
    declared = {"user": "ada", "correlation_id": "c" * 32, "failed_relations": [FAILURE]}
    platform = load_project(import_status="finished", **{"import": declared})
    status = read_export(platform, f"{SITE}/import")

    assert ("finished", "c" * 32, [{"id": 1, **FAILURE}]) == tuple(
        status[name] for name in ("import_status", "correlation_id", "failed_relations")
    )
    assert status["failed_relations"] == read_export(reload_export(platform), f"{SITE}/import")["failed_relations"]


def test_an_import_in_progress_goes_on() -> None:
    """A declared import of a damaged archive fails as the clock advances."""
    declared = {"user": "ada", "archive": b64encode(b"damaged").decode()}
    platform = reload_export(load_project(import_status="scheduled", **{"import": declared}))
    assert "scheduled" == read_export(platform, f"{SITE}/import")["import_status"]
    platform.advance(MINUTE)

    assert "failed" == read_export(platform, f"{SITE}/import")["import_status"]
