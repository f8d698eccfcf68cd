"""What files of a repository show. Source: docs/platform/repository-files.md."""

from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256

from fakeplat.core.operations.entity import Entity, attr, constant, shown
from fakeplat.domain.repository.repository_files import Blame, FileAt
from fakeplat.entities.commits import BlamedCommit
from fakeplat.policy.context import Context

ENCODING = "base64"


class FileView(Entity[FileAt]):
    """A file with its content."""

    keyed = False
    record: FileAt

    file_name = attr(str, "entry.name")
    file_path = attr(str, "path")

    @shown
    def size(self) -> int:
        return len(self.record.content)

    encoding = constant(ENCODING, str)

    @shown
    def content_sha256(self) -> str:
        return sha256(self.record.content).hexdigest()

    ref = attr(str)
    blob_id = attr(str, "entry.sha")
    commit_id = attr(str, "found.commit.sha")
    last_commit_id = attr(str)

    @shown
    def content(self) -> str:
        return b64encode(self.record.content).decode()


def told(file: FileAt) -> Mapping[str, str]:
    """A file without its content, as headers say it."""
    return {
        "File-Name": file.entry.name,
        "File-Path": file.path,
        "Size": str(len(file.content)),
        "Encoding": ENCODING,
        "Content-Sha256": sha256(file.content).hexdigest(),
        "Ref": file.ref,
        "Blob-Id": file.entry.sha,
        "Commit-Id": file.found.commit.sha,
        "Last-Commit-Id": file.last_commit_id,
    }


class BlameView(Entity[Blame]):
    """Lines and the commit that they came with."""

    keyed = False
    record: Blame
    cx: Context

    @shown
    def commit(self) -> BlamedCommit:
        commit: BlamedCommit = self.cx.show(BlamedCommit, self.record.found)
        return commit

    lines = attr(list[str])
