"""What the difference of a file shows.

Source: docs/platform/specification.md ('Diff entry'), docs/platform/commits.md.
"""

from fakeplat.core.operations.entity import Entity, attr
from fakeplat.domain.repository.diffs import Shown


class DiffView(Entity[Shown]):
    """The difference of one file."""

    keyed = False

    old_path = attr(str)
    new_path = attr(str)
    a_mode = attr(str)
    b_mode = attr(str)
    new_file = attr(bool)
    renamed_file = attr(bool)
    deleted_file = attr(bool)
    diff = attr(str, "text")
