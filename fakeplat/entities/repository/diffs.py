"""The view of a file's diff.

Source: docs/platform/commits.md.
"""

from fakeplat.core.operations.entity import Entity, attr
from fakeplat.domain.repository.diffs import DiffOfFile


class DiffView(Entity[DiffOfFile]):
    """The diff of one file."""

    cached_by_id = False

    old_path = attr()
    new_path = attr()
    a_mode = attr()
    b_mode = attr()
    new_file = attr()
    renamed_file = attr()
    deleted_file = attr()
    diff = attr("text")
