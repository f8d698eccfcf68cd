"""Helpers for tests of quick actions: notes that consist of commands, and their results."""

from typing import Any

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import COMMANDS_ARE_ALWAYS_REPORTED
from tests.api.requests import Outcome, outcome

NOTHING_DONE: Outcome = (400, {"message": '400 Bad request - Note {:note=>["can\'t be blank"]}'})
NO_USER = "Failed to assign a user because no user was found."
NO_DATE = "Failed to set due date because the date format is invalid."


def nothing_done(fake: Fakeplat) -> Outcome:
    """Return how a release answers commands without effect."""
    if fake.bench.platform.view.profile.has(COMMANDS_ARE_ALWAYS_REPORTED):
        return 400, {"message": "400 Bad request - Failed to apply commands."}
    return NOTHING_DONE


def post_note(fake: Fakeplat, by: str, target: str, text: str) -> Outcome:
    """Create a note; return the outcome."""
    return outcome(fake.as_user(by).post(f"{target}/notes", json={"body": text}))


def run_commands(fake: Fakeplat, text: str, by: str, target: str) -> tuple[dict[str, Any], str]:
    """Create a note that consists of commands; return the changes and the summary."""
    status, result = post_note(fake, by, target, text)
    assert 202 == status, result
    assert {"commands_changes", "summary"} == set(result)
    (summary,) = result["summary"]
    return result["commands_changes"], summary


def fill_in_ids(value: Any, ids: dict[str, Any]) -> Any:
    """Return an expectation with ids in place of their names, such as ``{bug}``."""
    if isinstance(value, dict):
        return {name: fill_in_ids(inner, ids) for name, inner in value.items()}
    if isinstance(value, list):
        return [fill_in_ids(inner, ids) for inner in value]
    if not isinstance(value, str) or "{" not in value:
        return value
    return ids[value[1:-1]] if value.startswith("{") else value.format(**ids)
