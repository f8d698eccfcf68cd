"""Wikis: how they are opened, and how their pages are created, changed and deleted. Source: docs/platform/wikis.md.

The repository is the only place of the pages: a push changes them as the API does.
"""

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from fakeplat.core.operations.errors import InvalidRecord, NotFound
from fakeplat.core.params.body import Upload
from fakeplat.core.store.frozen import frozen
from fakeplat.core.store.persistent_map import Map
from fakeplat.domain import signals, uploads
from fakeplat.domain.people.members import source_of
from fakeplat.domain.people.namespaces import full_path, project_path
from fakeplat.domain.repository.repositories import choose_default_branch, git_person
from fakeplat.domain.settings import default_branch
from fakeplat.domain.validation import BLANK, ValidationErrors, human_size
from fakeplat.domain.wikis import pages
from fakeplat.domain.wikis.pages import MARKDOWN, RenderedPage, WikiPage
from fakeplat.model.activity import Action as EventAction
from fakeplat.model.projects import Container, Project
from fakeplat.model.repository import BRANCHES, Refs
from fakeplat.model.wikis import Wiki
from fakeplat.model.world import World
from fakeplat.policy.context import ReadContext, WriteContext

if TYPE_CHECKING:
    from fakeplat.git.repository import Repository as Git
    from fakeplat.git.tree_editing import Action

_LONGEST_TITLE: Final = 245
_LONGEST_FOLDER: Final = 255
_LONGEST_FILE_NAME: Final = 255
_UPLOADS: Final = "uploads"
_TITLE_TAKEN: Final = "There is already a page with the same title in that path."
_INVALID_PATH: Final = "Invalid path"


@frozen
class Attachment:
    """A file in a wiki's repository that pages refer to."""

    file_name: str
    file_path: str
    branch: str


def find_wiki(world: World, container: Container) -> Wiki | None:
    """Return the wiki of a project or group; None as long as nothing was written to it."""
    return world.wikis.find("source", source_of(container))


def open_repository(world: World, container: Container) -> "Git":
    """Open the repository of a wiki for reading; it is empty if nothing was written to it."""
    from fakeplat.git.repository import Repository as Git

    wiki, objects = find_wiki(world, container), world.setup.store.objects
    return Git(objects, wiki.refs, wiki.head) if wiki else Git(objects, Map(), _first_head(world))


def _first_head(world: World) -> str:
    return BRANCHES + default_branch(world)


def size_of(world: World, container: Container) -> int:
    """Return the size in bytes of a wiki's repository."""
    return 0 if find_wiki(world, container) is None else open_repository(world, container).size()


def get_page(world: World, container: Container, slug: str, revision: str = "HEAD") -> WikiPage:
    """Return the page with a slug; 404 if there is none at the revision."""
    page = pages.find_page(open_repository(world, container), slug, revision)
    if page is None:
        raise NotFound("Wiki Page", reason=f"no page of the wiki of {container.path} has the slug {slug!r}")
    return page


def render_page(ctx: ReadContext, container: Container, page: WikiPage) -> RenderedPage:
    """Render a page as HTML, with references of the project. The text of other formats than Markdown is escaped."""
    from fakeplat.domain.markup import markup, wiki_links  # few worlds render pages

    if page.format != MARKDOWN:
        return RenderedPage(page.path, page.sha, page.git, f"<pre>{escape(page.content)}</pre>", meta_id=page.meta_id)
    project = container if isinstance(container, Project) else None
    place = wiki_links.WikiPlace(_base_path(ctx.world, container), page.slug, page.has_file)
    html = markup.render_html(ctx, page.content, project, place)
    return RenderedPage(page.path, page.sha, page.git, html, meta_id=page.meta_id)


def _base_path(world: World, container: Container) -> str:
    """Return the path of a wiki in URLs."""
    if isinstance(container, Project):
        return f"/{project_path(world, container)}/-/wikis"
    return f"/groups/{full_path(world, container)}/-/wikis"


