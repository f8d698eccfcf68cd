"""Wikis of projects and groups: their pages, or a bundle with their history."""

from base64 import b64encode
from typing import Final

from immutables import Map

from fakeplat.core.schema.shapes import BASE64, DATE_TIME, TEXT, Choice, ListOf, Object
from fakeplat.core.timestamps import SECOND, from_iso
from fakeplat.domain.people.members import source_of
from fakeplat.domain.wikis import pages, wikis
from fakeplat.model.people import Group, User
from fakeplat.model.projects import Project, Routable
from fakeplat.model.repository import BRANCHES
from fakeplat.model.wikis import Wiki
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section
from fakeplat.scenario.section import EntryData

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
    return wikis.adopt_refs(entry.ctx, container, Map({ref: head}))


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
    return wikis.adopt_refs(entry.ctx, container, Map(imported.refs), imported.head)


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
