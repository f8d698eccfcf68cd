"""The single sign-on of groups, which their SCIM endpoints belong to."""

from fakeplat.core.store.frozen import frozen
from fakeplat.model.levels import Level


@frozen
class SamlProvider:
    """The single sign-on of a group. ``scim_token`` is the bearer token of its SCIM endpoint."""

    id: int
    group_id: int
    scim_token: str
    enabled: bool = True
    default_membership_role: int = Level.GUEST
