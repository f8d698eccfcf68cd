"""Noteables, the records that notes, awards and to-dos are about: one declaration for each kind.

Notes, discussions, awards, mentions, quick actions and to-dos access noteables through these declarations only.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from fakeplat.core.operations.errors import Forbidden
from fakeplat.core.store.bitsets import iterate_bits
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.epics import epic_access
from fakeplat.domain.issues import issue_access
from fakeplat.domain.people import members
from fakeplat.domain.people.namespaces import project_path
from fakeplat.domain.repository import commits
from fakeplat.domain.repository.commits import ProjectCommit
from fakeplat.domain.snippets import snippet_access
from fakeplat.model.epics import Epic
from fakeplat.model.issues import Issue
from fakeplat.model.merge_requests import MergeRequest
from fakeplat.model.people import Group, Level
from fakeplat.model.projects import Container, Project
from fakeplat.model.snippets import Snippet
from fakeplat.model.wikis import WikiPageMeta
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import Decision, caller_name, can, can_see, decide, level_on
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.descriptions import describe
from fakeplat.policy.levels import is_archived

if TYPE_CHECKING:
    from fakeplat.model.notes import Note

Subject = tuple[Any, ...]
"""The kind and id of a record; for a commit the kind, the id of its project and its sha."""


Awardable = Issue | MergeRequest | Snippet | Epic
"""The noteables that are records of a table. All of them can be awarded emoji."""
Noteable = Awardable | ProjectCommit | WikiPageMeta
Subscribable = Issue | MergeRequest | Epic
N = TypeVar("N", bound=Noteable)
R = TypeVar("R", bound=Awardable)


def _always_visible(_ctx: ReadContext, _record: Noteable, _container: Container) -> bool:
    return True


def _list_nobody(_record: Any) -> tuple[int, ...]:
    return ()


def _list_author_id(record: Awardable) -> tuple[int, ...]:
    return (record.author_id,)


@frozen
class NoteableKind(ABC, Generic[N]):
    """A kind of noteable. ``kind`` is its name in subjects, ``type`` in API responses, ``words`` in texts.

    In references ``sign`` precedes the ``number`` (the name of an attribute); ``page`` is the path segment of its web
    pages. ``reads``, ``updates`` and ``administers`` are the abilities that apply to all records of a project or group;
    ``is_record_visible`` can hide single records. ``editor_ids`` returns the ids of users who may update a record
    without the ability (unless ``edited_by_ability``), ``reviewer_ids`` those of users who take part without that
    right, and ``in_project`` the records of a project.

    ``replyable``: individual notes can be replied to. ``has_todos``: there are to-dos about such records.
    """

    kind: str
    type: str
    words: str
    sign: str
    reads: Ability
    updates: Ability
    administers: Ability
    in_project: Callable[[World, Project], Iterable[N]]
    editor_ids: Callable[[N], tuple[int, ...]]
    reviewer_ids: Callable[[N], tuple[int, ...]] = _list_nobody
    table: str = ""
    page: str = ""
    number: str = "iid"
    is_record_visible: Callable[[ReadContext, N, Any], bool] = _always_visible
    edited_by_ability: bool = False
    replyable: bool = False
    has_todos: bool = False

    def participant_ids(self, record: N) -> tuple[int, ...]:
        """Return the ids of users who take part in a record whether they comment or not."""
        return (*self.editor_ids(record), *self.reviewer_ids(record))

    @abstractmethod
    def subject(self, record: N) -> Subject:
        """Return the subject of a record."""

    @abstractmethod
    def find(self, world: World, subject: Subject) -> N | None:
        """Return the record of a subject; None if it no longer exists."""

    @abstractmethod
    def project_id(self, record: N) -> int:
        """Return the id of a record's project."""

    def container(self, world: World, record: N) -> Container:
        """Return the project or group of a record."""
        return world.projects[self.project_id(record)]

    def decide(self, ctx: ReadContext, record: N, ability: Ability) -> Decision:
        """Decide whether the caller has an ability on a record that they can see."""
        return decide(ctx, ability, self.container(ctx.world, record))

    def format_reference(self, world: World, record: N, seen_from: Container | None) -> str:
        """Return the reference to a record, as short as is possible where it is read."""
        project, number = world.projects[self.project_id(record)], f"{self.sign}{self.number_of(record)}"
        if isinstance(seen_from, Project) and seen_from.id == project.id:
            return number if self.table else number.removeprefix(self.sign)
        if seen_from is not None and _namespace_id(seen_from) == project.namespace_id:
            return f"{project.path}{number}"
        return f"{project_path(world, project)}{number}"

    @abstractmethod
    def title(self, record: N) -> str:
        """Return the title of a record."""

    def number_of(self, record: N) -> Any:
        """Return what follows the sign in references."""
        return getattr(record, self.number)

    def words_of(self, _record: N) -> str:
        """Return what a record is called where another one mentions it."""
        return self.words

    @abstractmethod
    def touch(self, ctx: WriteContext, record: N) -> N:
        """Update ``updated_at`` of a record, as a note was written or changed."""


