"""Keys of the authorities that sign SSH certificates for a group.

Source: docs/platform/groups.md ('SSH certificates').
"""

from collections.abc import Sequence
from typing import Final

from fakeplat.api.scopes import GROUP
from fakeplat.core.operations.errors import Forbidden
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import Params
from fakeplat.domain.groups import ssh_certificates
from fakeplat.domain.purging import purge
from fakeplat.entities.people.accounts import SshCertificateView
from fakeplat.model.people import Group, SshCertificate
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext
from fakeplat.policy.descriptions import describe

area: Final = Area("Keys", login=Login.WRITES)
PATH: Final = "ssh_certificates"


def _require_root(ctx: ReadContext, group: Group) -> None:
    if group.parent_id is not None:
        raise Forbidden("Group", reason=lambda: f"{describe(ctx.world, group)} has a parent")


@area.operation(
    "GET",
    PATH,
    scope=GROUP,
    ability=Ability.ADMIN_GROUP,
    params=Paged,
    view=SshCertificateView,
    many=True,
    tier="premium",
    since="17.7",
)
def list_group_ssh_certificates(ctx: ReadContext, group: Group) -> Sequence[SshCertificate]:
    """List the keys of the authorities of a top-level group."""
    _require_root(ctx, group)
    return ctx.world.ssh_certificates.where("group", group.id)


class CreateCertificate(Params):
    """The key of an authority."""

    title: str
    key: str


@area.operation(
    "POST",
    PATH,
    scope=GROUP,
    ability=Ability.ADMIN_GROUP,
    params=CreateCertificate,
    view=SshCertificateView,
    tier="premium",
    since="17.7",
    refusals=(422,),
)
def create_group_ssh_certificate(ctx: WriteContext, group: Group, p: CreateCertificate) -> SshCertificate:
    """Add the key of an authority to a top-level group."""
    _require_root(ctx, group)
    return ssh_certificates.add(ctx, group, p.title, p.key)


@area.operation(
    "DELETE",
    f"{PATH}/:ssh_certificates_id",
    scope=GROUP,
    ability=Ability.ADMIN_GROUP,
    tier="premium",
    since="17.7",
    refusals=(404,),
)
def delete_group_ssh_certificate(ctx: WriteContext, group: Group, ssh_certificates_id: int) -> None:
    """Delete the key of an authority of a top-level group."""
    _require_root(ctx, group)
    purge(ctx, ssh_certificates.get_certificate(ctx.world, group, ssh_certificates_id))
