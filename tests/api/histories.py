"""Histories created with git, as repositories of projects; and git's output in the format of the API."""

from pathlib import Path
from shutil import copytree
from typing import Any

from fakeplat.core.store.persistent_map import Map
from fakeplat.domain.people import namespaces
from fakeplat.domain.repository import repositories
from fakeplat.git import import_repository
from fakeplat.harness.fake import Fakeplat
from tests.git.command import Git

COMMIT_FORMAT = "%H%x00%P%x00%an%x00%ae%x00%aI%x00%cn%x00%ce%x00%cI%x00%s%x00%B%x01"


def set_repository(fake: Fakeplat, git: Git, project: str = "acme/site") -> None:
    """Replace a project's repository with one that git created."""
    with fake.bench.platform.acting() as ctx:
        record = namespaces.find_project_by_path(ctx.world, project)
        assert record is not None
        imported = import_repository(ctx.world.setup.store.objects, git.path)
        repositories.adopt_refs(ctx, record, Map(imported.refs), imported.head)


def copy_repository(git: Git, folder: Path) -> Git:
    """Return a copy of a repository that may be modified."""
    return Git(Path(copytree(git.path, folder / "copy", symlinks=True)), init=False)


def commit_from_git(git: Git, revision: str) -> dict[str, Any]:
    """Return a commit's fields from the output of git log."""
    raw = git("log", "-1", f"--format={COMMIT_FORMAT}", revision).rpartition("\x01")[0]
    sha, parents, author, author_email, authored, committer, committer_email, committed, title, message = raw.split(
        "\x00"
    )
    return {
        "id": sha,
        "short_id": sha[:8],
        "created_at": whole_ms(committed),
        "parent_ids": parents.split(),
        "title": title,
        "message": message,
        "author_name": author,
        "author_email": author_email,
        "authored_date": whole_ms(authored),
        "committer_name": committer,
        "committer_email": committer_email,
        "committed_date": whole_ms(committed),
    }


def whole_ms(strict: str) -> str:
    """Return a time in git's strict ISO format with milliseconds."""
    return f"{strict[:19]}.000{strict[19:].replace('Z', '+00:00')}"


def list_hunks(patch: str) -> list[str]:
    """Return the hunks of each file in the output of `git diff`; for a binary file the line that reports it."""
    hunks = []
    for part in f"\n{patch}".split("\ndiff --git ")[1:]:
        lines = [*part.split("\n")[1:]]
        start = next((at for at, line in enumerate(lines) if line.startswith(("@@ ", "Binary files "))), None)
        text = "" if start is None else "\n".join(lines[start:])
        hunks.append(text if not text or text.endswith("\n") else f"{text}\n")
    return hunks


def ls_tree(git: Git, *options: str) -> list[dict[str, Any]]:
    """Return the output of git ls-tree in the format of the API."""
    rows = []
    for line in git("ls-tree", "-z", *options).split("\0")[:-1]:
        mode, kind, rest = line.split(" ", 2)
        sha, path = rest.split("\t")
        rows.append({"id": sha, "name": path.rpartition("/")[2], "type": kind, "path": path, "mode": mode})
    return rows
