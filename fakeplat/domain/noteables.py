"""What notes, awards and to-dos are about: one declaration for each kind of thing.

Notes, discussions, awards, mentions, quick actions and to-dos know these things by their declarations only.
"""

from collections.abc import Callable
from typing import Any, Final

from attrs import frozen

from fakeplat.domain import issues
from fakeplat.domain.namespaces import project_path
from fakeplat.model.issues import Issue
from fakeplat.model.levels import Level
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy import rulings
from fakeplat.policy.abilities import May
from fakeplat.policy.context import Context, Doing
from fakeplat.policy.naming import named
from fakeplat.policy.rulings import Ruling, caller, can, level_on, rule

Subject = tuple[str, int]


@frozen
class Noteable:
    """A kind of thing. ``kind`` is its word in subjects, ``type`` its name in answers, ``words`` its name in texts.

    ``sign`` stands before its number in references, ``page`` is the folder of its pages. ``reads`` opens all of a
    project, unless ``sees`` hides one; ``updates`` and ``administers`` are the abilities over all of them. ``own`` are
    the users (ids) who may update one without the ability.
    """

    kind: str
    type: str
    words: str
    table: str
    sign: str
    page: str
    reads: May
    updates: May
    administers: May
    sees: Callable[[Context, Any, Project], bool]
    own: Callable[[Any], tuple[int, ...]]


ISSUE: Final = Noteable(
    kind="issue",
    type="Issue",
    words="issue",
    table="issues",
    sign="#",
    page="issues",
    reads=May.READ_ISSUES,
    updates=May.UPDATE_ISSUE,
    administers=May.ADMIN_ISSUE,
    sees=issues.sees,
    own=lambda issue: (issue.author_id, *issue.assignee_ids),
)
MERGE_REQUEST: Final = Noteable(
    kind="merge_request",
    type="MergeRequest",
    words="merge request",
    table="merge_requests",
    sign="!",
    page="merge_requests",
    reads=May.READ_MERGE_REQUESTS,
    updates=May.UPDATE_MERGE_REQUEST,
    administers=May.ADMIN_MERGE_REQUEST,
    sees=lambda cx, merge_request, project: True,
    own=lambda merge_request: (merge_request.author_id, *merge_request.assignee_ids),
)
_OF: Final[dict[type, Noteable]] = {Issue: ISSUE, MergeRequest: MERGE_REQUEST}
NOTEABLES: Final[dict[str, Noteable]] = {declared.kind: declared for declared in _OF.values()}


def of(record: Any) -> Noteable:
    """The declaration of a record's kind."""
    return _OF[type(record)]


def subject_of(record: Any) -> Subject:
    """Under what a record is noted: its kind and id."""
    return (of(record).kind, record.id)


def found(world: World, subject: tuple[Any, ...]) -> Any:
    """The record that a subject names, None if it is gone or of a kind that is not declared."""
    declared = NOTEABLES.get(subject[0])
    return getattr(world, declared.table).get(subject[1]) if declared else None


def project_of(world: World, record: Any) -> Project:
    """The project that a record is in."""
    return world.projects[record.project_id]


def visible(cx: Context, record: Any) -> bool:
    """Whether a record exists for the caller."""
    project, declared = project_of(cx.world, record), of(record)
    return rulings.sees(cx, project) and can(cx, declared.reads, project) and declared.sees(cx, record, project)


def may_note(cx: Context, record: Any, may: May = May.CREATE_NOTE) -> Ruling:
    """Whether the caller, who sees a record, may say something of it, or award it; locked, it is for members."""
    project = project_of(cx.world, record)
    if record.discussion_locked and level_on(cx, project) < Level.GUEST:
        return Ruling(False, lambda: f"{reference(cx.world, record)} is locked; {caller(cx)} is no member")
    return rule(cx, may, project)


def may_update(cx: Context, record: Any) -> Ruling:
    """Whether the caller may change a record: its author, who is assigned, and who may change any of them."""
    project, declared, user = project_of(cx.world, record), of(record), cx.user
    if user is not None and user.id in declared.own(record) and can(cx, declared.reads, project):
        if project.archived:
            return Ruling(False, lambda: f"{named(cx.world, project)} is archived, so it is read only")
        return Ruling(True)
    return rule(cx, declared.updates, project)


def administers(cx: Context, record: Any) -> bool:
    """Whether the caller may assign, label and plan a record."""
    return can(cx, of(record).administers, project_of(cx.world, record))


def reference(world: World, record: Any, seen_from: Project | None = None) -> str:
    """A record's reference as it is written in a project: ``#1``, ``site#1`` beside it, else ``acme/site#1``."""
    project, number = project_of(world, record), f"{of(record).sign}{record.iid}"
    if seen_from is not None and seen_from.id == project.id:
        return number
    if seen_from is not None and seen_from.namespace_id == project.namespace_id:
        return f"{project.path}{number}"
    return f"{project_path(world, project)}{number}"


def touch(cx: Doing, record: Any) -> Any:
    """Note that something was said of a record."""
    return getattr(cx.world, of(record).table).change(record, updated_at=cx.instant)
