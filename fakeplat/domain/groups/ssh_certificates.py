"""Keys of the authorities that sign SSH certificates for a top-level group.

Source: docs/platform/groups.md ('SSH certificates').
"""

from fakeplat.core.operations.errors import NotFoundWithMessage, Unprocessable
from fakeplat.core.ssh_keys import parse_public_key
from fakeplat.model.people import Group, SshCertificate
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext
from fakeplat.policy.descriptions import describe


def add(ctx: WriteContext, group: Group, title: str, key: str, created_at: str = "") -> SshCertificate:
    """Add the key of an authority; 422 for what is no key, and for one that any group has."""
    public_key, table = parse_public_key(key), ctx.world.ssh_certificates
    if public_key is None:
        raise Unprocessable("Validation failed: Invalid key", reason="the text is no public key")
    if not title.strip():
        raise Unprocessable("Validation failed: Title can't be blank")
    fingerprint = public_key.fingerprint_sha256
    if table.find("fingerprint", fingerprint):
        text = "Fingerprint must be unique. This CA has already been configured for another namespace."
        raise Unprocessable(f"Validation failed: {text}", reason="a group has that key already")
    return table.add(SshCertificate(table.next_id(), group.id, title, key, fingerprint, created_at or ctx.now_iso))


def get_certificate(world: World, group: Group, id_: int) -> SshCertificate:
    """Return the key of an authority of a group, or refuse with 404."""
    certificate = world.ssh_certificates.get(id_)
    if certificate is None or certificate.group_id != group.id:
        raise NotFoundWithMessage(
            "SSH Certificate not found", reason=lambda: f"{describe(world, group)} has no certificate {id_}"
        )
    return certificate
