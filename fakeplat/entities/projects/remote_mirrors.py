"""Views of remote mirrors."""

from fakeplat.core.operations.entity import Entity, attr, computed
from fakeplat.domain.projects.remote_mirrors import mask_url
from fakeplat.model.remote_mirrors import RemoteMirror


class RemoteMirrorView(Entity[RemoteMirror]):
    """A mirror; the user and password in its URL are masked."""

    id = attr()
    enabled = attr()

    @computed
    def url(self) -> str:
        return mask_url(self.record.url)

    update_status = attr()
    last_update_at = attr()
    last_update_started_at = attr()
    last_successful_update_at = attr()
    last_error = attr()
    only_protected_branches = attr()
    keep_divergent_refs = attr()