class _Records(NoteableKind[R]):
    """Records of a table."""

    def subject(self, record: R) -> Subject:
        return (self.kind, record.id)

    def find(self, world: World, subject: Subject) -> R | None:
        record: R | None = getattr(world, self.table).get(subject[1])
        return record

    def project_id(self, record: R) -> int:
        if isinstance(record, Epic) or record.project_id is None:
            raise TypeError(f"{self.kind} {record.id} belongs to no project")
        return record.project_id

    def title(self, record: R) -> str:
        return record.title

    def touch(self, ctx: WriteContext, record: R) -> R:
        touched: R = getattr(ctx.world, self.table).change(record, updated_at=ctx.now_iso)
        return touched


class _Commits(NoteableKind[ProjectCommit]):
    """Commits, which are not stored in a table."""

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

    def touch(self, _ctx: WriteContext, record: ProjectCommit) -> ProjectCommit:
        return record


class _Epics(_Records[Epic]):
    """Epics, which belong to groups."""

    def container(self, world: World, record: Epic) -> Group:
        return epic_access.group_of(world, record)

    def decide(self, ctx: ReadContext, record: Epic, ability: Ability) -> Decision:
        return epic_access.decide_on(ctx, record, ability)

    def format_reference(self, world: World, record: Epic, seen_from: Container | None) -> str:
        # Short in the group and in the projects right below it.
        is_near = seen_from is not None and _namespace_id(seen_from) == record.group_id
        return f"{self.sign}{record.iid}" if is_near else epic_access.format_reference(world, record)


class _WikiPages(NoteableKind[WikiPageMeta]):
    """Pages of wikis, which the records stand for to which their events refer, too."""

    def subject(self, record: WikiPageMeta) -> Subject:
        return (self.kind, record.id)

    def find(self, world: World, subject: Subject) -> WikiPageMeta | None:
        return world.wiki_page_metas.get(subject[1])

    def project_id(self, record: WikiPageMeta) -> int:
        if record.project_id is None:
            raise TypeError(f"the page {record.slug} belongs to a group")
        return record.project_id

    def container(self, world: World, record: WikiPageMeta) -> Container:
        container = members.container_of(world, record.source)
        if not isinstance(container, Project | Group):
            raise TypeError(f"the page {record.slug} belongs to {container}")
        return container

    def decide(self, ctx: ReadContext, record: WikiPageMeta, ability: Ability) -> Decision:
        container = self.container(ctx.world, record)
        return decide(ctx, epic_access.in_group(ability) if isinstance(container, Group) else ability, container)

    def format_reference(self, _world: World, record: WikiPageMeta, _seen_from: Container | None) -> str:
        return f"[[{record.slug}]]" if record.group_id is None else record.slug

    def words_of(self, record: WikiPageMeta) -> str:
        return f"{'project' if record.group_id is None else 'group'} {self.words}"

    def title(self, record: WikiPageMeta) -> str:
        return record.title

    def touch(self, _ctx: WriteContext, record: WikiPageMeta) -> WikiPageMeta:
        return record


def _namespace_id(container: Container) -> int:
    return container.id if isinstance(container, Group) else container.namespace_id


def _list_commented_commits(world: World, project: Project) -> Iterable[ProjectCommit]:
    """Return the commits that have comments, in the order of their first comment."""
    shas = dict.fromkeys(note.subject[-1] for note in world.notes.where("commits_of", project.id))
    # Comments outlive their commits, which a forced push can make unreachable.
    reachable = (commits.find_commit(world, project, str(sha)) for sha in shas)
    return (commit for commit in reachable if commit is not None)


