"""Views of code search results."""

from fakeplat.core.operations.entity import Entity, attr
from fakeplat.domain.repository.code_search import BlobMatch


class BlobMatchView(Entity[BlobMatch]):
    """A matching section of a file."""

    cached_by_id = False

    basename = attr()
    data = attr()
    path = attr()
    filename = attr("path")
    id = attr()
    ref = attr()
    startline = attr()
    project_id = attr()
