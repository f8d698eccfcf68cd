"""Attestations of the files that jobs build. Source: docs/platform/dependencies.md ('Attestations')."""

import re
from collections.abc import Sequence
from typing import Final

from fakeplat.api.scopes import PROJECT
from fakeplat.core.operations.content_disposition import content_disposition
from fakeplat.core.operations.errors import NotFound
from fakeplat.core.operations.http_messages import JSON, RawBody
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.domain.instance import features
from fakeplat.domain.instance.feature_definitions import SLSA_PROVENANCE
from fakeplat.entities.ci.attestations import AttestationView
from fakeplat.model.ci import Attestation
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.authorization import authorize
from fakeplat.policy.context import ReadContext

area: Final = Area("Projects", login=Login.NEVER, located_first=True)
_DIGEST: Final = re.compile(r"[A-Fa-f0-9]{64}")


def _authorize(ctx: ReadContext, project: Project) -> None:
    features.check_enabled(ctx.world, SLSA_PROVENANCE, project)
    authorize(ctx, Ability.READ_PIPELINE, project)


@area.operation(
    "GET",
    "attestations/:subject_digest",
    scope=PROJECT,
    params=Paged,
    view=AttestationView,
    many=True,
    refusals=(403, 404),
    tier="ultimate",
    since="18.5",
)
def get_attestation(ctx: ReadContext, project: Project, subject_digest: str) -> Sequence[Attestation]:
    """List the attestations of a file by its SHA-256."""
    _authorize(ctx, project)
    if _DIGEST.fullmatch(subject_digest) is None:
        raise NotFound(reason="the hash of a file has 64 hexadecimal digits")
    rows = ctx.world.attestations.where("project", project.id)
    return [row for row in rows if row.subject_digest == subject_digest.lower()]


@area.operation(
    "GET",
    "attestations/:attestation_iid/download",
    scope=PROJECT,
    refusals=(403, 404),
    tier="ultimate",
    since="18.7",
)
def download_attestation(ctx: ReadContext, project: Project, attestation_iid: int) -> RawBody:
    """Download the signed statement of an attestation."""
    _authorize(ctx, project)
    found = ctx.world.attestations.find("iid", (project.id, attestation_iid))
    if found is None:
        raise NotFound(reason=f"the project has no attestation {attestation_iid}")
    headers = (("Content-Disposition", content_disposition("attachment", "attestation.json")),)
    return RawBody(found.bundle, JSON, headers)
