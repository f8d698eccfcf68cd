"""What notes, awards and to-dos are about: one declaration for each kind of thing.

Notes, discussions, awards, mentions, quick actions and to-dos know these things by their declarations only.
"""

from collections.abc import Callable, Iterable
from typing import Any, Final

from fakeplat.core.operations.errors import Forbidden
from fakeplat.core.store.bitsets import iterate_bits
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.issues import issue_access
from fakeplat.domain.people.namespaces import project_path
from fakeplat.domain.repository import commits
from fakeplat.domain.repository.commits import ProjectCommit
from fakeplat.domain.snippets import snippets
from fakeplat.model.issues import Issue
from fakeplat.model.levels import Level
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.projects import Project
from fakeplat.model.snippets import Snippet
from fakeplat.model.world import World
from fakeplat.policy import authorization as rulings
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import Decision, caller_name, can, decide, level_on
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.descriptions import describe

Subject = tuple[Any, ...]
"""A kind and an id; of a commit its kind, its project's id and its hash."""


def _each_seen(ctx: ReadContext, record: Any, project: Project) -> bool:
    del ctx, record, project
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
    reads: Ability
    updates: Ability
    administers: Ability
    in_project: Callable[[World, Project], Iterable[Any]]
    table: str = ""
    page: str = ""
    number: str = "iid"
    sees: Callable[[ReadContext, Any, Project], bool] = _each_seen
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

    def touch(self, ctx: WriteContext, record: Any) -> Any:
        """Note that something was said of a record."""
        return getattr(ctx.world, self.table).change(record, updated_at=ctx.now_iso)


class _Commits(Noteable):
    """Commits are no records of a table."""

    def subject(self, record: ProjectCommit) -> Subject:
        return (self.kind, record.project.id, record.commit.sha)

    def find(self, world: World, subject: Subject) -> ProjectCommit | None:
        project = world.projects.get(subject[1])
        return commits.find_commit(world, project, subject[2]) if project else None

    def project_id(self, record: ProjectCommit) -> int:
        return record.project.id

    def title(self, record: ProjectCommit) -> str:
        return record.commit.title

    def number_of(self, record: ProjectCommit) -> str:
        return record.commit.sha

    def touch(self, ctx: WriteContext, record: ProjectCommit) -> ProjectCommit:
        del ctx
        return record


def _commented(world: World, project: Project) -> Iterable[ProjectCommit]:
    """The commits of which something was said, in the order in which that began."""
    shas = dict.fromkeys(note.subject[-1] for note in world.notes.where("commits_of", project.id))
    found = (commits.find_commit(world, project, str(sha)) for sha in shas)
    return (one for one in found if one is not None)


def _of_table(table: str) -> Callable[[World, Project], Iterable[Any]]:
    def in_project(world: World, project: Project) -> Iterable[Any]:
        records = getattr(world, table)
        return (records[id_] for id_ in iterate_bits(records.bits("facts", ("project", project.id))))

    return in_project


ISSUE: Final = Noteable(
    kind="issue",
    type="Issue",
    words="issue",
    sign="#",
    reads=Ability.READ_ISSUES,
    updates=Ability.UPDATE_ISSUE,
    administers=Ability.ADMIN_ISSUE,
    in_project=_of_table("issues"),
    table="issues",
    page="issues",
    sees=issue_access.is_visible,
    own=lambda issue: (issue.author_id, *issue.assignee_ids),
    replyable=True,
    asks=True,
)
MERGE_REQUEST: Final = Noteable(
    kind="merge_request",
    type="MergeRequest",
    words="merge request",
    sign="!",
    reads=Ability.READ_MERGE_REQUESTS,
    updates=Ability.UPDATE_MERGE_REQUEST,
    administers=Ability.ADMIN_MERGE_REQUEST,
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
    reads=Ability.DOWNLOAD_CODE,
    updates=Ability.PUSH_CODE,
    administers=Ability.PUSH_CODE,
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
    reads=Ability.READ_SNIPPETS,
    updates=Ability.UPDATE_SNIPPET,
    administers=Ability.UPDATE_SNIPPET,
    in_project=lambda world, project: world.snippets.where("project", project.id),
    table="snippets",
    page="snippets",
    number="id",
    sees=lambda ctx, snippet, project: snippets.is_visible(ctx, snippet),
)
"""Those of projects: of personal ones nothing is said through the API."""
_OF: Final[dict[type, Noteable]] = {Issue: ISSUE, MergeRequest: MERGE_REQUEST, ProjectCommit: COMMIT, Snippet: SNIPPET}
NOTEABLES: Final[dict[str, Noteable]] = {declared.kind: declared for declared in _OF.values()}


