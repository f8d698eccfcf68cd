"""Personal and project snippets."""

from base64 import b64encode
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from fakeplat.core.schema.shapes import BASE64, DATE_TIME, NULLABLE_TEXT, TEXT, Choice, MapOf
from fakeplat.core.timestamps import SECOND, from_iso
from fakeplat.domain.snippets import snippet_files, snippets
from fakeplat.domain.snippets.snippet_files import FileWriteError
from fakeplat.model.people import User
from fakeplat.model.projects import Project
from fakeplat.model.repository import BRANCHES
from fakeplat.model.snippets import Snippet
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section
from fakeplat.scenario.section import ISSUES, EntryData
from fakeplat.scenario.sections import serialization
from fakeplat.scenario.sections.issues.issuables import default_author

if TYPE_CHECKING:
    from fakeplat.git.records import Person

_FIELDS: Final = ("title", "description", "visibility", "created_at", "updated_at")
_PROJECT_ONLY: Final = frozenset({"notes", "discussions", "award_emoji"})
_DESCRIPTIONS: Final = {
    "author": "Username, only in a project. Default: the project's creator.",
    "files": "Texts of files by path.",
    "content": "Text of the only file, whose path is file_name.",
    "bundle": "Git bundle in base64: the files with their history.",
}


def _create(entry: Entry) -> Snippet:
    project, author = _resolve_owner(entry)
    project_only_keys = sorted(_PROJECT_ONLY.intersection(entry.subsections))
    if project is None and project_only_keys:
        entry.fail("is only allowed in project snippets", project_only_keys[0])
    default_visibility = snippets.default_visibility(entry.world, project)
    fields = {"visibility": default_visibility, "created_at": entry.created_at, **entry.select(_FIELDS)}
    return snippets.insert_snippet(entry.ctx, project, author, head=_create_repository(entry, author), **fields)


def _resolve_owner(entry: Entry) -> tuple[Project | None, User]:
    owner = entry.owner
    if isinstance(owner, Project):
        return owner, entry.user("author") if "author" in entry.values else default_author(entry, owner)
    if "author" in entry.values and entry.user("author").id != owner.id:
        entry.fail("must be the user who contains the snippet", "author")
    return None, owner


def _create_repository(entry: Entry, author: User) -> str:
    values = entry.values
    # The shape requires exactly one of these keys.
    key = next(name for name in ("bundle", "files", "content") if name in values)
    try:
        if key == "bundle":
            return _import_bundle(entry)
        files = values["files"] if key == "files" else {values.get("file_name", ""): values["content"]}
        objects = entry.world.setup.store.objects
        return snippet_files.create_repository(objects, files.items(), _git_author(author, entry.created_at))
    except FileWriteError as error:
        entry.fail(str(error), key)


def _import_bundle(entry: Entry) -> str:
    from fakeplat.git.errors import GitError
    from fakeplat.git.import_repository import from_bundle

    objects = entry.world.setup.store.objects
    try:
        branch = snippet_files.branch_name(entry.world)
        refs = from_bundle(objects, entry.values["bundle"]).refs
        # A bundle of an earlier release has the branch of that.
        head = refs.get(BRANCHES + branch) or refs.get(f"{BRANCHES}master")
        if head is None:
            entry.fail(f"has no branch {branch}", "bundle")
        snippet_files.check_count(objects, head)
    except GitError as error:
        entry.fail(f"cannot be imported: {error}", "bundle")
    return head


def _git_author(author: User, created_at: str) -> "Person":
    from fakeplat.git.records import Person

    return Person(author.name, author.email, from_iso(created_at) // SECOND)


def _list_snippets(world: World, owner: Project | User) -> Sequence[Snippet]:
    if isinstance(owner, Project):
        return world.snippets.where("project", owner.id)
    return [snippet for snippet in world.snippets.where("author", owner.id) if snippet.project_id is None]


def _serialize(world: World, snippet: Snippet) -> EntryData:
    data = serialization.non_default_fields(snippet, _FIELDS)
    author = serialization.username_of(world, snippet.author_id)
    return {
        **serialization.remove_defaults(data, updated_at=snippet.created_at),
        **({} if snippet.project_id is None else {"author": author}),
        **_serialize_files(world, snippet),
    }


def _serialize_files(world: World, snippet: Snippet) -> EntryData:
    """Return the texts of the files if loading them creates the same commit, otherwise a bundle."""
    from fakeplat.git.bundles import write_bundle

    repository = snippet_files.open_repository(world, snippet)
    contents = {path: repository.file(snippet.head, path) for path in snippet_files.list_paths(world, snippet)}
    texts = {path: content.decode(errors="replace") for path, content in contents.items()}
    # An overlay receives the objects of the attempt, so that the world's store stays as it is.
    if (
        snippet_files.create_repository(repository.objects.over(), texts.items(), _first_commit_author(world, snippet))
        == snippet.head
    ):
        return {"files": texts}
    return {"bundle": b64encode(write_bundle(repository.objects, repository.refs, repository.head)).decode()}


def _first_commit_author(world: World, snippet: Snippet) -> "Person":
    return _git_author(world.users[snippet.author_id], snippet.created_at)


SECTION: Final = derive_section(
    "snippets",
    Snippet,
    within=("user", "project"),
    rank=ISSUES,
    keys={
        "title": TEXT,
        "description": NULLABLE_TEXT,
        "visibility": Choice("private", "internal", "public"),
        "author": TEXT,
        "created_at": DATE_TIME,
        "updated_at": DATE_TIME,
        "files": MapOf(TEXT),
        "file_name": TEXT,
        "content": TEXT,
        "bundle": BASE64,
    },
    required=("title",),
    one_of=("files", "content", "bundle"),
    descriptions=_DESCRIPTIONS,
    create=_create,
    rows=_list_snippets,
    serialize=_serialize,
    keeps_order=True,
    kind="snippet",
)
