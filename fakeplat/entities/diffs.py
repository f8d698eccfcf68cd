"""What the difference of a file shows.

Source: docs/platform/specification.md ('Diff entry'), docs/platform/commits.md.
"""

from fakeplat.core.operations.entity import Entity, attr
from fakeplat.domain.repository.diffs import DiffOfFile


class DiffView(Entity[DiffOfFile]):
    """The difference of one file."""

    cached_by_id = False

    old_path = attr(str)
    new_path = attr(str)
    a_mode = attr(str)
    b_mode = attr(str)
    new_file = attr(bool)
    renamed_file = attr(bool)
    deleted_file = attr(bool)
    diff = attr(str, "text")
