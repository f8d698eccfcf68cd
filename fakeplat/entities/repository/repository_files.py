"""Views of files in repositories. Source: docs/platform/repository-files.md."""

from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256

from fakeplat.core.operations.entity import Entity, attr, computed, computed_if, constant, nested
from fakeplat.domain.repository.repository_files import FileBlame, RepositoryFile
from fakeplat.entities.repository.commits import BlamedCommit
from fakeplat.git.records import EXECUTABLE
from fakeplat.policy.behaviours import FILE_HEADERS_SHOW_MODE
from fakeplat.policy.context import ReadContext

ENCODING = "base64"


class FileView(Entity[RepositoryFile]):
    """A file with its content."""

    cached_by_id = False

    file_name = nested("entry.name", str)
    file_path = attr("path")

    @computed
    def size(self) -> int:
        # The size of the content itself, not of its base64 text.
        return len(self.record.content)

    encoding = constant(ENCODING, str)

    @computed
    def content_sha256(self) -> str:
        return sha256(self.record.content).hexdigest()

    ref = attr()
    blob_id = nested("entry.sha", str)
    commit_id = nested("project_commit.commit.sha", str)
    last_commit_id = attr()

    @computed_if(since="14.10")
    def execute_filemode(self) -> bool:
        return is_executable(self.record)

    @computed
    def content(self) -> str:
        return b64encode(self.record.content).decode()


class FileWithText(FileView):
    """A file with its content as text, too: for tests that look at it. No response has this field."""

    @computed
    def text(self) -> str:
        return self.record.content.decode(errors="replace")


def is_executable(file: RepositoryFile) -> bool:
    """Return whether a file can be executed."""
    return file.entry.mode == EXECUTABLE


def file_headers(ctx: ReadContext, file: RepositoryFile) -> Mapping[str, str]:
    """Return the metadata of a file as response headers."""
    mode = {"Execute-Filemode": str(is_executable(file)).lower()} if ctx.profile.has(FILE_HEADERS_SHOW_MODE) else {}
    # `vendor_headers` adds the prefixes, such as ``X-Gitlab-``.
    return {
        "File-Name": file.entry.name,
        "File-Path": file.path,
        "Size": str(len(file.content)),
        "Encoding": ENCODING,
        "Content-Sha256": sha256(file.content).hexdigest(),
        "Ref": file.ref or "",
        "Blob-Id": file.entry.sha,
        "Commit-Id": file.project_commit.commit.sha,
        "Last-Commit-Id": file.last_commit_id,
        **mode,
    }


class BlameView(Entity[FileBlame]):
    """Consecutive lines and the commit that last changed them."""

    cached_by_id = False
    ctx: ReadContext

    @computed
    def commit(self) -> BlamedCommit:
        commit: BlamedCommit = self.ctx.render(BlamedCommit, self.record.project_commit)
        return commit

    lines = attr()
