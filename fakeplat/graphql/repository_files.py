"""Files and folders of repositories, and commits of files. Source: docs/platform/graphql.md."""

from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, TypedDict, Unpack

from fakeplat.api.repository.commits import decode_content
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.ci import ci_files
from fakeplat.domain.repository import commit_actions, commits, lfs, protection, repositories
from fakeplat.domain.repository.commit_actions import Action, NewCommit
from fakeplat.domain.repository.commits import CommitFilter, ProjectCommit
from fakeplat.entities import urls
from fakeplat.graphql.errors import collect_errors
from fakeplat.graphql.ids import global_id
from fakeplat.graphql.lookups import require_project
from fakeplat.graphql.repository import COMMIT, REPOSITORY, TREE, Repository, Tree
from fakeplat.graphql.schema_builder import Enumeration, Input, Interface, Type, mutation
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import can
from fakeplat.policy.context import ReadContext, WriteContext

if TYPE_CHECKING:
    from fakeplat.git.repository import Repository as Git

ActionName = Literal["create", "update", "move", "delete", "chmod"]
_FIELDS: Final = {
    "id: ID!": "The global ID.",
    "name: String!": "The name.",
    "path: String!": "The path.",
    "flatPath: String!": "The path of the innermost folder that does not just contain another one.",
    "sha: String!": "The SHA.",
    "type: EntryType!": "The type.",
}
Enumeration(
    "EntryType",
    "The type of an entry of a folder.",
    {"tree": ("tree", "A folder."), "blob": ("blob", "A file."), "commit": ("commit", "A submodule.")},
)


@frozen
class FileEntry:
    """A file or folder of a repository at a commit."""

    commit: ProjectCommit
    path: str
    sha: str
    type: str
    mode: str

    @property
    def id(self) -> str:
        """The SHA, which identifies the content."""
        return self.sha

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rpartition("/")[2]

    @property
    def flat_path(self) -> str:
        """The path."""
        return self.path


_TYPE_NAMES: Final = {"tree": "TreeEntry", "blob": "Blob"}
Interface("Entry", "An entry of a folder.", _FIELDS, type_of=lambda entry: _TYPE_NAMES[entry.type])
TREE_ENTRY = Type("TreeEntry", "A folder in a folder.", implements=("Entry",))
BLOB = Type("Blob", "A file in a folder.", implements=("Entry",))
BLOB.attributes({"mode: String": "The mode of the file."})
for _type in (TREE_ENTRY, BLOB):
    _type.attributes({signature: text for signature, text in _FIELDS.items() if not signature.startswith("id")})


@TREE_ENTRY.field("id: ID!")
@BLOB.field("id: ID!")
def id_of(ctx: ReadContext, entry: FileEntry) -> str:
    """The global ID."""
    return global_id(ctx, "Gitlab::Graphql::Representation::TreeEntry", entry.sha)


@TREE_ENTRY.field("webUrl: String")
@BLOB.field("webUrl: String")
def web_url(ctx: ReadContext, entry: FileEntry) -> str:
    """The URL of the page."""
    return f"{ctx.origin}{web_path(ctx, entry)}"


@TREE_ENTRY.field("webPath: String")
@BLOB.field("webPath: String")
def web_path(ctx: ReadContext, entry: FileEntry) -> str:
    """The path of the page."""
    project_path = urls.project_url(ctx, entry.commit.project).removeprefix(ctx.origin)
    return f"{project_path}/-/{entry.type}/{entry.commit.commit.sha}/{entry.path}"


@frozen
class Folder(Tree):
    """A folder at a commit, below the root, and whether what is in its folders is shown, too."""

    path: str = ""
    recursive: bool = False
    ref_type: str | None = None

    @property
    def id(self) -> str:
        """The path, which identifies the folder at its commit."""
        return self.path


