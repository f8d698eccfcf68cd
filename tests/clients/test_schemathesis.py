"""schemathesis, which makes requests of an OpenAPI document, finds that the platform answers as the document says."""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from urllib.request import urlopen

import pytest

from fakeplat.model.world import World
from tests.api.test_answers_for_each_caller import find_key, list_segments
from tests.clients.environments import SUITES, PythonClient
from tests.clients.server import serving
from tests.scenario.worlds import create_world

pytestmark = pytest.mark.clients

SCHEMATHESIS = PythonClient("schemathesis", "4.32.5")
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
REFUSES_OLD_CLIENTS = "info/lfs/objects"
"""The paths of the first API of large files: the platform answers 501, which schemathesis takes for a failure."""


def name_records(document: dict[str, Any], world: World) -> dict[str, Any]:
    """Return the operations of the API in the document, with records of the world in the place of any text."""
    paths = {path: methods for path, methods in document["paths"].items() if not path.startswith("/_fakeplat")}
    for path, methods in paths.items():
        parts = re.sub(r"{(\w+)}", r":\1", path).split("/")
        for parameter in (each for operation in methods.values() for each in operation["parameters"]):
            segment = f":{parameter['name']}"
            if parameter["in"] == "path" and segment in parts:
                known = [unquote(text) for text in list_segments(world, find_key(parts, parts.index(segment)))]
                parameter["schema"] = {"enum": known[:5] or ["1"]}
    return {**document, "paths": paths}


@pytest.mark.parametrize("version", ["13.5", "16.11", "latest"])
def test_every_operation_answers_as_the_document_says(tmp_path: Path, version: str) -> None:
    """No call of schemathesis gets a server error, an undeclared status or media type, or a body of another shape."""
    instance = {"version": version, "tier": "ultimate", "default_branch": "master"}
    world = create_world({"extends": "starter", "instance": instance})
    SCHEMATHESIS.make()
    settings = [f"--set=instance.{name}={value}" for name, value in instance.items()]
    with serving(tmp_path, "--clock=auto", *settings) as server:
        with urlopen(f"{server['url']}/_fakeplat/openapi.json", timeout=60) as reply:
            document = name_records(json.load(reply), world)
        file = tmp_path / "openapi.json"
        file.write_text(json.dumps(document), "utf-8")
        result = call_everything(file, server, tmp_path)

    assert 0 == result.returncode, result.stdout


def call_everything(file: Path, server: dict[str, Any], folder: Path) -> "subprocess.CompletedProcess[str]":
    """Run schemathesis, the same in each run, as the administrator of a server."""
    return subprocess.run(
        [
            *(SCHEMATHESIS.program("st"), "run", file, "--url", server["url"], "--checks", CHECKS),
            *("-H", f"PRIVATE-TOKEN: {server['root_token']}", "--exclude-path-regex", REFUSES_OLD_CLIENTS),
            *("--phases", "fuzzing", "--max-examples", "2", "--seed", "34", "--no-shrink", "--continue-on-failure"),
            *("--suppress-health-check", "all", "--warnings", "off"),
        ],
        cwd=folder,
        env={
            **os.environ,
            "FAKEPLAT_URL": server["url"],
            "SCHEMATHESIS_HOOKS": "schemathesis_hooks",
            "PYTHONPATH": str(SUITES),
        },
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
