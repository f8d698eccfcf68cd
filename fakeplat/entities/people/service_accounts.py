"""Views of service accounts. Source: docs/platform/impersonation-and-access-tokens.md ('Service accounts')."""

from fakeplat.core.operations.entity import attr
from fakeplat.entities.people.users import UserSafe


class ServiceAccountView(UserSafe):
    """A service account."""

    email = attr(since="17.9")
    unconfirmed_email = attr(since="18.2", when=lambda view: view.record.unconfirmed_email is not None)
