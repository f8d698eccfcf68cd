"""Connectors that copy the data of projects into warehouses, unchanged, against a served world."""

import json
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.clients.environments import PythonClient

pytestmark = [pytest.mark.clients, pytest.mark.fakeplat(version="latest", tier="ultimate")]

AIRBYTE = PythonClient("airbyte-source-gitlab", "4.3.7", python="3.11")
Messages = list[dict[str, Any]]


def run_source(folder: Path, *arguments: str) -> Messages:
    """Run the connector in a folder and return its messages."""
    AIRBYTE.make()
    done = subprocess.run(
        [AIRBYTE.program("source-gitlab"), *arguments],
        cwd=folder,
        env={"PATH": AIRBYTE.search_path, "HOME": str(folder)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert 0 == done.returncode, done.stdout + done.stderr
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def write(folder: Path, name: str, content: object) -> str:
    folder.joinpath(name).write_text(json.dumps(content), "utf-8")
    return name


@pytest.fixture
def configuration(fakeplat: Fakeplat, tmp_path: Path) -> str:
    """The connector's settings, with the token of an administrator."""
    settings = {
        "credentials": {"auth_type": "access_token", "access_token": fakeplat.token("root")},
        "api_url": fakeplat.url,
        "projects_list": ["acme/site"],
        "groups_list": ["acme"],
        "start_date": "2019-01-01T00:00:00Z",
    }
    return write(tmp_path, "config.json", settings)


def discover(folder: Path, configuration: str) -> Messages:
    """The streams that the connector offers."""
    (catalog,) = [m["catalog"] for m in run_source(folder, "discover", "--config", configuration) if "catalog" in m]
    return list(catalog["streams"])


def choose(folder: Path, streams: Messages, mode: str) -> str:
    """Write the catalog that reads streams in a mode."""
    chosen = [{"stream": stream, "sync_mode": mode, "destination_sync_mode": "append"} for stream in streams]
    return write(folder, "catalog.json", {"streams": chosen})


def count_records(messages: Messages) -> Counter[str]:
    return Counter(message["record"]["stream"] for message in messages if message["type"] == "RECORD")


def test_airbyte_reads_all_streams(fakeplat: Fakeplat, tmp_path: Path, configuration: str) -> None:
    """The connector finds the project, and each of the 23 streams ends as complete with its records."""
    (checked,) = [m for m in run_source(tmp_path, "check", "--config", configuration) if "connectionStatus" in m]
    assert "SUCCEEDED" == checked["connectionStatus"]["status"]
    streams = discover(tmp_path, configuration)

    catalog = choose(tmp_path, streams, "full_refresh")
    messages = run_source(tmp_path, "read", "--config", configuration, "--catalog", catalog)

    ended = {
        status["stream_descriptor"]["name"]: status["status"]
        for message in messages
        if (status := message.get("trace", {}).get("stream_status"))
    }
    assert dict.fromkeys((stream["name"] for stream in streams), "COMPLETE") == ended
    assert 23 == len(ended)
    counts = count_records(messages)
    site = fakeplat.as_user("root")
    for stream, path in {
        "branches": "repository/branches",
        "issues": "issues",
        "merge_requests": "merge_requests",
        "project_labels": "labels",
        "project_milestones": "milestones",
        "tags": "repository/tags",
    }.items():
        assert (stream, len(site.get(f"projects/acme%2Fsite/{path}").json())) == (stream, counts[stream])
    assert [] == [entry.path for entry in fakeplat.requests if entry.status >= 400]


def test_airbyte_reads_what_is_new(fakeplat: Fakeplat, tmp_path: Path, configuration: str) -> None:
    """A second, incremental run asks with the time of the last record, and reads that one and what is newer."""
    mia = fakeplat.as_user("mia")
    (issues,) = [stream for stream in discover(tmp_path, configuration) if stream["name"] == "issues"]
    catalog = choose(tmp_path, [issues], "incremental")
    fakeplat.clock.advance("1h")
    mia.put("projects/acme%2Fsite/issues/1", json={"title": "Changed"})
    first = run_source(tmp_path, "read", "--config", configuration, "--catalog", catalog)
    state = write(tmp_path, "state.json", [m["state"] for m in first if m["type"] == "STATE"][-1:])
    fakeplat.clock.advance("1h")
    mia.post("projects/acme%2Fsite/issues", json={"title": "Later"})

    second = run_source(tmp_path, "read", "--config", configuration, "--catalog", catalog, "--state", state)

    titles = [message["record"]["data"]["title"] for message in second if message["type"] == "RECORD"]
    assert ["Changed", "Later"] == sorted(titles)
    assert 2 < count_records(first)["issues"]
