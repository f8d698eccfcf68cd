"""What a search of files shows."""

from fakeplat.core.operations.entity import Entity, attr
from fakeplat.domain.repository.code_search import BlobMatch


class BlobMatchView(Entity[BlobMatch]):
    """A piece of a file."""

    cached_by_id = False

    basename = attr(str)
    data = attr(str)
    path = attr(str)
    filename = attr(str, "path")
    id = attr(str | None)
    ref = attr(str)
    startline = attr(int)
    project_id = attr(int)
