"""Wikis of projects and groups: their pages, or a bundle with their history."""

from base64 import b64encode
from typing import Final

from fakeplat.core.schema.shapes import BASE64, DATE_TIME, TEXT, Choice, ListOf, Object
from fakeplat.core.store.persistent_map import Map
from fakeplat.core.timestamps import SECOND, from_iso
from fakeplat.domain.notes import noteables, notes
from fakeplat.domain.people.members import source_of
from fakeplat.domain.wikis import page_events, pages, wikis
from fakeplat.model.notes import Note
from fakeplat.model.people import Group, User
from fakeplat.model.projects import Project, Routable
from fakeplat.model.repository import BRANCHES, Refs
from fakeplat.model.wikis import Wiki
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section
from fakeplat.scenario.section import ALERTS, EntryData
from fakeplat.scenario.sections.serialization import username_of

_PAGE: Final = Object(
    {
        "title": TEXT,
        "content": TEXT,
        "format": Choice("markdown", "rdoc", "asciidoc", "org"),
        "author": TEXT,
        "created_at": DATE_TIME,
    },
    required=("title", "content"),
    descriptions={
        "title": "Title, with slashes after its folders.",
        "author": "Username. Default: the first administrator.",
        "created_at": "Default: the time of the project or group.",
    },
)


def _create(entry: Entry) -> Wiki:
    container = entry.owner
    if "bundle" in entry.values:
        return _import_bundle(entry, container)
    ref = BRANCHES + wikis.branch_of(entry.world, container)
    head: str | None = None
    for position, values in enumerate(entry.values["pages"]):
        head = _commit_page(entry, head, values, position)
    if head is None:
        entry.fail("needs pages", "pages")
    return _adopt(entry, container, Map({ref: head}))


def _commit_page(entry: Entry, head: str | None, values: EntryData, position: int) -> str:
    from fakeplat.git.errors import GitError
    from fakeplat.git.records import Person
    from fakeplat.git.tree_editing import Create
    from fakeplat.git.writing import commit_actions

    author = entry.get_user(values["author"], "pages") if values.get("author") else _first_administrator(entry)
    when = from_iso(values.get("created_at") or entry.since) // SECOND
    title = pages.squish_title(values["title"])
    action = Create(pages.path_of(title, values.get("format", pages.MARKDOWN)), values["content"].encode())
    message = f"{author.username} created page: {title}"
    person = Person(author.name, author.email, when)
    try:
        return commit_actions(entry.world.setup.store.objects, head, [action], message, person)
    except GitError as error:
        entry.fail(f"page {position + 1} cannot be created: {error}", "pages")


def _first_administrator(entry: Entry) -> User:
    users = entry.world.users.all()
    return next((user for user in users if user.admin), None) or next(iter(users))


def _import_bundle(entry: Entry, container: Project | Group) -> Wiki:
    from fakeplat.git.errors import GitError
    from fakeplat.git.import_repository import from_bundle

    try:
        imported = from_bundle(entry.world.setup.store.objects, entry.values["bundle"])
    except GitError as error:
        entry.fail(f"cannot be imported: {error}", "bundle")
    return _adopt(entry, container, Map(imported.refs), imported.head)


def _adopt(entry: Entry, container: Project | Group, refs: Refs, head: str | None = None) -> Wiki:
    wiki = wikis.adopt_refs(entry.ctx, container, refs, head)
    # What was never changed by a request has to have an id for comments.
    for page in pages.list_pages(wikis.open_repository(entry.world, container)):
        page_events.get_or_create_meta(entry.world, container, page.slug, page.title)
    return wiki


def _list_wikis(world: World, container: Routable) -> list[Wiki]:
    wiki = world.wikis.find("source", source_of(container))
    return [wiki] if wiki is not None and wiki.refs else []


def _serialize(world: World, wiki: Wiki) -> EntryData:
    from fakeplat.git.bundles import write_bundle

    return {"bundle": b64encode(write_bundle(world.setup.store.objects, wiki.refs, wiki.head)).decode()}


SECTION: Final = derive_section(
    "wiki",
    Wiki,
    within=("project", "group"),
    keys={"pages": ListOf(_PAGE), "bundle": BASE64},
    one_of=("pages", "bundle"),
    descriptions={"pages": "Pages, the oldest first.", "bundle": "A git bundle in base64."},
    create=_create,
    rows=_list_wikis,
    serialize=_serialize,
    single=True,
)


def _create_note(entry: Entry) -> Note:
    values = entry.values
    page = pages.find_page(wikis.open_repository(entry.world, entry.owner), values["page"])
    title = page.title if page else entry.fail(f"unknown page {values['page']!r}", "page")
    meta = page_events.get_or_create_meta(entry.world, entry.owner, values["page"], title)
    created_at = values.get("created_at") or entry.created_at
    updated_at = values.get("updated_at") or created_at
    subject = noteables.subject_of(meta)
    author, body = entry.user("author"), values["body"]
    return notes.insert_note(entry.ctx, subject, author, body, created_at=created_at, updated_at=updated_at)


def _list_notes(world: World, container: Project | Group) -> list[Note]:
    kind = "project" if isinstance(container, Project) else "group"
    metas = world.wiki_page_metas.where(kind, container.id)
    return [note for meta in metas for note in world.notes.where("subject", noteables.subject_of(meta))]


def _serialize_note(world: World, note: Note) -> EntryData:
    return {
        "page": world.wiki_page_metas[note.subject[1]].slug,
        "author": username_of(world, note.author_id),
        "body": note.body,
        "created_at": note.created_at,
        **({"updated_at": note.updated_at} if note.updated_at != note.created_at else {}),
    }


NOTES: Final = derive_section(
    "wiki_notes",
    Note,
    within=("project", "group"),
    rank=ALERTS,
    keys={"page": TEXT, "author": TEXT, "body": TEXT, "created_at": DATE_TIME, "updated_at": DATE_TIME},
    required=("page", "author", "body"),
    descriptions={"page": "Slug of the page.", "author": "Username."},
    create=_create_note,
    rows=_list_notes,
    serialize=_serialize_note,
)
