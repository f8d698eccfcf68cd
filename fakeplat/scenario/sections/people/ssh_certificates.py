"""Keys of the authorities that sign SSH certificates for groups."""

from typing import Final

from fakeplat.domain.groups import ssh_certificates
from fakeplat.model.people import SshCertificate
from fakeplat.scenario.record_sections import derive_section, own_fields

SECTION: Final = derive_section(
    "ssh_certificates",
    SshCertificate,
    within=("group",),
    keys=own_fields(SshCertificate, without=("fingerprint",)),
    required=("title", "key"),
    add=ssh_certificates.add,
)
