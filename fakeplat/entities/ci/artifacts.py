"""Views of artifacts. Source: docs/platform/artifacts.md."""

from fakeplat.core.operations.entity import Entity, attr
from fakeplat.domain.ci.artifact_files import TreeEntry


class ArtifactEntryView(Entity[TreeEntry]):
    """A file or directory of an archive."""

    cached_by_id = False

    name = attr()
    path = attr()
    type = attr()
    size = attr(when=lambda view: view.record.size is not None)
    mode = attr()
