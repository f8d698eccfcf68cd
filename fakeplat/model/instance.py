"""What an instance is: release, tier, offering, names. Source: contract, 'Instance'."""

from typing import Any, Final, Literal

from attrs import evolve, field, validators

from fakeplat.core.frozen import frozen
from fakeplat.model.repositories import ObjectStore

Tier = Literal["free", "premium", "ultimate"]
TIERS: Final = ("free", "premium", "ultimate")
PLANS: Final = {"free": "free", "premium": "silver", "ultimate": "gold"}
PLAN_TIERS: Final = {"free": "free", "bronze": "free", "silver": "premium", "gold": "ultimate", "default": "free"}


@frozen
class Instance:
    """The instance's constants. ``throttle`` is False or ``{requests, period}``; ``merge_check`` is
    ``immediate``, ``{after: span}`` or ``{polls: n}``. ``documented``: where the specification and the platform
    differ (``policy/documented.py``), the specification's behaviour is served.
    """

    version: str = "13.5.1"
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
