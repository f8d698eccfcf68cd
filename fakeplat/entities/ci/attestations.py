"""The view of attestations. Source: docs/platform/dependencies.md ('Attestations')."""

from fakeplat.core.operations.entity import Entity, attr, computed
from fakeplat.model.ci import Attestation
from fakeplat.policy.context import ReadContext


class AttestationView(Entity[Attestation]):
    """A signed statement of how a file was built."""

    ctx: ReadContext

    id = attr()
    iid = attr()
    created_at = attr()
    updated_at = attr()
    expire_at = attr()
    project_id = attr()
    build_id = attr("job_id")
    status = attr()
    predicate_kind = attr()
    predicate_type = attr()
    subject_digest = attr()

    @computed
    def download_url(self) -> str:
        place = f"projects/{self.record.project_id}/attestations/{self.record.iid}"
        return f"{self.ctx.origin}/api/v4/{place}/download"
