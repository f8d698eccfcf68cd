"""Customers of groups: contacts, who are people, their organizations, and the contacts of issues."""

from typing import Literal

from fakeplat.core.store.frozen import frozen

State = Literal["active", "inactive"]


@frozen
class CrmOrganization:
    """A customer. ``default_rate``: what an hour costs."""

    id: int
    group_id: int
    name: str
    created_at: str
    updated_at: str
    default_rate: float | None = None
    description: str | None = None
    state: State = "active"


@frozen
class CrmContact:
    """A person, mostly at a customer."""

    id: int
    group_id: int
    first_name: str
    last_name: str
    created_at: str
    updated_at: str
    organization_id: int | None = None
    phone: str | None = None
    email: str | None = None
    description: str | None = None
    state: State = "active"


@frozen
class IssueContact:
    """A contact of an issue."""

    id: int
    issue_id: int
    contact_id: int
