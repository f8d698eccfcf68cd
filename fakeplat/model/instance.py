"""What an instance is: release, tier, offering, names. Source: docs/contract.md ('Instance')."""

from typing import Any, Final, Literal

from attrs import evolve, field, validators

from fakeplat.core.release import NEWEST, Release, parse_release
from fakeplat.core.store.frozen import frozen
from fakeplat.model.repositories import ObjectStore

Tier = Literal["free", "premium", "ultimate"]
TIERS: Final = ("free", "premium", "ultimate")
PLANS: Final = {"free": "free", "premium": "silver", "ultimate": "gold"}
PLAN_TIERS: Final = {"free": "free", "bronze": "free", "silver": "premium", "gold": "ultimate", "default": "free"}


def _is_release(_instance: object, _attribute: object, version: str) -> None:
    parse_release(version)


@frozen
class Instance:
    """The instance's constants. ``version`` decides which operations, parameters and fields exist; with ``newer`` all
    that are built do. ``throttle`` is False or ``{requests, period}``; ``merge_check`` is
    ``immediate``, ``{after: span}`` or ``{polls: n}``. ``documented``: where the specification and the platform
    differ (``policy/documented.py``), the specification's behaviour is served.
    """

    version: str = field(default="13.5.1", validator=_is_release)
    tier: Tier = field(default="free", validator=validators.in_(TIERS))
    hosted: bool = field(default=False, validator=validators.instance_of(bool))
    wire_names: str = field(default="both", validator=validators.in_(("both", "neutral", "vendor")))
    default_branch: str = "master"
    product_name: str = "Platform"
    impersonation: bool = field(default=True, validator=validators.instance_of(bool))
    throttle: Any = False
    merge_check: Any = "immediate"
    newer: bool = field(default=False, validator=validators.instance_of(bool))
    documented: bool = field(default=True, validator=validators.instance_of(bool))

    @property
    def release(self) -> Release:
        """The release whose operations, parameters and fields exist."""
        return NEWEST if self.newer else parse_release(self.version)

    def has(self, tier: str) -> bool:
        """Whether the instance's tier includes what is marked with a tier (empty: in every one)."""
        return not tier or TIERS.index(self.tier) >= TIERS.index(tier)


@frozen
class Setup:
    """What a world was set up with; no verb changes it."""

    instance: Instance = Instance()
    seed: int = 0
    scenario: str = "empty"
    store: ObjectStore = field(factory=ObjectStore, eq=False, repr=False)

    def for_one_world(self) -> "Setup":
        """The same with a place of its own for git objects."""
        return evolve(self, store=self.store.over())
