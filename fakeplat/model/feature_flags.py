"""Feature flags of projects, in both of the platform's versions, and lists of users that they are on for.

A flag of the first version (``legacy_flag``) has scopes: environments, each with its state and strategies. A flag of
the second version has strategies, each with its environments.
"""

from typing import Any, Literal

from attrs import field

from fakeplat.core.store.frozen import frozen

FlagVersion = Literal["legacy_flag", "new_version_flag"]


@frozen
class LegacyScope:
    """The state of a flag of the first version in the environments that match a scope."""

    id: int
    environment_scope: str
    created_at: str
    updated_at: str
    active: bool = False
    strategies: tuple[Any, ...] = ({"name": "default", "parameters": {}},)


@frozen
class StrategyScope:
    """The environments in which a strategy applies."""

    id: int
    environment_scope: str = "*"


@frozen
class Strategy:
    """A rule that decides for whom a flag of the second version is on."""

    id: int
    name: str = ""
    parameters: Any = field(factory=dict)
    scopes: tuple[StrategyScope, ...] = ()
    user_list_id: int | None = None


@frozen
class FeatureFlag:
    """A feature flag. ``scopes`` are those of the first version, ``strategies`` those of the second."""

    id: int
    project_id: int
    iid: int
    name: str
    created_at: str
    updated_at: str
    description: str | None = None
    active: bool = True
    version: FlagVersion = "legacy_flag"
    scopes: tuple[LegacyScope, ...] = ()
    strategies: tuple[Strategy, ...] = ()


@frozen
class FeatureFlagUserList:
    """A list of users, by the ids that they have outside the platform, separated by commas."""

    id: int
    project_id: int
    iid: int
    name: str
    user_xids: str
    created_at: str
    updated_at: str
