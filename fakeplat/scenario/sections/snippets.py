"""Snippets, of users and of projects."""

from base64 import b64encode
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from fakeplat.core.schema.shapes import BASE64, COUNT, DATE_TIME, NULLABLE_TEXT, TEXT, Choice, MapOf, Object
from fakeplat.core.timestamps import SECOND, from_iso
from fakeplat.domain.snippets import snippet_files, snippets
from fakeplat.domain.snippets.snippet_files import FileWriteError
from fakeplat.model.projects import Project
from fakeplat.model.repositories import BRANCHES
from fakeplat.model.snippets import Snippet
from fakeplat.model.users import User
from fakeplat.model.world import World
from fakeplat.scenario import creation_order
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import ISSUES, Section, Told
from fakeplat.scenario.sections import serialization as telling
from fakeplat.scenario.sections.issuables import default_author

if TYPE_CHECKING:
    from fakeplat.git.records import Person

_OWN: Final = ("title", "description", "visibility", "created_at", "updated_at")
_ABOUT_PROJECTS: Final = frozenset({"notes", "discussions", "award_emoji"})
_ABOUT: Final = {
    "author": "A username, in a project; otherwise the project's creator.",
    "files": "Texts by path.",
    "content": "That of the only file, whose path is file_name.",
    "bundle": "A git bundle in base64: the files with their history.",
    creation_order.KEY: creation_order.DESCRIPTION,
}


def _make(entry: Entry) -> Snippet:
    project, author = _place(entry)
    said_of_it = sorted(_ABOUT_PROJECTS.intersection(entry.parts))
    if project is None and said_of_it:
        entry.wrong("is for snippets of projects", said_of_it[0])
    usual = snippets.default_visibility(entry.world, project)
    fields = {"visibility": usual, "created_at": entry.created_at, **entry.given(_OWN)}
    return snippets.insert_snippet(entry.ctx, project, author, head=_head(entry, author), **fields)


def _place(entry: Entry) -> tuple[Project | None, User]:
    owner = entry.owner
    if isinstance(owner, Project):
        return owner, entry.user("author") if "author" in entry.said else default_author(entry, owner)
    if "author" in entry.said and entry.user("author").id != owner.id:
        entry.wrong("is the user above", "author")
    return None, owner


def _head(entry: Entry, author: User) -> str:
    said = entry.said
    key = next(name for name in ("bundle", "files", "content") if name in said)
    try:
        if key == "bundle":
            return _unbundled(entry)
        files = said["files"] if key == "files" else {said.get("file_name", ""): said["content"]}
        objects = entry.world.setup.store.objects
        return snippet_files.create_repository(objects, files.items(), _person(author, entry.created_at))
    except FileWriteError as error:
        entry.wrong(str(error), key)


def _unbundled(entry: Entry) -> str:
    from fakeplat.git.errors import GitError
    from fakeplat.git.import_repository import from_bundle

    objects = entry.world.setup.store.objects
    try:
        head = from_bundle(objects, entry.said["bundle"]).refs.get(BRANCHES + snippet_files.BRANCH)
        if head is None:
            entry.wrong(f"has no branch {snippet_files.BRANCH}", "bundle")
        snippet_files.check_count(objects, head)
    except GitError as error:
        entry.wrong(f"cannot be taken over: {error}", "bundle")
    return head


def _person(author: User, created_at: str) -> "Person":
    from fakeplat.git.records import Person

    return Person(author.name, author.email, from_iso(created_at) // SECOND)


def _tell(world: World, owner: Any) -> Iterable[tuple[Snippet, Told]] | None:
    if isinstance(owner, Project):
        found = world.snippets.where("project", owner.id)
        return [(one, _told(world, one, author=telling.username_of(world, one.author_id))) for one in found] or None
    own = world.snippets.where("author", owner.id)
    return [(one, _told(world, one)) for one in own if one.project_id is None] or None


def _told(world: World, snippet: Snippet, **author: Any) -> Told:
    told = telling.remove_defaults(telling.non_default_fields(snippet, _OWN), updated_at=snippet.created_at)
    return {**told, **author, **_told_files(world, snippet), **creation_order.turn_of(world, "snippets", snippet.id)}


def _told_files(world: World, snippet: Snippet) -> Told:
    """The texts, where they and nothing else make the same commit; else a bundle."""
    from fakeplat.git.bundles import write_bundle

    git = snippet_files.open_repository(world, snippet)
    contents = {path: git.file(snippet.head, path) for path in snippet_files.list_paths(world, snippet)}
    texts = {path: content.decode(errors="replace") for path, content in contents.items()}
    if (
        snippet_files.create_repository(git.objects.over(), texts.items(), _first_author(world, snippet))
        == snippet.head
    ):
        return {"files": texts}
    return {"bundle": b64encode(write_bundle(git.objects, git.refs, git.head)).decode()}


def _first_author(world: World, snippet: Snippet) -> "Person":
    return _person(world.users[snippet.author_id], snippet.created_at)


SECTION: Final = Section(
    "snippets",
    under=("user", "project"),
    rank=ISSUES,
    keys=Object(
        {
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
            creation_order.KEY: COUNT,
        },
        required=("title",),
        one_of=("files", "content", "bundle"),
        descriptions=_ABOUT,
    ),
    make=_make,
    tell=_tell,
    kind="snippet",
)
