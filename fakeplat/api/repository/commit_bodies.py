"""Bodies of commits in later releases, which the platform reads itself and checks after the right to push.

Source: docs/platform/later-releases.md.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal, TypedDict

from fakeplat.core.operations.errors import BadRequest
from fakeplat.core.params.body import Upload
from fakeplat.core.params.params import Params

_ACTIONS: Final = ("create", "update", "move", "delete", "chmod")
_ENCODINGS: Final = ("text", "base64")
_BOOLEANS: Final = (True, False, "true", "false")
_FALSE: Final = (False, 0, "0", "f", "F", "false", "FALSE", "off", "OFF")


class CommitBody(Params):
    """A new commit with its file actions, as it was sent."""

    branch: Any = None
    commit_message: Any = None
    actions: Any = None
    start_branch: Any = None
    start_sha: Any = None
    start_project: Any = None
    author_email: Any = None
    author_name: Any = None
    stats: Any = None
    force: Any = None


class ActionBody(TypedDict, total=False):
    """A file action, as it was sent. Only what `check_body` has accepted has these types."""

    action: Literal["create", "update", "move", "delete", "chmod"]
    file_path: object
    previous_path: object
    content: object
    encoding: Literal["text", "base64"]
    execute_filemode: object
    last_commit_id: object


def is_true(value: object, *, default: bool) -> bool:
    """Return a value of a body as a boolean; what is null or an empty text counts as not sent."""
    return default if value in (None, "") else value not in _FALSE


def refuse_files(body: CommitBody) -> None:
    """Refuse files in forms with 400."""
    if any(isinstance(value, Upload) for value in body.given().values()):
        raise _refuse("This endpoint does not support form encoded file uploads")


def read_branch(body: CommitBody) -> str:
    """Return the branch, empty if there is none; 400 for anything but a text."""
    if body.branch is not None and not isinstance(body.branch, str):
        raise _refuse("branch must be a string")
    return body.branch or ""


def check_body(body: CommitBody) -> None:
    """Refuse the first thing that is wrong with a body, with 400."""
    problem = next(_list_problems(body), None)
    if problem is not None:
        raise _refuse(problem)


def _refuse(text: str) -> BadRequest:
    return BadRequest(f"400 Bad request - {text}")


def _list_problems(body: CommitBody) -> Iterator[str]:
    for name in ("branch", "commit_message", "actions"):
        if _is_blank(getattr(body, name)):
            yield f"{name} is required"
    if {"start_sha", "start_branch"} <= body.given().keys():
        yield "start_branch, start_sha are mutually exclusive"
    actions: Sequence[Any] = body.actions if isinstance(body.actions, list) else [body.actions]
    for index, action in enumerate(actions):
        for problem in _list_problems_of_action(action if isinstance(action, dict) else {}):
            yield f"actions[{index}]{problem}"


def _list_problems_of_action(action: Mapping[str, object]) -> Iterator[str]:
    for name in ("action", "file_path"):
        if _is_blank(action.get(name)):
            yield f"[{name}] is required"
    if action.get("action") not in _ACTIONS:
        yield f"[action] must be one of: {', '.join(_ACTIONS)}"
    if action.get("encoding", "text") not in _ENCODINGS:
        yield "[encoding] must be text or base64"
    if action.get("action") == "update" and "content" not in action:
        yield "[content] is required for update action"
    if action.get("action") == "move" and _is_blank(action.get("previous_path")):
        yield "[previous_path] is required for move action"
    if action.get("action") == "chmod" and "execute_filemode" not in action:
        yield "[execute_filemode] is required for chmod action"
    if action.get("action") == "chmod" and action.get("execute_filemode") not in _BOOLEANS:
        yield "[execute_filemode] must be a boolean"


def _is_blank(value: object) -> bool:
    return value is None or value is False or (isinstance(value, str) and not value.strip()) or value in ([], {})