def page_url(ctx: ReadContext, container: Container, page: WikiPage) -> str:
    """Return the URL of a page."""
    return f"{ctx.origin}{_base_path(ctx.world, container)}/{quote(page.slug)}"


def create_page(
    ctx: WriteContext, container: Container, title: str, content: str, markup: str, message: str | None = None
) -> WikiPage:
    """Create a page; 400 if it is invalid, or if a page has its name already."""
    full_title = pages.squish_title(title)
    _check_page(ctx, full_title, content)
    git, path = open_repository(ctx.world, container), pages.path_of(full_title, markup)
    duplicate = pages.find_duplicate(git, path)
    if duplicate is not None:
        folder, _, name = path.rpartition("/")
        # The root is shown as a folder of its own.
        texts = f"Cannot write {folder or '/'}/{name}, found {folder or '/'}/{duplicate}."
        raise InvalidRecord({"base": [f"Duplicate page: {texts}"]})
    from fakeplat.git.tree_editing import Create

    _commit(ctx, container, [Create(path, _encode(content))], message or _message(ctx, "created", full_title))
    page = get_page(ctx.world, container, full_title)
    _report(ctx, container, "created", page)
    return page


def update_page(
    ctx: WriteContext,
    container: Container,
    page: WikiPage,
    *,
    title: str | None = None,
    content: str | None = None,
    markup: str,
    message: str | None = None,
) -> WikiPage:
    """Change a page; a new title moves it, within its folder unless the title has folders."""
    full_title = _title_of_update(page, title) if title is not None else page.title
    text = page.content if content is None else content
    _check_page(ctx, full_title, text)
    moved = _has_moved(page, full_title)
    if moved and pages.find_page(page.git, full_title) is not None:
        raise InvalidRecord({"base": [_TITLE_TAKEN]})
    path = pages.path_of(full_title if moved else pages.split_extension(page.path)[0], markup)
    actions = _moving_actions(page, path, _encode(text))
    _commit(ctx, container, actions, message or _message(ctx, "updated", page.title))
    changed = get_page(ctx.world, container, pages.split_extension(path)[0])
    _report(ctx, container, "updated", changed, page.slug)
    return changed


def delete_page(ctx: WriteContext, container: Container, page: WikiPage) -> None:
    """Delete a page."""
    from fakeplat.git.tree_editing import Delete

    _commit(ctx, container, [Delete(page.path)], _message(ctx, "deleted", page.title))
    _report(ctx, container, "destroyed", page)


def _report(ctx: WriteContext, container: Container, action: EventAction, page: WikiPage, old_slug: str = "") -> None:
    signals.wiki_page_changed.send(ctx, container, action, page, old_slug)


def attach_file(ctx: WriteContext, container: Container, upload: Upload, branch: str | None) -> Attachment:
    """Commit a file to the repository of a wiki, under a random name."""
    from fakeplat.git.tree_editing import Create

    name = _shorten_name(uploads.base_name(upload.filename))
    path = f"{_UPLOADS}/{ctx.random_hex('wiki attachment')}/{name}"
    target = branch or branch_of(ctx.world, container)
    _commit(ctx, container, [Create(path, upload.data)], f"Upload attachment {name}", target)
    return Attachment(name, path, target)


def branch_of(world: World, container: Container) -> str:
    """Return the branch of a wiki that has its pages."""
    wiki = find_wiki(world, container)
    return (wiki.head if wiki else _first_head(world)).removeprefix(BRANCHES)


def move_refs(ctx: WriteContext, container: Container, updates: Mapping[str, str | None]) -> None:
    """Move refs (full names) to other hashes; None deletes a ref."""
    wiki = find_wiki(ctx.world, container)
    refs: Refs = wiki.refs if wiki else Map()
    for name, sha in updates.items():
        # A deletion of a ref that does not exist is ignored, as by git.
        refs = refs.set(name, sha) if sha else refs.delete(name) if name in refs else refs
    adopt_refs(ctx, container, refs)


