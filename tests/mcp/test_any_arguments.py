"""Whatever arguments a tool gets, it answers: with a result, or with a failure that it tells of."""

from typing import Any, Final

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.mcp.messages import WORLD, call_with, enable_server, mcp_token, send

VALUES: Final[list[Any]] = [
    *(None, "", "x", "1", "é" * 300, "acme/site", "acme%2Fsite", 0, -1, 1, 1.0, 1.5, 10**15, 10**40),
    *(True, [], [None], [1], ["x"], [[]], {}, {"id": 1}, [{"key": 1}], "http://[", "gid://gitlab/WorkItem/1"),
]
GOOD: Final[dict[str, Any]] = {
    "id": "acme/site",
    "project_id": "acme/site",
    "issue_iid": 1,
    "merge_request_iid": 1,
    "work_item_iid": 1,
    "title": "One",
    "body": "One",
    "scope": "issues",
    "search": "one",
    "full_path": "acme/site",
    "is_project": True,
    "source_branch": "feature",
    "target_branch": "main",
    "branch": "one",
    "ref": "main",
    "work_items_ids": ["gid://gitlab/WorkItem/1"],
    "pipeline_id": 1,
    "job_id": 1,
}


@pytest.mark.parametrize(
    "release", [pytest.param(each, marks=pytest.mark.fakeplat(version=each)) for each in ("18.11", "19.3")]
)
@pytest.mark.fakeplat(scenario=WORLD)
def test_every_argument_may_have_any_value(fakeplat: Fakeplat, release: str) -> None:
    """Each argument of each tool in turn has each odd value, beside valid ones; nothing of it is a bug."""
    enable_server(fakeplat)
    token = mcp_token(fakeplat)
    _, answer = send(fakeplat, "tools/list")
    for tool in answer["result"]["tools"]:
        schema = tool["inputSchema"]
        required = {name: GOOD[name] for name in schema.get("required", ()) if name in GOOD}
        alone = {
            name: GOOD[name]
            for name in ("project_id", "work_item_iid", "merge_request_iid")
            if name in schema["properties"]
        }
        for name in schema["properties"]:
            for value in VALUES:
                call_with(fakeplat, token, tool["name"], {**alone, **required, name: value})
    assert release == fakeplat.as_user("mia").get("version").json()["version"]
    assert [] == fakeplat.bench.platform.failures
