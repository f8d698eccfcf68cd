"""Bodies of commits and files in later releases, which the platform reads itself and whose first problem it names.

Source: docs/platform/later-releases.md.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Final, Literal, TypedDict

from typing_extensions import override

from fakeplat.core.operations.errors import BadRequest, InvalidParams, Refusal
from fakeplat.core.params.body import MalformedJson, UnsupportedType, Upload
from fakeplat.core.params.params import Params
from fakeplat.core.release import Lifetime
from fakeplat.core.timestamps import SECOND
from fakeplat.policy.context import WriteContext

_ACTIONS: Final = ("create", "update", "move", "delete", "chmod")
_ENCODINGS: Final = ("text", "base64")
_TEXTS_OF_COMMITS: Final = ("branch", "commit_message", "start_branch", "start_sha", "author_email", "author_name")
_TEXTS_OF_FILES: Final = ("branch", "commit_message", "start_branch", "author_email", "author_name", "last_commit_id")
_NO_JSON: Final = "Invalid json"
_LARGE: Final = 20 * 1024 * 1024
_MAX_LARGE: Final = 3
_FALSE: Final = (False, 0, "0", "f", "F", "false", "FALSE", "off", "OFF")


class InvalidJson(BadRequest):
    """400 for a body that is no JSON."""

    def __init__(self) -> None:
        super().__init__(_NO_JSON)
        self.repeat_message()


class SentCommit(Params):
    """What is sent of a commit, whatever it changes."""

    branch: Any = None
    commit_message: Any = None
    start_branch: Any = None
    author_email: Any = None
    author_name: Any = None

    @classmethod
    @override
    def is_streamed(cls) -> bool:
        return True

    @classmethod
    @override
    def refuse_unreadable(cls, refusal: Refusal) -> Refusal | None:
        if isinstance(refusal, UnsupportedType):
            return _refuse(f"Unsupported Content-Type: {refusal.content_type}")
        if isinstance(refusal, MalformedJson):
            return InvalidJson()
        if isinstance(refusal, InvalidParams):
            return _refuse(f"Invalid parameter: {refusal.text}")
        return None


class CommitBody(SentCommit):
    """A new commit with its file actions, as it was sent."""

    actions: Any = None
    start_sha: Any = None
    start_project: Any = None
    stats: Any = None
    force: Any = None
    allow_empty: Annotated[Any, Lifetime(since="18.8")] = None


class FileBody(SentCommit):
    """A new or changed file, and the commit that does so, as it was sent."""

    content: Any = None
    encoding: Any = None
    last_commit_id: Any = None
    execute_filemode: Annotated[Any, Lifetime(since="14.10")] = None


class ActionBody(TypedDict, total=False):
    """A file action, as it was sent. Only what `check_commit_body` has accepted has these types."""

    action: Literal["create", "update", "move", "delete", "chmod"]
    file_path: object
    previous_path: object
    content: object
    encoding: Literal["text", "base64"]
    execute_filemode: object
    last_commit_id: object


def count_large(ctx: WriteContext) -> None:
    """Count a large commit of the caller: more than a few in half a minute are refused with 429."""
    is_large = ctx.request is not None and len(ctx.request.body) > _LARGE
    if is_large and ctx.user is not None:
        ctx.count_action("user_large_commit_request", ctx.user.id, _MAX_LARGE, period=30 * SECOND)


def is_true(value: object, *, default: bool) -> bool:
    """Return a value of a body as a boolean; what is null or an empty text counts as not sent."""
    return default if value in (None, "") else value not in _FALSE


def refuse_files(body: SentCommit) -> None:
    """Refuse files in forms with 400."""
    if any(isinstance(value, Upload) for value in body.given().values()):
        raise _refuse("This endpoint does not support form encoded file uploads")


def read_branch(body: CommitBody) -> str:
    """Return the branch, empty if there is none; 400 for anything but a text."""
    if body.branch is not None and not isinstance(body.branch, str):
        raise _refuse("branch must be a string")
    return body.branch or ""


def check_commit_body(body: CommitBody, *, may_be_empty: bool) -> None:
    """Refuse the first thing that is wrong with a commit, with 400; ``may_be_empty``: it can need no actions."""
    _refuse_first(_list_problems(body, may_be_empty=may_be_empty))


def check_file_body(body: FileBody) -> None:
    """Refuse the first thing that is wrong with the commit of a file, with 400."""
    _refuse_first(_list_problems_of_file(body))


def _refuse_first(problems: Iterator[str]) -> None:
    problem = next(problems, None)
    if problem is not None:
        raise _refuse(problem)


def list_actions(body: CommitBody) -> Sequence[ActionBody]:
    """Return the actions of a body that was checked; none if the commit may be empty."""
    return body.actions if "actions" in body.given() else []


def _refuse(text: str) -> BadRequest:
    return BadRequest(f"400 Bad request - {text}")


def _list_problems(body: CommitBody, *, may_be_empty: bool) -> Iterator[str]:
    sent = body.given()
    yield from _list_wrong_texts(sent, _TEXTS_OF_COMMITS)
    yield from _list_blanks(sent, ("branch", "commit_message"))
    if may_be_empty:
        yield from _list_problems_of_emptiness(body)
    else:
        yield from _list_blanks(sent, ("actions",))
    if "actions" in sent and not isinstance(body.actions, list):
        yield "actions must be an array"
    if {"start_sha", "start_branch"} <= sent.keys():
        yield "start_branch, start_sha are mutually exclusive"
    sent_actions: Sequence[object] = list_actions(body)
    for index, action in enumerate(sent_actions):
        for problem in _list_problems_of_action(action if isinstance(action, dict) else {}):
            yield f"actions[{index}]{problem}"


def _list_problems_of_emptiness(body: CommitBody) -> Iterator[str]:
    if "actions" in body.given() and body.actions != []:
        return
    if body.allow_empty not in (None, "") and not _is_boolean(body.allow_empty):
        yield "allow_empty must be a boolean"
    if not is_true(body.allow_empty, default=False):
        yield "Provide at least one action, or set allow_empty to true"


def _list_problems_of_action(action: Mapping[str, object]) -> Iterator[str]:
    for name in _list_texts_that_are_none(action, ("file_path", "previous_path", "last_commit_id")):
        yield f"[{name}] must be a string"
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
    if action.get("action") == "chmod" and not _is_boolean(action.get("execute_filemode")):
        yield "[execute_filemode] must be a boolean"


def _list_problems_of_file(body: FileBody) -> Iterator[str]:
    sent = body.given()
    yield from _list_wrong_texts(sent, _TEXTS_OF_FILES)
    yield from _list_blanks(sent, ("branch", "commit_message"))
    if "content" not in sent:
        yield "content is required"
    if sent.get("encoding", "text") not in _ENCODINGS:
        yield "encoding must be text or base64"
    if "execute_filemode" in sent and not _is_boolean(body.execute_filemode):
        yield "execute_filemode must be a boolean"


def _list_wrong_texts(sent: Mapping[str, object], names: Sequence[str]) -> Iterator[str]:
    return (f"{name} must be a string" for name in _list_texts_that_are_none(sent, names))


def _list_texts_that_are_none(sent: Mapping[str, object], names: Sequence[str]) -> Iterator[str]:
    return (name for name in names if sent.get(name) is not None and not isinstance(sent[name], str))


def _list_blanks(sent: Mapping[str, object], names: Sequence[str]) -> Iterator[str]:
    return (f"{name} is required" for name in names if _is_blank(sent.get(name)))


def _is_boolean(value: object) -> bool:
    # In Python, 0 and 1 are equal to False and True.
    return isinstance(value, bool) or value in ("true", "false")


def _is_blank(value: object) -> bool:
    return value is None or value is False or (isinstance(value, str) and not value.strip()) or value in ([], {})
