"""Files of repositories. Source: docs/platform/repository-files.md."""

from collections.abc import Sequence
from re import search
from typing import Annotated, Final, Literal

from typing_extensions import override

from fakeplat.api.repository.commit_bodies import FileBody, check_file_body, count_large, is_true, refuse_files
from fakeplat.api.repository.commits import decode_content
from fakeplat.api.repository.repository import render_raw_file
from fakeplat.api.scopes import PROJECT
from fakeplat.core.operations.content_disposition import content_disposition
from fakeplat.core.operations.errors import BadRequest, NotFound
from fakeplat.core.operations.http_messages import Headers, RawBody
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.vendor_names import vendor_headers
from fakeplat.core.params.params import Check, NotBlank, Params
from fakeplat.core.release import Lifetime, Profile, Required
from fakeplat.domain.repository import commit_actions, lfs, repository_files
from fakeplat.domain.repository.commit_actions import Action, NewCommit
from fakeplat.domain.repository.repository_files import FileBlame, RepositoryFile
from fakeplat.entities.repository.repository_files import BlameView, FileView, file_headers
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize
from fakeplat.policy.behaviours import BODIES_OF_FILES_ARE_READ_LATE, JOBS_READ_REPOSITORIES, RAW_FILES_ARE_POINTERS
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Repository files", login=Login.NEVER, scopes=("read_repository",))

PATH: Final = "repository/files/:file_path"


# The first digits of a hash name the folders of the stored file.
_FOLDERS_OF_LARGE_FILES: Final = 4
_INVALID_PATH: Final = "should be a valid file path"


def _check_path(path: str) -> str | None:
    # Refuses absolute paths and ``..`` as a part between slashes or backslashes: ``a/../b``, but not ``a..b``.
    return _INVALID_PATH if path.startswith("/") or search(r"(^|[/\\])\.\.($|[/\\])", path) else None


FilePath = Annotated[str, Check(_check_path, null=_INVALID_PATH, strict=False, absent=_INVALID_PATH)]
"""A relative path that stays inside the repository."""


class GetFile(Params):
    """The revision to read from."""

    ref: Annotated[str, NotBlank]


def _check_line(number: int) -> str | None:
    return None if number > 0 else "does not have a valid value"


Line = Annotated[int, Check(_check_line, null="is empty", absent="is empty")]


class BlameRange(Params):
    """The first and the last line to blame."""

    start: Line
    end: Line


class GetBlame(GetFile):
    """The revision to read from, and the lines to blame."""

    range: Annotated[BlameRange | None, Lifetime(since="<=16.0")] = None


class GetRawFile(Params):
    """The revision to read from; the head of the default branch unless it is sent."""

    ref: Annotated[str | None, NotBlank, Required(until="13.11")] = None
    lfs: Annotated[bool, Lifetime(since="<=17.2")] = False


def _file_headers(ctx: ReadContext, _p: object, file: RepositoryFile) -> Headers:
    return vendor_headers(file_headers(ctx, file))


@area.operation(
    "GET",
    PATH,
    scope=PROJECT,
    ability=Ability.DOWNLOAD_CODE,
    params=GetFile,
    view=FileView,
    headers=_file_headers,
    refusals=(404,),
)
def get_repository_file(ctx: ReadContext, project: Project, file_path: FilePath, p: GetFile) -> RepositoryFile:
    """Get a file with its content."""
    return repository_files.get_file(ctx.world, project, file_path, p.ref)


@area.operation(
    "GET",
    f"{PATH}/raw",
    scope=PROJECT,
    ability=Ability.DOWNLOAD_CODE,
    params=GetRawFile,
    refusals=(404,),
    job_token=JOBS_READ_REPOSITORIES,
)
def get_repository_file_raw(ctx: ReadContext, project: Project, file_path: FilePath, p: GetRawFile) -> RawBody:
    """Download a file."""
    file = repository_files.get_file(ctx.world, project, file_path, p.ref)
    pointer = lfs.parse_pointer(file.content) if p.lfs and project.lfs_enabled else None
    if pointer is not None:
        return _render_large_file(ctx, project, pointer.oid)
    resolves = not ctx.profile.has(RAW_FILES_ARE_POINTERS)
    content = lfs.resolve_pointer(ctx.world, project, file.content) if resolves else file.content
    return render_raw_file(content, file.entry.name, vendor_headers(file_headers(ctx, file)))


def _render_large_file(ctx: ReadContext, project: Project, oid: str) -> RawBody:
    """Return a stored file of Git LFS, named as the platform stores it; 404 if it was never uploaded."""
    stored = lfs.find_object(ctx.world, project, oid)
    if stored is None:
        raise NotFound(reason=f"the large file {oid} was not uploaded to the project")
    headers = (
        ("Content-Disposition", content_disposition("attachment", oid[_FOLDERS_OF_LARGE_FILES:])),
        ("Content-Transfer-Encoding", "binary"),
    )
    return RawBody(stored.content, "application/octet-stream", headers)


# A list, because the operation returns rows; the headers of the response need the file as well.
class BlameFile(list[FileBlame]):
    """The blame of a file, with the file itself."""

    def __init__(self, file: RepositoryFile, rows: Sequence[FileBlame]) -> None:
        super().__init__(rows)
        self.file = file


