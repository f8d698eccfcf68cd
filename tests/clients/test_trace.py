"""Traces in Chromium, without a network, checked by axe-core."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

import fakeplat
from fakeplat.harness.trace import StateRecorder, render_trace
from tests.clients.environments import SUITES
from tests.clients.programs import get_program
from tests.clients.test_console import BROWSER

pytestmark = [pytest.mark.clients, pytest.mark.xdist_group("console")]


def write_trace(path: Path) -> None:
    """Write the trace of a world with changes, refusals, deliveries, mails, faults and pipelines."""
    with fakeplat.start(tier="premium") as platform:
        recorder = StateRecorder(platform.bench.platform)
        platform.bench.platform.observers.append(recorder)
        platform.faults.add(operation="create_issue", status=503, nth=2)
        ada, mia = platform.as_user("ada"), platform.as_user("mia")
        ada.post("projects/acme%2Fsite/hooks", json={"url": "http://bot.example.test/", "issues_events": True})
        dev = platform.world.user("dev").id
        for title in ("Broken link", "Again"):
            ada.post("projects/acme%2Fsite/issues", json={"title": title, "assignee_ids": [dev]})
        ada.put("projects/acme%2Fsite/issues/1", json={"title": "Changed"})
        mia.post("projects/acme%2Fsite/pipeline?ref=master")
        platform.settle()
        platform.as_user("eve").get("projects/acme%2Fsite", headers={"User-Agent": "bot"})
        path.write_text(render_trace(platform, [*platform.requests], recorder, "test_bot.py::test_it"), "utf-8")


def test_a_trace_is_readable_in_a_browser(tmp_path: Path) -> None:
    """A trace opens without a network and errors, its events unfold, and axe finds no violations."""
    write_trace(tmp_path / "trace.html")
    BROWSER.make()
    shutil.copy(SUITES / "trace_page.mjs", BROWSER.folder)
    command = (get_program("node"), "trace_page.mjs", tmp_path / "trace.html", get_program("chromium"))
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    result = subprocess.run(
        command, cwd=BROWSER.folder, env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert 0 == result.returncode, result.stderr
    assert [] == json.loads(result.stdout)
