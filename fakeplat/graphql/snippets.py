"""Snippets and their files. Source: docs/platform/graphql.md, docs/platform/snippets.md."""

from collections.abc import Iterable, Sequence
from typing import Final
from urllib.parse import quote

from graphql import GraphQLError

from fakeplat.core.store.frozen import frozen
from fakeplat.domain.markup import markup
from fakeplat.domain.notes import noteables
from fakeplat.domain.snippets import snippet_access, snippet_files
from fakeplat.entities.snippets import SnippetView
from fakeplat.graphql.ids import parse_id
from fakeplat.graphql.people.users import USER
from fakeplat.graphql.projects import PROJECT
from fakeplat.graphql.schema_builder import QUERY, Enumeration, Scalar, Type
from fakeplat.model.people import User
from fakeplat.model.projects import Project
from fakeplat.model.snippets import Snippet
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can_see, is_feature_open
from fakeplat.policy.context import ReadContext

Scalar("SnippetID", "The global ID of a snippet.")
Enumeration(
    "VisibilityScopesEnum",
    "The visibility of snippets.",
    {level: (level, f"It is {level}.") for level in ("private", "internal", "public")},
)
Enumeration(
    "TypeEnum",
    "Where snippets belong.",
    {"personal": ("personal", "To users."), "project": ("project", "To projects.")},
)


def _kind_of(snippet: Snippet) -> str:
    return "PersonalSnippet" if snippet.project_id is None else "ProjectSnippet"


SNIPPET = Type(
    "Snippet", "A snippet: files that are shared.", gid=_kind_of, implements=("Noteable", "NoteableInterface")
)
SNIPPET.attributes(
    {
        "title: String!": "The title.",
        "description: String": "The description.",
        "createdAt: Time!": "Timestamp of creation.",
        "updatedAt: Time!": "Timestamp of the last update.",
    }
)


@SNIPPET.field("visibilityLevel: VisibilityLevelsEnum!")
def visibility_level(_ctx: ReadContext, snippet: Snippet) -> str:
    """The visibility."""
    return snippet.visibility


@SNIPPET.field("hidden: Boolean!", since="<=16.9")
def is_hidden(ctx: ReadContext, snippet: Snippet) -> bool:
    """Whether it is hidden, because its author is banned."""
    author = ctx.world.users.get(snippet.author_id)
    return author is not None and author.state == "banned"


@SNIPPET.field("imported: Boolean!", since="<=18.5")
def is_imported(_ctx: ReadContext, _snippet: Snippet) -> bool:
    """Whether it came with an import; that is not told here."""
    return False


@frozen
class SnippetFile:
    """A file of a snippet."""

    snippet: Snippet
    path: str
    content: bytes
    external_storage: None = None

    @property
    def id(self) -> str:
        """The path, which identifies the file."""
        return self.path


FILE = Type("SnippetBlob", "A file of a snippet.", connection_since="13.6")
FILE.attributes({"path: String": "The path."})


@SNIPPET.field("author: User")
def author(ctx: ReadContext, snippet: Snippet) -> User | None:
    """The author."""
    return ctx.world.users.get(snippet.author_id)


@SNIPPET.field("project: Project")
def project_of(ctx: ReadContext, snippet: Snippet) -> Project | None:
    """The project, if it is visible to the caller."""
    project = snippet_access.project_of(ctx.world, snippet)
    return project if project is not None and can_see(ctx, project) else None


@SNIPPET.field("fileName: String")
def file_name(ctx: ReadContext, snippet: Snippet) -> str:
    """The path of the first file."""
    return snippet_files.first_path(ctx.world, snippet)[0]


@SNIPPET.field("descriptionHtml: String")
def description_html(ctx: ReadContext, snippet: Snippet) -> str:
    """The description rendered as HTML."""
    return markup.render_html(ctx, snippet.description, project_of(ctx, snippet))