def noteable_of(record: Any) -> Noteable:
    """The declaration of a record's kind."""
    return _OF[type(record)]


def subject_of(record: Any) -> Subject:
    """Under what a record is noted: its kind and id."""
    return noteable_of(record).subject(record)


def find_record(world: World, subject: Subject) -> Any:
    """The record that a subject names, None if it is gone or of a kind that is not declared."""
    declared = NOTEABLES.get(subject[0])
    return declared.find(world, subject) if declared else None


def project_of(world: World, record: Any) -> Project:
    """The project that a record is in."""
    return world.projects[noteable_of(record).project_id(record)]


def is_visible(ctx: ReadContext, record: Any) -> bool:
    """Whether a record exists for the caller."""
    project, declared = project_of(ctx.world, record), noteable_of(record)
    return rulings.can_see(ctx, project) and can(ctx, declared.reads, project) and declared.sees(ctx, record, project)


def visible_in(ctx: ReadContext, project: Project) -> Iterable[Any]:
    """All things in a project of which something can be said and that the caller sees."""
    return (
        one
        for declared in NOTEABLES.values()
        for one in declared.in_project(ctx.world, project)
        if is_visible(ctx, one)
    )


def can_comment(ctx: ReadContext, record: Any, ability: Ability = Ability.CREATE_NOTE) -> Decision:
    """Whether the caller, who sees a record, may say something of it, or award it; locked, it is for members."""
    project = project_of(ctx.world, record)
    if getattr(record, "discussion_locked", None) and level_on(ctx, project) < Level.GUEST:
        return Decision(
            False, lambda: f"{format_reference(ctx.world, record)} is locked; {caller_name(ctx)} is no member"
        )
    return decide(ctx, ability, project)


def can_update(ctx: ReadContext, record: Any) -> Decision:
    """Whether the caller may change a record: its author, who is assigned, and who may change any of them."""
    project, declared, user = project_of(ctx.world, record), noteable_of(record), ctx.viewer
    if user is not None and user.id in declared.own(record) and can(ctx, declared.reads, project):
        if project.archived:
            return Decision(False, lambda: f"{describe(ctx.world, project)} is archived, so it is read only")
        return Decision(True)
    return decide(ctx, declared.updates, project)


def authorize_update(ctx: ReadContext, record: Any) -> None:
    """Let those pass who may change a record; 403 for others."""
    ruling = can_update(ctx, record)
    if not ruling.allowed:
        raise Forbidden(reason=ruling.why)


def can_administer(ctx: ReadContext, record: Any) -> bool:
    """Whether the caller may assign, label and plan a record."""
    return can(ctx, noteable_of(record).administers, project_of(ctx.world, record))


def format_reference(world: World, record: Any, seen_from: Project | None = None) -> str:
    """A record's reference as it is written in a project: ``#1``, ``site#1`` beside it, else ``acme/site#1``.

    A commit is its hash there, ``site@…`` beside it.
    """
    project, declared = project_of(world, record), noteable_of(record)
    number = f"{declared.sign}{declared.number_of(record)}"
    if seen_from is not None and seen_from.id == project.id:
        return number if declared.table else number.removeprefix(declared.sign)
    if seen_from is not None and seen_from.namespace_id == project.namespace_id:
        return f"{project.path}{number}"
    return f"{project_path(world, project)}{number}"


def touch_updated_at(ctx: WriteContext, record: Any) -> Any:
    """Note that something was said of a record."""
    return noteable_of(record).touch(ctx, record)
