"""Suggestions in scenarios."""

from copy import deepcopy
from typing import Any

from fakeplat import scenario
from tests.api.review_company import REVIEW_COMPANY
from tests.scenario.test_schema import build_validator
from tests.scenario.worlds import create_platform, reload_export

BODY = "```suggestion:-0+0\nTEN\n```"
NOTE: dict[str, Any] = {
    "author": "rep",
    "type": "DiffNote",
    "body": BODY,
    "position": {"new_path": "app.txt", "new_line": 9},
}
APPLIED = {"from_content": "TEN\n", "to_content": "ten\n", "applied": True, "commit_id": "a" * 40}


def build_scenario() -> dict[str, Any]:
    """The town with two notes that suggest something."""
    town = deepcopy(REVIEW_COMPANY)
    (merge_request,) = town["groups"][0]["projects"][0]["merge_requests"]
    merge_request["notes"] = [NOTE, {**NOTE, "suggestions": [APPLIED]}]
    return town


def test_suggestions_are_exported_and_loaded_again() -> None:
    """Suggestions from a note's text and declared suggestions are the same after a round trip."""
    platform = create_platform(build_scenario())
    reloaded = reload_export(platform)
    expected = [("ten\n", "TEN\n", False, None), ("TEN\n", "ten\n", True, "a" * 40)]
    for world in (platform.view, reloaded.view):
        rows = [
            (suggestion.from_content, suggestion.to_content, suggestion.applied, suggestion.commit_id)
            for suggestion in world.suggestions.all()
        ]
        assert expected == rows
    assert scenario.export_world(platform) == scenario.export_world(reloaded)
    assert [] == list(build_validator().iter_errors(scenario.export_world(platform)))