@SNIPPET.field("webUrl: String!")
def web_url(ctx: ReadContext, snippet: Snippet) -> str:
    """The URL of the page."""
    return str(SnippetView(snippet, ctx).web_url())


@SNIPPET.field("rawUrl: String!")
def raw_url(ctx: ReadContext, snippet: Snippet) -> str:
    """The URL of the content of the first file."""
    return str(SnippetView(snippet, ctx).raw_url())


@SNIPPET.field("httpUrlToRepo: String")
def http_url(ctx: ReadContext, snippet: Snippet) -> str:
    """The URL of the repository for git over HTTP."""
    return str(SnippetView(snippet, ctx).http_url_to_repo())


@SNIPPET.field("sshUrlToRepo: String")
def ssh_url(ctx: ReadContext, snippet: Snippet) -> str:
    """The URL of the repository for git over SSH."""
    return str(SnippetView(snippet, ctx).ssh_url_to_repo())


PERMISSIONS: Final = Type("SnippetPermissions", "What the caller may do with a snippet.")


@SNIPPET.field("userPermissions: SnippetPermissions!")
def permissions_of(_ctx: ReadContext, snippet: Snippet) -> Snippet:
    """What the caller may do."""
    return snippet


@PERMISSIONS.field("readSnippet: Boolean!")
def may_read(ctx: ReadContext, snippet: Snippet) -> bool:
    """Whether the caller may read it."""
    return snippet_access.is_visible(ctx, snippet)


@PERMISSIONS.field("updateSnippet: Boolean!")
@PERMISSIONS.field("adminSnippet: Boolean!")
def may_change(ctx: ReadContext, snippet: Snippet) -> bool:
    """Whether the caller may change and delete it."""
    return snippet_access.can_change(ctx, snippet)


@PERMISSIONS.field("createNote: Boolean!")
def may_comment(ctx: ReadContext, snippet: Snippet) -> bool:
    """Whether the caller may comment on it."""
    return ctx.viewer is not None and noteables.can_comment(ctx, snippet).allowed


@PERMISSIONS.field("awardEmoji: Boolean!")
def may_award(ctx: ReadContext, snippet: Snippet) -> bool:
    """Whether the caller may award emoji on it."""
    return ctx.viewer is not None and noteables.can_comment(ctx, snippet, Ability.AWARD_EMOJI).allowed


@PERMISSIONS.field("reportSnippet: Boolean!")
def may_report(_ctx: ReadContext, _snippet: Snippet) -> bool:
    """Whether the caller may report it as spam, which no filter here decides."""
    return False


def _list_files(ctx: ReadContext, snippet: Snippet) -> Iterable[SnippetFile]:
    git = snippet_files.open_repository(ctx.world, snippet)
    for path in snippet_files.list_paths(ctx.world, snippet):
        yield SnippetFile(snippet, path, git.file(snippet.head, path))


@SNIPPET.field("blobs(paths: [String!]): SnippetBlobConnection", since="13.6")
def blobs(ctx: ReadContext, snippet: Snippet, paths: Sequence[str] | None = None) -> Sequence[SnippetFile]:
    """The files: all, or those at some paths."""
    return [file for file in _list_files(ctx, snippet) if not paths or file.path in paths]


@SNIPPET.field("blob: SnippetBlob!", until="<=14.1")
def first_blob(ctx: ReadContext, snippet: Snippet) -> SnippetFile | None:
    """The first file."""
    return next(iter(_list_files(ctx, snippet)), None)


FILE.attributes({"externalStorage: String": "The kind of the storage outside of the repository."})


@FILE.field("mode: String")
def mode(_ctx: ReadContext, _file: SnippetFile) -> str:
    """The mode: that of a regular file."""
    return "100644"


@FILE.field("renderedAsText: Boolean!")
def rendered_as_text(ctx: ReadContext, file: SnippetFile) -> bool:
    """Whether it is shown as text."""
    return not binary(ctx, file)