def _records_in(table: str) -> Callable[[World, Project], Iterable[Any]]:
    def in_project(world: World, project: Project) -> Iterable[Any]:
        records = getattr(world, table)
        return (records[id_] for id_ in iterate_bits(records.bits("facts", ("project", project.id))))

    return in_project


ISSUE: Final = _Records[Issue](
    kind="issue",
    type="Issue",
    words="issue",
    sign="#",
    reads=Ability.READ_ISSUES,
    updates=Ability.UPDATE_ISSUE,
    administers=Ability.ADMIN_ISSUE,
    in_project=_records_in("issues"),
    table="issues",
    page="issues",
    is_record_visible=issue_access.is_visible,
    editor_ids=lambda issue: (issue.author_id, *issue.assignee_ids),
    replyable=True,
    has_todos=True,
)
MERGE_REQUEST: Final = _Records[MergeRequest](
    kind="merge_request",
    type="MergeRequest",
    words="merge request",
    sign="!",
    reads=Ability.READ_MERGE_REQUESTS,
    updates=Ability.UPDATE_MERGE_REQUEST,
    administers=Ability.ADMIN_MERGE_REQUEST,
    in_project=_records_in("merge_requests"),
    table="merge_requests",
    page="merge_requests",
    editor_ids=lambda merge_request: (merge_request.author_id, *merge_request.assignee_ids),
    reviewer_ids=lambda merge_request: merge_request.reviewer_ids,
    replyable=True,
    has_todos=True,
)
COMMIT: Final = _Commits(
    kind="commit",
    type="Commit",
    words="commit",
    sign="@",
    reads=Ability.DOWNLOAD_CODE,
    updates=Ability.PUSH_CODE,
    administers=Ability.PUSH_CODE,
    in_project=_list_commented_commits,
    page="commit",
    editor_ids=lambda commit: (),
    has_todos=True,
)
SNIPPET: Final = _Records[Snippet](
    kind=snippet_access.KIND,
    type="Snippet",
    words="snippet",
    sign="$",
    reads=Ability.READ_SNIPPETS,
    updates=Ability.UPDATE_SNIPPET,
    administers=Ability.UPDATE_SNIPPET,
    in_project=lambda world, project: world.snippets.where("project", project.id),
    editor_ids=_list_author_id,
    table="snippets",
    page="snippets",
    number="id",
    is_record_visible=lambda ctx, snippet, project: snippet_access.is_visible(ctx, snippet),
)
"""Project snippets only: the API has no notes on personal ones."""
EPIC: Final = _Epics(
    kind=epic_access.KIND,
    type="Epic",
    words="epic",
    sign="&",
    reads=Ability.READ_EPIC,
    updates=Ability.ADMIN_EPIC,
    administers=Ability.ADMIN_EPIC,
    in_project=lambda world, project: (),
    editor_ids=_list_author_id,
    table="epics",
    page="epics",
    is_record_visible=lambda ctx, epic, group: epic_access.is_visible(ctx, epic),
    edited_by_ability=True,
    replyable=True,
    has_todos=True,
)
WIKI_PAGE: Final = _WikiPages(
    kind="wiki",
    type="WikiPage::Meta",
    words="wiki page",
    sign="",
    reads=Ability.READ_WIKI,
    updates=Ability.CREATE_WIKI,
    administers=Ability.ADMIN_WIKI,
    in_project=lambda world, project: (),
    editor_ids=_list_nobody,
    table="wiki_page_metas",
    page="wikis",
    number="slug",
    edited_by_ability=True,
    has_todos=True,
)
_BY_TYPE: Final[dict[type, NoteableKind[Any]]] = {
    Issue: ISSUE,
    MergeRequest: MERGE_REQUEST,
    ProjectCommit: COMMIT,
    Snippet: SNIPPET,
    Epic: EPIC,
    WikiPageMeta: WIKI_PAGE,
}
NOTEABLES: Final[dict[str, NoteableKind[Any]]] = {noteable.kind: noteable for noteable in _BY_TYPE.values()}


def noteable_of(record: N) -> NoteableKind[N]:
    """Return the declaration for the kind of a record."""
    return _BY_TYPE[type(record)]


def subject_of(record: Noteable) -> Subject:
    """Return the subject of a record: its kind and id."""
    return noteable_of(record).subject(record)


