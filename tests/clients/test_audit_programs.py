"""Programs that assess projects and instances: what they find is what the world has."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.clients.environments import PythonClient
from tests.clients.tools import Tool

pytestmark = [pytest.mark.clients, pytest.mark.fakeplat(version="latest", tier="ultimate")]

CIS = PythonClient("gitlabcis", "1.20.2")
EVALUATE = PythonClient("gitlab-evaluate", "0.48.1")
SITE = "projects/acme%2Fsite"


def assess(fake: Fakeplat, folder: Path, *ids: str) -> dict[str, Any]:
    """The results of recommendations of the benchmark."""
    options = ("-t", fake.token("root"), f"{fake.url.rstrip('/')}/acme/site", "-f", "json", "-o", "out.json")
    Tool(CIS, folder).run("gitlabcis", *options, "-ids", *ids)
    rows = json.loads((folder / "out.json").read_text("utf-8"))
    return {row["id"]: row["result"] for row in rows}


def test_gitlabcis_sees_what_was_mended(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """gitlabcis reports settings that break recommendations, and no longer those that were changed."""
    ids = ("1.1.3", "1.1.16", "1.3.4", "1.3.11")
    before = assess(fakeplat, tmp_path, *ids)
    root = fakeplat.as_user("root")
    settings = {"require_two_factor_authentication": True, "two_factor_grace_period": 24}
    assert 200 == root.put("application/settings", json=settings).status
    rule = {"name": "Two", "approvals_required": 2}
    assert 201 == fakeplat.as_user("mia").post(f"{SITE}/approval_rules", json=rule).status
    after = assess(fakeplat, tmp_path, *ids)

    assert ("FAIL", "FAIL", "PASS") == (before["1.1.3"], before["1.3.4"], before["1.1.16"])
    assert {"1.3.4": "PASS", "1.1.16": "PASS"} == {name: after[name] for name in ("1.3.4", "1.1.16")}
    assert [] == [request.path for request in fakeplat.requests if request.status >= 500]


def test_gitlab_evaluate_counts_an_instance(fakeplat: Fakeplat, tmp_path: Path) -> None:
    """gitlab-evaluate enumerates all projects with GraphQL, and reads the users."""
    options = ("-s", fakeplat.url.rstrip("/"), "-t", fakeplat.token("root"), "-p", "1")
    printed = Tool(EVALUATE, tmp_path).run("evaluate-gitlab", *options)

    assert "INCOMPLETE" not in printed
    assert "Retrieved 9 users" in printed
    with (tmp_path / "Raw_Project_Data.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {"acme/site", "acme/docs", "acme/tools/kit", "ada/notes"} <= {
        value.removeprefix(fakeplat.url.rstrip("/") + "/") for row in rows for value in row.values() if value
    }