@FILE.field("name: String")
def name(_ctx: ReadContext, file: SnippetFile) -> str:
    """The path."""
    return file.path


@FILE.field("size: Int!")
def size(_ctx: ReadContext, file: SnippetFile) -> int:
    """The number of bytes."""
    return len(file.content)


@FILE.field("binary: Boolean!")
def binary(_ctx: ReadContext, file: SnippetFile) -> bool:
    """Whether it is no text."""
    return b"\0" in file.content


@FILE.field("rawPath: String!")
def raw_path(ctx: ReadContext, file: SnippetFile) -> str:
    """The path of the content."""
    return f"{web_url(ctx, file.snippet).removeprefix(ctx.origin)}/raw/main/{quote(file.path)}"


@FILE.field("plainData: String")
@FILE.field("rawPlainData: String", since="<=14.1")
def text_of(_ctx: ReadContext, file: SnippetFile) -> str | None:
    """The text; null for a binary file."""
    return None if binary(_ctx, file) else file.content.decode("utf-8", "replace")


_ONE_OWNER: Final = "Filtering by both an author and a project is not supported"
_NOT_ENABLED: Final = "Snippets are not enabled for this Project"
_FILTERS: Final = "ids: [SnippetID!], visibility: VisibilityScopesEnum"


def _select(
    ctx: ReadContext, found: Iterable[Snippet], ids: Sequence[str] | None, visibility: str | None, kind: str | None
) -> list[Snippet]:
    wanted = {parse_id(ctx, id_, "Snippet", "PersonalSnippet", "ProjectSnippet") for id_ in ids} if ids else None
    return [
        snippet
        for snippet in found
        if (wanted is None or snippet.id in wanted)
        and visibility in (None, snippet.visibility)
        and kind in (None, "personal" if snippet.project_id is None else "project")
    ]


@QUERY.field(f"snippets({_FILTERS}, authorId: ID, projectId: ID, type: TypeEnum, explore: Boolean): SnippetConnection")
def snippets(
    ctx: ReadContext,
    ids: Sequence[str] | None = None,
    visibility: str | None = None,
    author_id: str | None = None,
    project_id: str | None = None,
    type: str | None = None,
    explore: bool | None = None,
) -> Sequence[Snippet]:
    """The snippets that the caller may see."""
    if author_id and project_id:
        raise GraphQLError(_ONE_OWNER)
    found: Iterable[Snippet] = snippet_access.list_public(ctx) if explore else snippet_access.list_visible(ctx)
    if author_id is not None:
        author_number = parse_id(ctx, author_id, "User")
        found = (snippet for snippet in found if snippet.author_id == author_number)
    if project_id is not None:
        project_number = parse_id(ctx, project_id, "Project")
        found = (snippet for snippet in found if snippet.project_id == project_number)
    return _select(ctx, found, ids, visibility, type)


@PROJECT.field(f"snippets({_FILTERS}): SnippetConnection")
def snippets_of_project(
    ctx: ReadContext, project: Project, ids: Sequence[str] | None = None, visibility: str | None = None
) -> Sequence[Snippet]:
    """The snippets of the project."""
    if not is_feature_open(ctx, project, "snippets"):
        raise GraphQLError(_NOT_ENABLED)
    return _select(ctx, snippet_access.list_project_snippets(ctx, project), ids, visibility, None)


@USER.field(f"snippets({_FILTERS}, type: TypeEnum): SnippetConnection")
def snippets_of_user(
    ctx: ReadContext,
    user: User,
    ids: Sequence[str] | None = None,
    visibility: str | None = None,
    type: str | None = None,
) -> Sequence[Snippet]:
    """The snippets of the user that the caller may see."""
    found = (snippet for snippet in snippet_access.list_visible(ctx) if snippet.author_id == user.id)
    return _select(ctx, found, ids, visibility, type)
