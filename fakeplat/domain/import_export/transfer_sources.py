"""Groups and projects of another instance, from what it exports for a direct transfer.

Source: docs/platform/import-export.md ('Relations', 'Direct transfer').
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from fakeplat.core.store.frozen import frozen
from fakeplat.domain.import_export import archive_files
from fakeplat.domain.import_export.archive_files import Files
from fakeplat.domain.import_export.relation_exports import FILES, SELF
from fakeplat.model.import_export import BulkImportSource
from fakeplat.model.people import VISIBILITY_RANK, Visibility


@frozen
class Source:
    """A group or project that was read: its own words, the files of its archive, and what belongs to a group."""

    kind: BulkImportSource
    full_path: str
    name: str
    path: str
    visibility: Visibility
    files: Files
    children: Sequence["Source"] = ()


@frozen
class UnreadSource:
    """Why a group or project could not be read."""

    exception_class: str
    message: str


ROOTS: Final[Mapping[BulkImportSource, str]] = {"group_entity": "groups", "project_entity": "projects"}
"""The section of the API that has the records of a kind."""


def build_source(
    kind: BulkImportSource, shown: Mapping[str, Any], relations: Mapping[str, bytes], children: Sequence[Source]
) -> Source:
    """Return a source from what the API shows of it, and its relations as they are downloaded.

    Raises BadArchiveError for a download that is damaged, KeyError and TypeError for what no instance shows.
    """
    # Imported here, as few worlds export anything.
    from fakeplat.domain.import_export.group_export import ALL_GROUPS
    from fakeplat.domain.import_export.project_export import VERSION

    is_group, id_ = kind == "group_entity", int(shown["id"])
    root = f"tree/groups/{id_}" if is_group else "tree/project"
    files: Files = {"VERSION": VERSION.encode(), f"{root}.json": archive_files.write_json({"id": id_})}
    if is_group:
        files[ALL_GROUPS] = f"{id_}\n".encode()
    for relation, content in relations.items():
        files |= _read_relation(root, relation, content)
    visibility = shown["visibility"]
    if visibility not in VISIBILITY_RANK:
        raise TypeError(f"no visibility: {visibility}")
    full_path = shown["full_path" if is_group else "path_with_namespace"]
    return Source(kind, full_path, str(shown["name"]), str(shown["path"]), visibility, files, children)


def _read_relation(root: str, relation: str, content: bytes) -> Files:
    if relation in FILES:
        return archive_files.read_archive(content)
    plain = archive_files.decompress(content)
    return {f"{root}.json": plain} if relation == SELF else {f"{root}/{relation}.ndjson": plain}
