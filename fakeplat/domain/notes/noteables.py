"""What notes, awards and to-dos are about: one declaration for each kind of thing.

Notes, discussions, awards, mentions, quick actions and to-dos know these things by their declarations only.
"""

from collections.abc import Callable, Iterable
from typing import Any, Final

from fakeplat.core.operations.errors import Forbidden
from fakeplat.core.store.frozen import frozen
from fakeplat.core.store.query import members as members_of
from fakeplat.domain.issues import issues
from fakeplat.domain.people.namespaces import project_path
from fakeplat.domain.repository import commits
from fakeplat.domain.repository.commits import CommitOf
from fakeplat.domain.snippets import snippets
from fakeplat.model.issues import Issue
from fakeplat.model.levels import Level
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.projects import Project
from fakeplat.model.snippets import Snippet
from fakeplat.model.world import World
from fakeplat.policy import rulings
from fakeplat.policy.abilities import May
from fakeplat.policy.context import Context, Doing
from fakeplat.policy.naming import named
from fakeplat.policy.rulings import Ruling, caller, can, level_on, rule

Subject = tuple[Any, ...]
"""A kind and an id; of a commit its kind, its project's id and its hash."""


def _each_seen(cx: Context, record: Any, project: Project) -> bool:
    del cx, record, project
    return True


@frozen
class Noteable:
    """A kind of thing. ``kind`` is its word in subjects, ``type`` its name in answers, ``words`` its name in texts.

    ``sign`` stands before its ``number`` (an attribute) in references, ``page`` is the folder of its pages. ``reads``
    opens all of a project, unless ``sees`` hides one; ``updates`` and ``administers`` are the abilities over all of
    them. ``own`` are the users (ids) who may update one without the ability. ``in_project`` gives those of a project.

    ``replyable``: a note that stands alone can be replied to. ``asks``: there are to-dos about it.
    """

    kind: str
    type: str
    words: str
    sign: str
    reads: May
    updates: May
    administers: May
    in_project: Callable[[World, Project], Iterable[Any]]
    table: str = ""
    page: str = ""
    number: str = "iid"
    sees: Callable[[Context, Any, Project], bool] = _each_seen
    own: Callable[[Any], tuple[int, ...]] = lambda record: (record.author_id,)
    replyable: bool = False
    asks: bool = False

    def subject(self, record: Any) -> Subject:
        """Under what a record is noted."""
        return (self.kind, record.id)

    def find(self, world: World, subject: Subject) -> Any:
        """The record that a subject names, None if it is gone."""
        return getattr(world, self.table).get(subject[1])

    def project_id(self, record: Any) -> int:
        """The id of the project that a record is in."""
        return int(record.project_id)

    def title(self, record: Any) -> str:
        """What a record is called."""
        return str(record.title)

    def number_of(self, record: Any) -> Any:
        """What stands behind the sign in references."""
        return getattr(record, self.number)

    def touch(self, cx: Doing, record: Any) -> Any:
        """Note that something was said of a record."""
        return getattr(cx.world, self.table).change(record, updated_at=cx.instant)


class _Commits(Noteable):
    """Commits are no records of a table."""

    def subject(self, record: CommitOf) -> Subject:
        return (self.kind, record.project.id, record.commit.sha)

    def find(self, world: World, subject: Subject) -> CommitOf | None:
        project = world.projects.get(subject[1])
        return commits.find(world, project, subject[2]) if project else None

    def project_id(self, record: CommitOf) -> int:
        return record.project.id

    def title(self, record: CommitOf) -> str:
        return record.commit.title

    def number_of(self, record: CommitOf) -> str:
        return record.commit.sha

    def touch(self, cx: Doing, record: CommitOf) -> CommitOf:
        del cx
        return record


def _commented(world: World, project: Project) -> Iterable[CommitOf]:
    """The commits of which something was said, in the order in which that began."""
    shas = dict.fromkeys(note.subject[-1] for note in world.notes.where("commits_of", project.id))
    found = (commits.find(world, project, str(sha)) for sha in shas)
    return (one for one in found if one is not None)


def _of_table(table: str) -> Callable[[World, Project], Iterable[Any]]:
    def in_project(world: World, project: Project) -> Iterable[Any]:
        records = getattr(world, table)
        return (records[id_] for id_ in members_of(records.bits("facts", ("project", project.id))))

    return in_project