def _list_entries(ctx: ReadContext, tree: Tree, kind: str) -> list[FileEntry]:
    from fakeplat.git.errors import UnknownPath

    folder = _folder_of(tree)
    git = _open(ctx, tree.commit.project)
    try:
        entries = git.tree(tree.commit.commit.sha, folder.path, recursive=folder.recursive)
    except UnknownPath:
        return []
    return [
        FileEntry(tree.commit, entry.path, entry.sha, entry.kind, f"{entry.mode:06o}")
        for entry in entries
        if entry.kind == kind
    ]


def _open(ctx: ReadContext, project: Project) -> "Git":
    return repositories.open_repository(ctx.world, project)


def _folder_of(tree: Tree) -> Folder:
    return tree if isinstance(tree, Folder) else Folder(tree.commit)


@TREE.field("lastCommit: Commit")
def last_commit(ctx: ReadContext, tree: Tree) -> ProjectCommit | None:
    """The newest commit that changed the folder."""
    folder, project = _folder_of(tree), tree.commit.project
    commit = _open(ctx, project).last_commit(tree.commit.commit.sha, folder.path) if folder.path else tree.commit.commit
    return ProjectCommit(project, commit) if commit is not None else None


@TREE.field("permalinkPath: String", since="17.11")
def permalink_path_of(ctx: ReadContext, tree: Tree) -> str:
    """The path of the page at the commit."""
    page = f"{urls.project_url(ctx, tree.commit.project).removeprefix(ctx.origin)}/-/tree/{tree.commit.commit.sha}"
    return f"{page}/{_folder_of(tree).path}".rstrip("/")


@TREE.field("trees: TreeEntryConnection!")
def trees(ctx: ReadContext, tree: Tree) -> Sequence[FileEntry]:
    """The folders."""
    return _list_entries(ctx, tree, "tree")


@TREE.field("blobs: BlobConnection!")
def blobs(ctx: ReadContext, tree: Tree) -> Sequence[FileEntry]:
    """The files."""
    return _list_entries(ctx, tree, "blob")


_REF_TYPE: Final = 'refType: RefType @lifetime(since: "<=16.2")'
_WHERE: Final = f"path: String, ref: String, recursive: Boolean = false, {_REF_TYPE}"
Enumeration(
    "RefType",
    "The kind of a ref.",
    {"HEADS": ("heads", "A branch."), "TAGS": ("tags", "A tag.")},
    since="<=16.2",
)


class Place(TypedDict, total=False):
    """Where a folder is: its path, its ref and the kind of that, and whether what is below it is shown, too."""

    path: str | None
    ref: str | None
    recursive: bool | None
    ref_type: str | None


def _find_commit(ctx: ReadContext, project: Project, ref: str | None, ref_type: str | None) -> ProjectCommit | None:
    revision = ref or (project.default_branch if ref_type else None) or commits.HEAD
    return commits.find_commit(ctx.world, project, f"refs/{ref_type}/{revision}" if ref_type else revision)


def find_folder(ctx: ReadContext, repository: Repository, place: Place) -> Folder | None:
    """Return a folder at a ref, by default at the default branch."""
    ref_type = place.get("ref_type")
    commit = _find_commit(ctx, repository.project, place.get("ref"), ref_type)
    path, recursive = (place.get("path") or "").strip("/"), bool(place.get("recursive"))
    return Folder(commit, path, recursive=recursive, ref_type=ref_type) if commit is not None else None


@REPOSITORY.field(f"tree({_WHERE}): Tree")
def tree(ctx: ReadContext, repository: Repository, **place: Unpack[Place]) -> Folder | None:
    """A folder at a ref, by default the root of the default branch."""
    return find_folder(ctx, repository, place)


