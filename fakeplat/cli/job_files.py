"""The files that an executed job keeps: artifacts and caches."""

import gzip
from collections.abc import Iterable, Sequence
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import Final
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

_REGULAR: Final = 0o100000
_EARLIEST: Final = (1980, 1, 1, 0, 0, 0)


def collect_files(
    root: Path, patterns: Iterable[str], excluded: Iterable[str], untracked: Iterable[str] = ()
) -> list[str]:
    """Return the files below a folder that patterns name, folders with all that they contain, relative to it."""
    found = {path for pattern in patterns for path in _match(root, pattern)}.union(untracked)
    return sorted(found.difference(path for pattern in excluded for path in _match(root, pattern)))


def _match(root: Path, pattern: str) -> Iterable[str]:
    relative = pattern.strip().removeprefix("./").rstrip("/")
    # What is outside the project is never kept.
    if not relative or PurePosixPath(relative).is_absolute() or ".." in PurePosixPath(relative).parts:
        return
    for path in root.glob(relative):
        inside = path.rglob("*") if path.is_dir() else [path]
        for file in inside:
            if file.is_file() and not file.is_symlink():
                yield file.relative_to(root).as_posix()


def pack_files(root: Path, files: Sequence[str], name: str | None, form: str) -> tuple[str, bytes]:
    """Return the name and content of an upload: an archive, or the files of a report one after the other."""
    if form == "zip":
        return f"{name or 'artifacts'}.zip", _zip(root, files)
    content = b"".join((root / file).read_bytes() for file in files)
    return (f"{name}.gz", gzip.compress(content, mtime=0)) if form == "gzip" else (name or files[0], content)


def _zip(root: Path, files: Sequence[str]) -> bytes:
    stream = BytesIO()
    with ZipFile(stream, "w", ZIP_DEFLATED) as archive:
        for file in files:
            info = ZipInfo(file, _EARLIEST)
            info.external_attr = (_REGULAR | (root / file).stat().st_mode & 0o777) << 16
            info.compress_type = ZIP_DEFLATED
            archive.writestr(info, (root / file).read_bytes())
    return stream.getvalue()


def extract_archive(content: bytes, root: Path) -> None:
    """Extract an archive into a folder, with the permissions of its files; none of them gets outside."""
    with ZipFile(BytesIO(content)) as archive:
        for info in archive.infolist():
            path = Path(archive.extract(info, root))
            mode = info.external_attr >> 16 & 0o777
            if mode and path.is_file():
                path.chmod(mode)
