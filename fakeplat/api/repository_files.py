"""Files of repositories. Source: docs/platform/repository-files.md."""

from collections.abc import Sequence
from re import search
from typing import Annotated, Any, Final, Literal

from fakeplat.api.commits import decoded
from fakeplat.api.repository import raw
from fakeplat.api.scopes import PROJECT
from fakeplat.core.operations.messages import Headers, Raw
from fakeplat.core.operations.names import headers
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Check, NotBlank, Params
from fakeplat.domain.repository import lfs, repository_files
from fakeplat.domain.repository.committing import Action, NewCommit
from fakeplat.domain.repository.repository_files import Blame, FileAt
from fakeplat.entities.repository_files import BlameView, FileView, told
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import May
from fakeplat.policy.context import Context, Doing

area: Final = Area("Repository files", login=Login.NEVER, scopes=("read_repository",))

PATH: Final = "repository/files/:file_path"


_UNFIT: Final = "should be a valid file path"


def _check_path(path: str) -> str | None:
    return _UNFIT if path.startswith("/") or search(r"(^|[/\\])\.\.($|[/\\])", path) else None


FilePath = Annotated[str, Check(_check_path, null=_UNFIT, strict=False, absent=_UNFIT)]
"""A path that is relative and does not lead out of the repository."""


class AtRef(Params):
    """The revision."""

    ref: Annotated[str, NotBlank]


def _headers(cx: Context, p: Any, file: FileAt) -> Headers:
    del cx, p
    return headers(told(file))


@area.operation(
    "GET",
    PATH,
    under=PROJECT,
    may=May.DOWNLOAD_CODE,
    takes=AtRef,
    shows=FileView,
    headers=_headers,
    refuses=(404,),
)
def get_repository_file(cx: Context, project: Project, file_path: FilePath, p: AtRef) -> FileAt:
    """Get a file with its content."""
    return repository_files.get(cx.world, project, file_path, p.ref)


@area.operation("GET", f"{PATH}/raw", under=PROJECT, may=May.DOWNLOAD_CODE, takes=AtRef, refuses=(404,))
def get_repository_file_raw(cx: Context, project: Project, file_path: FilePath, p: AtRef) -> Raw:
    """Download a file."""
    file = repository_files.get(cx.world, project, file_path, p.ref)
    return raw(lfs.resolved(cx.world, project, file.content), file.entry.name, headers(told(file)))


class Blamed(list[Blame]):
    """Who wrote a file, line by line, and the file."""

    def __init__(self, file: FileAt, rows: Sequence[Blame]) -> None:
        super().__init__(rows)
        self.file = file


def _headers_of_blame(cx: Context, p: Any, found: Blamed) -> Headers:
    del cx, p
    return headers(told(found.file))


@area.operation(
    "GET",
    f"{PATH}/blame",
    under=PROJECT,
    may=May.DOWNLOAD_CODE,
    takes=AtRef,
    shows=BlameView,
    many=True,
    paged=False,
    headers=_headers_of_blame,
    refuses=(404,),
)
def get_repository_file_blame(cx: Context, project: Project, file_path: FilePath, p: AtRef) -> Sequence[Blame]:
    """Get the blame of a file: the commit of each line."""
    file = repository_files.get(cx.world, project, file_path, p.ref)
    return Blamed(file, repository_files.blamed(cx.world, file))


class DeleteFile(Params):
    """The commit that removes a file."""

    branch: Annotated[str, NotBlank]
    commit_message: Annotated[str, NotBlank]
    start_branch: str | None = None
    author_email: str | None = None
    author_name: str | None = None
    last_commit_id: str | None = None


class CreateFile(Params):
    """A file, and the commit that it comes with."""

    branch: Annotated[str, NotBlank]
    commit_message: Annotated[str, NotBlank]
    content: str
    encoding: Literal["base64", "text"] = "text"
    start_branch: str | None = None
    author_email: str | None = None
    author_name: str | None = None


class UpdateFile(CreateFile):
    """New content of a file."""

    last_commit_id: str | None = None


def _commit(p: CreateFile | DeleteFile, action: Action) -> NewCommit:
    return NewCommit(
        p.branch,
        p.commit_message,
        [action],
        p.start_branch or None,
        author_name=p.author_name,
        author_email=p.author_email,
    )


def _place(path: str, p: CreateFile) -> dict[str, str]:
    return {"file_path": path, "branch": p.branch}


@area.operation("POST", PATH, under=PROJECT, may=May.PUSH_CODE, takes=CreateFile, refuses=(400,))
def create_repository_file(cx: Doing, project: Project, file_path: FilePath, p: CreateFile) -> dict[str, str]:
    """Create a file with a commit."""
    new = Action("create", file_path, decoded(p.content, p.encoding))
    repository_files.change(cx, project, _commit(p, new))
    return _place(file_path, p)


@area.operation("PUT", PATH, under=PROJECT, may=May.PUSH_CODE, takes=UpdateFile, refuses=(400,))
def update_repository_file(cx: Doing, project: Project, file_path: FilePath, p: UpdateFile) -> dict[str, str]:
    """Update a file with a commit."""
    content = decoded(p.content, p.encoding)
    new = Action("update", file_path, content, last_commit_id=p.last_commit_id or "")
    repository_files.change(cx, project, _commit(p, new))
    return _place(file_path, p)


@area.operation("DELETE", PATH, under=PROJECT, may=May.PUSH_CODE, takes=DeleteFile, refuses=(400,))
def delete_repository_file(cx: Doing, project: Project, file_path: FilePath, p: DeleteFile) -> None:
    """Delete a file with a commit."""
    gone = Action("delete", file_path, last_commit_id=p.last_commit_id or "")
    repository_files.change(cx, project, _commit(p, gone))