@frozen
class RepositoryFile:
    """A file at a commit with its content."""

    entry: FileEntry
    content: bytes
    ref: str
    ref_type: str | None = None

    @property
    def id(self) -> str:
        """The SHA."""
        return self.entry.sha

    @property
    def path(self) -> str:
        """The path."""
        return self.entry.path

    @property
    def pointer(self) -> lfs.Pointer | None:
        """What it points to, if it is a pointer of Git LFS."""
        return lfs.parse_pointer(self.content)

    @property
    def raw_size(self) -> int:
        """The number of bytes; of one in Git LFS, those of what it points to."""
        pointer = self.pointer if self.stored_externally else None
        return pointer.size if pointer is not None else len(self.content)

    @property
    def stored_externally(self) -> bool:
        """Whether the content is outside of the repository: in Git LFS."""
        return self.project.lfs_enabled and self.pointer is not None

    @property
    def project(self) -> Project:
        """The project."""
        return self.entry.commit.project


FILE = Type("RepositoryBlob", "A file of a repository.", since="<=14.0")


def _page(ctx: ReadContext, file: RepositoryFile, rest: str) -> str:
    return f"{urls.project_url(ctx, file.project).removeprefix(ctx.origin)}/-/{rest}"


def page_at_ref(ctx: ReadContext, file: RepositoryFile, kind: str) -> str:
    """Return the path of a page of a file, with the kind of its ref if that was given."""
    kind_of_ref = f"?ref_type={file.ref_type}" if file.ref_type else ""
    return _page(ctx, file, f"{kind}/{file.ref}/{file.path}{kind_of_ref}")


def _file_field(signature: str, attribute: str, description: str, since: str = "") -> None:
    def value(_ctx: ReadContext, file: RepositoryFile) -> Any:
        return getattr(file.entry, attribute)

    FILE.field(signature, since=since, description=description)(value)


_file_field("name: String", "name", "The name.")
_file_field("path: String!", "path", "The path.")
_file_field("oid: String!", "sha", "The SHA.")
_file_field("mode: String", "mode", "The mode.")


@FILE.field("id: ID!")
def id_of_file(ctx: ReadContext, file: RepositoryFile) -> str:
    """The global ID."""
    return id_of(ctx, file.entry)


@FILE.field("webPath: String")
def web_path_of_file(ctx: ReadContext, file: RepositoryFile) -> str:
    """The path of the page."""
    return page_at_ref(ctx, file, "blob")


@FILE.field("rawPath: String")
def raw_path(ctx: ReadContext, file: RepositoryFile) -> str:
    """The path of the content."""
    return page_at_ref(ctx, file, "raw")


@FILE.field("rawBlob: String")
@FILE.field("rawTextBlob: String")
@FILE.field("plainData: String")
def text_of(_ctx: ReadContext, file: RepositoryFile) -> str | None:
    """The text; null for a binary file."""
    return None if b"\0" in file.content else file.content.decode("utf-8", "replace")


@FILE.field("size: BigInt")
def size_of(_ctx: ReadContext, file: RepositoryFile) -> int:
    """The number of bytes."""
    return len(file.content)


@FILE.field("rawSize: BigInt")
def raw_size_of(_ctx: ReadContext, file: RepositoryFile) -> int:
    """The number of bytes; of one in Git LFS, those of what it points to."""
    return file.raw_size


_PAGES: Final = "<=14.9"
_VIEWS: Final = "<=14.10"


def _declare_page(signature: str, template: str, description: str, since: str) -> None:
    def page(ctx: ReadContext, file: RepositoryFile) -> str:
        return _page(ctx, file, template.format(ref=file.ref, path=file.entry.path, sha=file.entry.commit.commit.sha))

    FILE.field(signature, since=since, description=description)(page)


def _declare_page_at_ref(signature: str, kind: str, description: str, since: str) -> None:
    def page(ctx: ReadContext, file: RepositoryFile) -> str:
        return page_at_ref(ctx, file, kind)

    FILE.field(signature, since=since, description=description)(page)


_declare_page_at_ref("blamePath: String", "blame", "The path of who wrote which line.", _PAGES)
_declare_page_at_ref("historyPath: String", "commits", "The path of the commits that changed it.", _PAGES)
_declare_page_at_ref("editBlobPath: String", "edit", "The path of the editor.", "")
_declare_page_at_ref("replacePath: String", "update", "The path of where another file replaces it.", "")
_declare_page("permalinkPath: String", "blob/{sha}/{path}", "The path of the page at the commit.", _PAGES)
_declare_page("findFilePath: String", "find_file/{ref}", "The path of the search for files.", _PAGES)
_declare_page("projectBlobPathRoot: String", "blob/{ref}", "The beginning of the paths of files.", _VIEWS)


