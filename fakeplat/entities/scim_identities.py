"""Views of identities at the identity provider of a group. Source: docs/platform/scim.md ('Identities')."""

from fakeplat.core.operations.entity import Entity, attr
from fakeplat.model.people import Identity


class SamlIdentityView(Entity[Identity]):
    """A SAML identity."""

    extern_uid = attr()
    user_id = attr()


class ScimIdentityView(SamlIdentityView):
    """A SCIM identity, which is not active once its user was deprovisioned."""

    active = attr()
