"""The constants of an instance: release, tier, offering, names. Source: docs/contract.md ('Instance')."""

from typing import Any, Final, Literal

from attrs import evolve, field, validators

from fakeplat.core.release import NEWEST, Release, parse_release
from fakeplat.core.rng import random_bytes
from fakeplat.core.store.frozen import frozen
from fakeplat.model.repositories import ObjectStore

Tier = Literal["free", "premium", "ultimate"]
# Ascending: a tier includes the features of those before it, so tiers are compared by position.
TIERS: Final = ("free", "premium", "ultimate")
PLANS: Final = {"free": "free", "premium": "silver", "ultimate": "gold"}
# The names of plans come from the hosted offering. ``bronze`` has none of the paid features that exist here.
PLAN_TIERS: Final = {"free": "free", "bronze": "free", "silver": "premium", "gold": "ultimate", "default": "free"}


def _check_release(_instance: object, _attribute: object, version: object) -> None:
    if not isinstance(version, str):
        # Of a number nobody can tell whether it was written as 13.1 or as 13.10.
        raise ValueError(f"version must be text, not {version!r}: write it as text, such as '13.10'")
    parse_release(version)


@frozen
class Instance:
    """The instance's constants.

    ``version`` decides which operations, parameters and fields exist; with ``newer``, all that are implemented do.
    ``throttle`` is False or ``{requests, period}``. ``merge_check`` is ``immediate``, ``{after: duration}`` or
    ``{polls: n}``. ``documented``: if the specification and the platform differ (``policy/documented.py``), serve the
    specification's behaviour. ``email_subject_suffix`` ends the subjects of e-mails.
    """

    version: str = field(default="13.5.1", validator=_check_release)
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
    email_subject_suffix: str = ""

    @property
    def release(self) -> Release:
        """The release that decides which operations, parameters and fields exist."""
        return NEWEST if self.newer else parse_release(self.version)

    @property
    def revision(self) -> str:
        """An invented revision that depends on the version only, so it is the same in all worlds."""
        return random_bytes(0, self.version, 0, 6).hex()[:11]

    def has(self, tier: str) -> bool:
        """Return whether the instance's tier includes the features of a tier (empty: of every tier)."""
        return not tier or TIERS.index(self.tier) >= TIERS.index(tier)


@frozen
class Setup:
    """The setup of a world, which never changes."""

    instance: Instance = Instance()
    seed: int = 0
    scenario: str = "empty"
    store: ObjectStore = field(factory=ObjectStore, eq=False, repr=False)

    def with_own_store(self) -> "Setup":
        """Return the same setup with a git object store of its own, for one world."""
        return evolve(self, store=self.store.over())