def adopt_refs(ctx: WriteContext, container: Container, refs: Refs, head: str | None = None) -> Wiki:
    """Set the refs of a wiki to objects in the store, replacing any others. ``head``: the ref that HEAD pointed to."""
    table, wiki = ctx.world.wikis, find_wiki(ctx.world, container)
    head_ref = head or (wiki.head if wiki else _first_head(ctx.world))
    # The first push may be of another branch.
    branch = choose_default_branch(refs, head_ref)
    head_ref = BRANCHES + branch if branch else head_ref
    if wiki is not None:
        return table.change(wiki, refs=refs, head=head_ref)
    return table.add(Wiki(table.next_id(), source_of(container), refs, head_ref))


def _commit(
    ctx: WriteContext, container: Container, actions: "Sequence[Action]", message: str, branch: str | None = None
) -> None:
    from fakeplat.git.errors import BadName, BadPath, EditRefused
    from fakeplat.git.name_checks import check_branch
    from fakeplat.git.writing import commit_actions

    git, author = open_repository(ctx.world, container), git_person(ctx, ctx.signed_in_user)
    try:
        ref = check_branch(branch or branch_of(ctx.world, container))
        sha = commit_actions(git.objects, git.refs.get(ref), actions, message, author)
    except (BadName, BadPath, EditRefused) as error:
        raise InvalidRecord({"base": [_INVALID_PATH]}, reason=f"{type(error).__name__}: {error}") from None
    move_refs(ctx, container, {ref: sha})
    if isinstance(container, Project):
        ctx.world.projects.change(ctx.world.projects[container.id], last_activity_at=ctx.now_iso)


def _moving_actions(page: WikiPage, path: str, content: bytes) -> "Sequence[Action]":
    from fakeplat.git.tree_editing import Move, Update

    return [Update(path, content)] if path == page.path else [Move(page.path, path, content)]


def _title_of_update(page: WikiPage, title: str) -> str:
    """Return the title with folders of an update: without any, the page stays in its folder."""
    squished = pages.squish_title(title)
    folder, slash, name = squished.rpartition("/")
    # A leading slash stands for the root.
    return name if slash and not folder else squished if slash else pages.join_path(page.folder, squished)


def _has_moved(page: WikiPage, full_title: str) -> bool:
    folder, _, name = full_title.rpartition("/")
    in_words = name.replace("-", " ")
    return in_words != page.title or ("/" in full_title and folder.replace("-", " ") != page.folder.replace("-", " "))


def _check_page(ctx: WriteContext, title: str, content: str) -> None:
    errors = ValidationErrors()
    *folders, name = title.split("/")
    errors.when(not title.strip("/"), "title", BLANK)
    errors.when(len(_encode(name)) > _LONGEST_TITLE, "title", f"exceeds the limit of {_LONGEST_TITLE} bytes")
    for folder in folders:
        text = f'exceeds the limit of {_LONGEST_FOLDER} bytes for directory name "{folder}"'
        errors.when(len(_encode(folder)) > _LONGEST_FOLDER, "title", text)
    errors.when(not content.strip(), "content", BLANK)
    size, limit = len(_encode(content)), ctx.world.settings.wiki_page_max_content_bytes
    errors.when(size > limit, "content", f"is too long ({human_size(size)}). The maximum size is {human_size(limit)}.")
    errors.refuse()


def _encode(text: str) -> bytes:
    # Lone surrogates, which JSON can contain, have no encoding and are replaced.
    return text.encode(errors="replace")


def _message(ctx: WriteContext, action: str, title: str) -> str:
    return f"{ctx.signed_in_user.username} {action} page: {title}"


def _shorten_name(name: str) -> str:
    if len(name) <= _LONGEST_FILE_NAME:
        return name
    stem, extension = pages.split_extension(name)
    ending = f".{extension}" if extension else ""
    return stem[: _LONGEST_FILE_NAME - len(ending)] + ending