@FILE.field("pipelineEditorPath: String", since=_PAGES)
def pipeline_editor_path(ctx: ReadContext, file: RepositoryFile) -> str | None:
    """The path of the editor of CI configurations, if it is one and the caller may change it."""
    is_configuration = file.entry.path == ci_files.ci_path(file.project)
    may_change = is_configuration and can(ctx, Ability.PUSH_CODE, file.project)
    return _page(ctx, file, f"ci/editor?branch_name={file.ref}") if may_change else None


@FILE.field("canCurrentUserPushToBranch: Boolean", since=_PAGES)
def may_push(ctx: ReadContext, file: RepositoryFile) -> bool:
    """Whether the caller may push to the branch."""
    is_branch = file.ref in _open(ctx, file.project).branches()
    return is_branch and can(ctx, Ability.PUSH_CODE, file.project) and protection.can_push(ctx, file.project, file.ref)


@FILE.field("archived: Boolean", since=_PAGES)
def is_archived(_ctx: ReadContext, file: RepositoryFile) -> bool:
    """Whether the project is archived."""
    return file.project.archived


@FILE.field("base64EncodedBlob: String", since="17.1")
def base64_of(_ctx: ReadContext, file: RepositoryFile) -> str:
    """The content in Base64."""
    return b64encode(file.content).decode()


@FILE.field("storedExternally: Boolean")
def is_stored_externally(_ctx: ReadContext, file: RepositoryFile) -> bool:
    """Whether the content is in Git LFS."""
    return file.stored_externally


@FILE.field("externalStorage: String", since=_PAGES)
def external_storage(_ctx: ReadContext, file: RepositoryFile) -> str | None:
    """Where it is stored if not in the repository: in Git LFS."""
    return "lfs" if file.stored_externally else None


@FILE.field("lfsOid: String")
def lfs_oid(_ctx: ReadContext, file: RepositoryFile) -> str | None:
    """The hash of what it points to, if it is a pointer of Git LFS."""
    return file.pointer.oid if file.pointer is not None else None


def _declare_absent(signature: str, description: str, since: str) -> None:
    def absent(_ctx: ReadContext, _file: RepositoryFile) -> None:
        return None

    FILE.field(signature, since=since, description=description)(absent)


_declare_absent("externalStorageUrl: String", "The URL of a cache outside; null, as there is none.", _VIEWS)
_declare_absent("gitpodBlobUrl: String", "The URL in an editor outside; null, as it is not enabled.", _VIEWS)
_declare_absent("codeNavigationPath: String", "The path of an index of the code; null, as no job makes one.", _VIEWS)


@REPOSITORY.field(f"blobs(paths: [String!]!, ref: String, {_REF_TYPE}): RepositoryBlobConnection", since="<=14.0")
def files_at(
    ctx: ReadContext,
    repository: Repository,
    paths: Sequence[str],
    ref: str | None = None,
    ref_type: str | None = None,
) -> Sequence[RepositoryFile]:
    """The files at some paths."""
    commit = _find_commit(ctx, repository.project, ref, ref_type)
    shown = ref or repository.project.default_branch or commits.HEAD
    return [*_read_files(ctx, commit, paths, shown, ref_type)] if commit is not None else []


def _read_files(
    ctx: ReadContext, commit: ProjectCommit, paths: Iterable[str], ref: str, ref_type: str | None
) -> Iterable[RepositoryFile]:
    git = _open(ctx, commit.project)
    for path in paths:
        entry = git.entry(commit.commit.sha, path.strip("/")) if path.strip("/") else None
        if entry is not None and entry.kind == "blob":
            found = FileEntry(commit, path.strip("/"), entry.sha, entry.kind, f"{entry.mode:06o}")
            yield RepositoryFile(found, git.objects.blob(entry.sha), ref, ref_type)