ISSUE: Final = Noteable(
    kind="issue",
    type="Issue",
    words="issue",
    sign="#",
    reads=May.READ_ISSUES,
    updates=May.UPDATE_ISSUE,
    administers=May.ADMIN_ISSUE,
    in_project=_of_table("issues"),
    table="issues",
    page="issues",
    sees=issues.sees,
    own=lambda issue: (issue.author_id, *issue.assignee_ids),
    replyable=True,
    asks=True,
)
MERGE_REQUEST: Final = Noteable(
    kind="merge_request",
    type="MergeRequest",
    words="merge request",
    sign="!",
    reads=May.READ_MERGE_REQUESTS,
    updates=May.UPDATE_MERGE_REQUEST,
    administers=May.ADMIN_MERGE_REQUEST,
    in_project=_of_table("merge_requests"),
    table="merge_requests",
    page="merge_requests",
    own=lambda merge_request: (merge_request.author_id, *merge_request.assignee_ids),
    replyable=True,
    asks=True,
)
COMMIT: Final = _Commits(
    kind="commit",
    type="Commit",
    words="commit",
    sign="@",
    reads=May.DOWNLOAD_CODE,
    updates=May.PUSH_CODE,
    administers=May.PUSH_CODE,
    in_project=_commented,
    page="commit",
    own=lambda commit: (),
    asks=True,
)
SNIPPET: Final = Noteable(
    kind=snippets.KIND,
    type="Snippet",
    words="snippet",
    sign="$",
    reads=May.READ_SNIPPETS,
    updates=May.UPDATE_SNIPPET,
    administers=May.UPDATE_SNIPPET,
    in_project=lambda world, project: world.snippets.where("project", project.id),
    table="snippets",
    page="snippets",
    number="id",
    sees=lambda cx, snippet, project: snippets.sees(cx, snippet),
)
"""Those of projects: of personal ones nothing is said through the API."""
_OF: Final[dict[type, Noteable]] = {Issue: ISSUE, MergeRequest: MERGE_REQUEST, CommitOf: COMMIT, Snippet: SNIPPET}
NOTEABLES: Final[dict[str, Noteable]] = {declared.kind: declared for declared in _OF.values()}


def of(record: Any) -> Noteable:
    """The declaration of a record's kind."""
    return _OF[type(record)]


def subject_of(record: Any) -> Subject:
    """Under what a record is noted: its kind and id."""
    return of(record).subject(record)


def found(world: World, subject: Subject) -> Any:
    """The record that a subject names, None if it is gone or of a kind that is not declared."""
    declared = NOTEABLES.get(subject[0])
    return declared.find(world, subject) if declared else None


def project_of(world: World, record: Any) -> Project:
    """The project that a record is in."""
    return world.projects[of(record).project_id(record)]


def visible(cx: Context, record: Any) -> bool:
    """Whether a record exists for the caller."""
    project, declared = project_of(cx.world, record), of(record)
    return rulings.sees(cx, project) and can(cx, declared.reads, project) and declared.sees(cx, record, project)


def visible_in(cx: Context, project: Project) -> Iterable[Any]:
    """All things in a project of which something can be said and that the caller sees."""
    return (
        one for declared in NOTEABLES.values() for one in declared.in_project(cx.world, project) if visible(cx, one)
    )


def may_note(cx: Context, record: Any, may: May = May.CREATE_NOTE) -> Ruling:
    """Whether the caller, who sees a record, may say something of it, or award it; locked, it is for members."""
    project = project_of(cx.world, record)
    if getattr(record, "discussion_locked", None) and level_on(cx, project) < Level.GUEST:
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


def demand_updating(cx: Context, record: Any) -> None:
    """Let those pass who may change a record; 403 for others."""
    ruling = may_update(cx, record)
    if not ruling.allowed:
        raise Forbidden(reason=ruling.why)


def administers(cx: Context, record: Any) -> bool:
    """Whether the caller may assign, label and plan a record."""
    return can(cx, of(record).administers, project_of(cx.world, record))


def reference(world: World, record: Any, seen_from: Project | None = None) -> str:
    """A record's reference as it is written in a project: ``#1``, ``site#1`` beside it, else ``acme/site#1``.

    A commit is its hash there, ``site@…`` beside it.
    """
    project, declared = project_of(world, record), of(record)
    number = f"{declared.sign}{declared.number_of(record)}"
    if seen_from is not None and seen_from.id == project.id:
        return number if declared.table else number.removeprefix(declared.sign)
    if seen_from is not None and seen_from.namespace_id == project.namespace_id:
        return f"{project.path}{number}"
    return f"{project_path(world, project)}{number}"


def touch(cx: Doing, record: Any) -> Any:
    """Note that something was said of a record."""
    return of(record).touch(cx, record)