def _blame_headers(ctx: ReadContext, _p: object, blame: BlameFile) -> Headers:
    return vendor_headers(file_headers(ctx, blame.file))


@area.operation(
    "GET",
    f"{PATH}/blame",
    scope=PROJECT,
    ability=Ability.DOWNLOAD_CODE,
    params=GetBlame,
    view=BlameView,
    many=True,
    paging=None,
    headers=_blame_headers,
    refusals=(400, 404),
)
def get_repository_file_blame(
    ctx: ReadContext, project: Project, file_path: FilePath, p: GetBlame
) -> Sequence[FileBlame]:
    """Get the blame of a file: the commit of each line."""
    file = repository_files.get_file(ctx.world, project, file_path, p.ref)
    if p.range is not None and p.range.start > p.range.end:
        raise BadRequest("range[start] must be less than or equal to range[end]")
    lines = None if p.range is None else (p.range.start, p.range.end)
    return BlameFile(file, repository_files.blame_file(ctx.world, file, lines))


class DeleteFile(Params):
    """The commit that deletes a file."""

    branch: Annotated[str, NotBlank]
    commit_message: Annotated[str, NotBlank]
    start_branch: str | None = None
    author_email: str | None = None
    author_name: str | None = None
    last_commit_id: str | None = None


class CreateFile(Params):
    """A new file, and the commit that creates it."""

    branch: Annotated[str, NotBlank]
    commit_message: Annotated[str, NotBlank]
    content: str
    encoding: Literal["base64", "text"] = "text"
    start_branch: str | None = None
    author_email: str | None = None
    author_name: str | None = None
    execute_filemode: Annotated[bool | None, Lifetime(since="14.10")] = None

    @classmethod
    @override
    def in_release(cls, profile: Profile) -> type[Params]:
        return FileBody if profile.has(BODIES_OF_FILES_ARE_READ_LATE) else cls


class UpdateFile(CreateFile):
    """The new content of a file, and the commit that updates it."""

    last_commit_id: str | None = None


Kind = Literal["create", "update"]


def _read_params(ctx: WriteContext, project: Project, path: str, kind: Kind, p: CreateFile) -> list[Action]:
    """Return the changes of a file, once the caller may push."""
    authorize(ctx, Ability.PUSH_CODE, project)
    last_commit_id = p.last_commit_id if isinstance(p, UpdateFile) else None
    return _list_actions(kind, path, decode_content(p.content, p.encoding), p.execute_filemode, last_commit_id)


def _read_body(ctx: WriteContext, project: Project, path: str, kind: Kind, body: FileBody) -> list[Action]:
    """Return the changes of a file, once the caller may push to the branch."""
    count_large(ctx)
    refuse_files(body)
    check_file_body(body)
    commit_actions.authorize_push(ctx, project, body.branch)
    # A null stands for an empty file.
    content = "" if body.content is None else str(body.content)
    sent = body.given()
    executable = is_true(body.execute_filemode, default=False) if "execute_filemode" in sent else None
    last_commit_id = body.last_commit_id if kind == "update" else None
    return _list_actions(kind, path, decode_content(content, sent.get("encoding")), executable, last_commit_id)


def _list_actions(
    kind: Kind, path: str, content: bytes, executable: bool | None, last_commit_id: str | None
) -> list[Action]:
    change = Action(kind, path, content, last_commit_id=last_commit_id or "")
    return [change] if executable is None else [change, Action("chmod", path, executable=executable)]


def _build_commit(p: CreateFile | FileBody | DeleteFile, actions: Sequence[Action]) -> NewCommit:
    return NewCommit(
        p.branch,
        p.commit_message,
        actions,
        # An empty start branch counts as none.
        p.start_branch or None,
        author_name=p.author_name,
        author_email=p.author_email,
    )


def _change_file(
    ctx: WriteContext, project: Project, path: str, kind: Kind, p: CreateFile | FileBody
) -> dict[str, str]:
    if isinstance(p, FileBody):
        actions = _read_body(ctx, project, path, kind, p)
    else:
        actions = _read_params(ctx, project, path, kind, p)
    repository_files.change_file(ctx, project, _build_commit(p, actions))
    return {"file_path": path, "branch": p.branch}


@area.operation("POST", PATH, scope=PROJECT, params=CreateFile, refusals=(400, 403, 429))
def create_repository_file(
    ctx: WriteContext, project: Project, file_path: FilePath, p: CreateFile | FileBody
) -> dict[str, str]:
    """Create a file with a commit."""
    return _change_file(ctx, project, file_path, "create", p)


@area.operation("PUT", PATH, scope=PROJECT, params=UpdateFile, refusals=(400, 403, 429))
def update_repository_file(
    ctx: WriteContext, project: Project, file_path: FilePath, p: UpdateFile | FileBody
) -> dict[str, str]:
    """Update a file with a commit."""
    return _change_file(ctx, project, file_path, "update", p)


@area.operation("DELETE", PATH, scope=PROJECT, ability=Ability.PUSH_CODE, params=DeleteFile, refusals=(400,))
def delete_repository_file(ctx: WriteContext, project: Project, file_path: FilePath, p: DeleteFile) -> None:
    """Delete a file with a commit."""
    action = Action("delete", file_path, last_commit_id=p.last_commit_id or "")
    repository_files.change_file(ctx, project, _build_commit(p, [action]))
