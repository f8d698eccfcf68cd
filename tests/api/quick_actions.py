"""What the tests of quick actions share: notes of commands only, and what came of them."""

from typing import Any

from fakeplat.harness.fake import Fakeplat
from tests.api.requests import Outcome, outcome

NOTHING_DONE: Outcome = (400, {"message": '400 Bad request - Note {:note=>["can\'t be blank"]}'})
NO_USER = "Failed to assign a user because no user was found."
NO_DATE = "Failed to set due date because the date format is invalid."


def noted(fake: Fakeplat, by: str, target: str, text: str) -> Outcome:
    """What a note answers."""
    return outcome(fake.as_user(by).post(f"{target}/notes", json={"body": text}))


def order(fake: Fakeplat, text: str, by: str, target: str) -> tuple[dict[str, Any], str]:
    """What a note of commands only changed, and what was said of that."""
    status, answer = noted(fake, by, target, text)
    assert 202 == status, answer
    assert {"commands_changes", "summary"} == set(answer)
    (said,) = answer["summary"]
    return answer["commands_changes"], said


def filled(value: Any, ids: dict[str, Any]) -> Any:
    """An expectation with ids, which rows name as ``{bug}``, in their places."""
    if isinstance(value, dict):
        return {name: filled(inner, ids) for name, inner in value.items()}
    if isinstance(value, list):
        return [filled(inner, ids) for inner in value]
    if not isinstance(value, str) or "{" not in value:
        return value
    return ids[value[1:-1]] if value.startswith("{") else value.format(**ids)