def find_record(world: World, subject: Subject) -> Noteable | None:
    """Return the record of a subject; None if it no longer exists or its kind is not a noteable."""
    noteable = NOTEABLES.get(subject[0])
    return noteable.find(world, subject) if noteable else None


def get_record(world: World, subject: Subject) -> Noteable:
    """Return the record of a subject that is known to exist."""
    record = find_record(world, subject)
    if record is None:
        raise LookupError(f"{subject} does not exist")
    return record


def is_confidential(note: "Note", record: Noteable) -> bool:
    """Return whether a note, or the record that it is about, is confidential."""
    return note.confidential or bool(getattr(record, "confidential", False))


def container_of(world: World, record: Noteable) -> Container:
    """Return the project or group of a record."""
    return noteable_of(record).container(world, record)


def project_of(world: World, record: Noteable) -> Project:
    """Return the project of a record that is not an epic."""
    return world.projects[noteable_of(record).project_id(record)]


def is_visible(ctx: ReadContext, record: Noteable) -> bool:
    """Return whether the caller can see a record."""
    if isinstance(record, Snippet) and record.project_id is None:
        return snippet_access.is_visible(ctx, record)
    container, noteable = container_of(ctx.world, record), noteable_of(record)
    return (
        can_see(ctx, container)
        and can(ctx, noteable.reads, container)
        and noteable.is_record_visible(ctx, record, container)
    )


def list_visible_noteables(ctx: ReadContext, project: Project) -> Iterable[Noteable]:
    """Return all noteables of a project that the caller can see."""
    return (
        record
        for noteable in NOTEABLES.values()
        for record in noteable.in_project(ctx.world, project)
        if is_visible(ctx, record)
    )


def can_comment(ctx: ReadContext, record: Noteable, ability: Ability = Ability.CREATE_NOTE) -> Decision:
    """Return whether a caller who can see a record may comment on it or award it; if locked, only members may."""
    if isinstance(record, Snippet) and record.project_id is None:
        return snippet_access.can_comment_on_personal(ctx, record)
    # Commits, snippets and epics have no such attribute: they cannot be locked.
    if getattr(record, "discussion_locked", None) and level_on(ctx, container_of(ctx.world, record)) < Level.GUEST:
        return Decision(
            False,
            lambda: f"{format_reference(ctx.world, record)} is locked and {caller_name(ctx)} is not a member",
        )
    return noteable_of(record).decide(ctx, record, ability)


def can_update(ctx: ReadContext, record: Noteable) -> Decision:
    """Return whether the caller may change a record: its author, its assignees, and users with the ability."""
    noteable, user = noteable_of(record), ctx.viewer
    if noteable.edited_by_ability:
        return noteable.decide(ctx, record, noteable.updates)
    project = project_of(ctx.world, record)
    # Author and assignees need no ability to update, but must still be able to read.
    if user is not None and user.id in noteable.editor_ids(record) and can(ctx, noteable.reads, project):
        if is_archived(ctx.world, project):
            return Decision(False, lambda: f"{describe(ctx.world, project)} is archived, which makes it read-only")
        return Decision(True)
    return decide(ctx, noteable.updates, project)


def authorize_update(ctx: ReadContext, record: Noteable) -> None:
    """Refuse with 403 unless the caller may change a record."""
    decision = can_update(ctx, record)
    if not decision.allowed:
        raise Forbidden(reason=decision.why)


def can_administer(ctx: ReadContext, record: Noteable) -> bool:
    """Return whether the caller may set assignees, labels and milestone of a record."""
    return can(ctx, noteable_of(record).administers, container_of(ctx.world, record))


def format_reference(world: World, record: Noteable, seen_from: Container | None = None) -> str:
    """Return the reference to a record: ``#1`` in its project, ``site#1`` in its namespace, else ``acme/site#1``.

    A commit is ``<sha>`` in its project and ``site@<sha>`` in its namespace. An epic is ``&1`` in its group and in the
    projects right below it, else ``acme&1``.
    """
    return noteable_of(record).format_reference(world, record, seen_from)


def touch_updated_at(ctx: WriteContext, record: N) -> N:
    """Update ``updated_at`` of a record, as a note was written or changed."""
    return noteable_of(record).touch(ctx, record)
