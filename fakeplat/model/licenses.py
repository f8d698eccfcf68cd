"""Licences of the instance, which paid tiers have."""

from collections.abc import Mapping
from typing import Any

from attrs import field

from fakeplat.core.store.frozen import frozen


@frozen
class InstanceLicense:
    """A licence that an administrator added; the newest one counts.

    ``plan`` is None if the licence does not name one. ``user_limit`` is 0 without a limit. ``add_ons`` has a
    number for each name.
    """

    id: int
    created_at: str
    starts_at: str
    licensee: Mapping[str, str]
    expires_at: str | None = None
    plan: str | None = None
    user_limit: int = 0
    add_ons: Mapping[str, Any] = field(factory=dict)