@REPOSITORY.field(f"paginatedTree({_WHERE}): TreeConnection", since="<=14.3")
def paginated_tree(ctx: ReadContext, repository: Repository, **place: Unpack[Place]) -> Sequence[Folder]:
    """A folder, as the only row of a list."""
    folder = find_folder(ctx, repository, place)
    return [folder] if folder is not None else []


@REPOSITORY.field(
    "commits(ref: String!, author: String, committedBefore: Time, committedAfter: Time): CommitConnection", since="18.4"
)
def list_commits(
    ctx: ReadContext,
    repository: Repository,
    ref: str,
    author: str | None = None,
    committed_before: str | None = None,
    committed_after: str | None = None,
) -> Sequence[ProjectCommit]:
    """The commits of a ref, newest first."""
    criteria = CommitFilter(ref, since=committed_after, until=committed_before, author=author or "")
    return commits.list_commits(ctx, repository.project, criteria)


@COMMIT.field("description: String")
def description(_ctx: ReadContext, commit: ProjectCommit) -> str:
    """The message without its first line."""
    return commit.commit.message.partition("\n")[2].strip()


@COMMIT.field("webPath: String!")
def web_path_of_commit(ctx: ReadContext, commit: ProjectCommit) -> str:
    """The path of the page."""
    return f"{urls.project_url(ctx, commit.project).removeprefix(ctx.origin)}/-/commit/{commit.commit.sha}"


# Commits of files

Enumeration(
    "CommitActionMode",
    "What happens to a file.",
    {word.upper(): (word, f"{word.title()} the file.") for word in ("create", "delete", "move", "update", "chmod")},
)
Enumeration(
    "CommitEncoding",
    "The encoding of the content of a file.",
    {"TEXT": ("text", "As it is."), "BASE64": ("base64", "In Base64.")},
)
Input(
    "CommitAction",
    "What happens to a file.",
    '''
"""The action."""
action: CommitActionMode!
"""The path."""
filePath: String!
"""The content."""
content: String
"""The path before the action."""
previousPath: String
"""The commit that the client knows as the last one of the file."""
lastCommitId: String
"""The encoding of the content."""
encoding: CommitEncoding
"""Whether the file can be executed."""
executeFilemode: Boolean
''',
)


class FileAction(TypedDict, total=False):
    """What happens to a file, as clients send it."""

    action: ActionName
    file_path: str
    content: str | None
    previous_path: str | None
    last_commit_id: str | None
    encoding: Literal["text", "base64"] | None
    execute_filemode: bool | None


@mutation(
    "commitCreate",
    input_fields='''
"""The full path of the project."""
projectPath: ID!
"""The branch."""
branch: String!
"""The branch to start from, if the branch is new."""
startBranch: String @lifetime(since: "<=13.6")
"""The message."""
message: String!
"""What happens to the files."""
actions: [CommitAction!]!
''',
    payload_fields='"""The commit."""\ncommit: Commit',
)
def commit_create(
    ctx: WriteContext,
    project_path: str,
    branch: str,
    message: str,
    actions: Sequence[FileAction],
    start_branch: str | None = None,
) -> Mapping[str, Any]:
    """Create a commit that changes files."""
    project = require_project(ctx, project_path)
    with collect_errors(commit=None):
        commit_actions.authorize_push(ctx, project, branch)
        new = NewCommit(branch, message, [_read_action(action) for action in actions], start_branch=start_branch)
        return {"commit": commit_actions.commit(ctx, project, new)}


def _read_action(sent: FileAction) -> Action:
    content = sent.get("content")
    return Action(
        sent["action"],
        sent["file_path"],
        None if content is None else decode_content(content, sent.get("encoding") or "text"),
        # As in REST, other actions ignore the former path.
        (sent.get("previous_path") or "") if sent["action"] == "move" else "",
        bool(sent.get("execute_filemode")),
        sent.get("last_commit_id") or "",
    )
