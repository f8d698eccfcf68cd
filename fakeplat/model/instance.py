"""The instance: its release and tier, appearance, features and messages. Source: docs/contract.md."""

from collections.abc import Mapping
from typing import Any, Final, Literal
from warnings import warn

from attrs import evolve, field, fields, mutable, validators

from fakeplat.core.release import (
    DEFAULT_VERSION,
    Profile,
    Release,
    check_version,
    profile_of,
    resolve_version,
    served_release,
)
from fakeplat.core.rng import random_bytes
from fakeplat.core.store.frozen import frozen
from fakeplat.model.repository import ObjectStore

Tier = Literal["free", "premium", "ultimate"]
# Ascending: a tier includes the features of those before it, so tiers are compared by position.
TIERS: Final = ("free", "premium", "ultimate")
_INCLUDES: Final = {
    own: {"": True, **{tier: number <= rank for number, tier in enumerate(TIERS)}} for rank, own in enumerate(TIERS)
}
"""Whether a tier includes the features of another one; asked many times per request."""
PLANS: Final = {"free": "free", "premium": "silver", "ultimate": "gold"}
# The names of plans come from the hosted offering. ``bronze`` has none of the paid features that exist here.
PLAN_TIERS: Final = {
    "free": "free",
    "bronze": "free",
    "silver": "premium",
    "premium": "premium",
    "premium_trial": "premium",
    "gold": "ultimate",
    "ultimate": "ultimate",
    "ultimate_trial": "ultimate",
    "opensource": "ultimate",
    "default": "free",
}
EARLY_PLANS: Final = ("free", "bronze", "silver", "gold", "default")
"""The plans that releases have before those that are named like the tiers."""


UPSTREAMS: Final = ("images", "maven", "npm", "pypi")


def _check_upstreams(_instance: object, _attribute: object, value: object) -> None:
    """Raise ValueError unless a value names upstream registries."""
    if not isinstance(value, Mapping) or not all(isinstance(text, str) for text in value.values()):
        raise ValueError(f"upstreams must be a map of texts, not {value!r}")
    if unknown := value.keys() - set(UPSTREAMS):
        raise ValueError(f"upstreams: {min(map(str, unknown))!r} is none of {', '.join(UPSTREAMS)}")


@frozen
class Instance:
    """The instance's constants.

    ``version`` decides which operations, parameters and fields exist; ``latest`` is the newest release that is known,
    which with ``beyond`` is also served under the number of a release after it.
    ``default_branch``: empty for that of the release.
    ``throttle`` is False or ``{requests, period}``. ``merge_check`` is ``immediate``, ``{after: duration}`` or
    ``{polls: n}``. ``documented``: if the specification and the platform differ (``policy/documented.py``), serve the
    specification's behaviour. ``email_subject_suffix`` ends the subjects of e-mails. ``scim_token`` is
    the bearer token of the SCIM endpoint of an instance that is not hosted; empty: there is none.
    ``web_commits_public_key`` is the key that signs commits of the web editor; empty: they are not signed.
    ``upstreams`` are the registries outside: for ``images`` the path of the project that plays the public hub, for
    ``maven``, ``npm`` and ``pypi`` the address, or the path on this host, to which unknown packages are forwarded.
    ``registry_limit`` is the number of bytes that all images of the container registry take at most.
    ``lfs_pure_ssh_protocol``: whether the SSH server transfers the objects of Git LFS itself.
    """

    version: str = field(default=DEFAULT_VERSION, converter=resolve_version)
    beyond: bool = field(default=False, validator=validators.instance_of(bool))
    tier: Tier = field(default="free", validator=validators.in_(TIERS))
    hosted: bool = field(default=False, validator=validators.instance_of(bool))
    wire_names: str = field(default="both", validator=validators.in_(("both", "neutral", "vendor")))
    default_branch: str = ""
    product_name: str = "Platform"
    impersonation: bool = field(default=True, validator=validators.instance_of(bool))
    throttle: Any = False
    merge_check: Any = "immediate"
    documented: bool = field(default=True, validator=validators.instance_of(bool))
    email_subject_suffix: str = ""
    scim_token: str = ""
    web_commits_public_key: str = ""
    upstreams: Mapping[str, str] = field(factory=dict, validator=_check_upstreams)
    registry_limit: int = field(default=512 * 1024 * 1024, validator=[validators.instance_of(int), validators.ge(0)])
    lfs_pure_ssh_protocol: bool = field(default=False, validator=validators.instance_of(bool))
    profile: Profile = field(init=False, eq=False, repr=False)

    @profile.default
    def _profile_of_release(self) -> Profile:
        # Validators come too late: they run when all attributes have their values.
        check_version(self.version, beyond=self.beyond)
        return profile_of(self.release)

    @property
    def release(self) -> Release:
        """The release that decides which operations, parameters and fields exist."""
        return served_release(self.version)

    @property
    def revision(self) -> str:
        """An invented revision that depends on the version only, so it is the same in all worlds."""
        return random_bytes(0, self.version, 0, 6).hex()[:11]

    def has(self, tier: str) -> bool:
        """Return whether the instance's tier includes the features of a tier (empty: of every tier)."""
        return _INCLUDES[self.tier][tier]

    def list_changes(self) -> dict[str, Any]:
        """Return the constants that differ from those of an instance of which nothing is said."""
        names = [field.name for field in fields(type(self)) if field.init]
        return {name: getattr(self, name) for name in names if getattr(self, name) != getattr(_UNCHANGED, name)}


_UNCHANGED: Final = Instance()


def replace_deprecated(keys: Mapping[str, Any], where: str = "instance") -> Mapping[str, Any]:
    """Return the keys of an instance with ``version: latest`` for ``newer: true``, its deprecated synonym.

    ``where`` names the place of the keys in the warning.
    """
    newer = keys.get("newer")
    # Anything else is refused with the other values of the wrong type.
    if not isinstance(newer, bool):
        return keys
    current = {name: value for name, value in keys.items() if name != "newer"}
    hint = "write 'version: latest'" if newer else "leave it out"
    warn(f"{where}.newer is deprecated: {hint}", DeprecationWarning, stacklevel=2)
    return {**current, "version": "latest"} if newer else current


@mutable(eq=False)
class Endpoints:
    """What serves a world besides HTTP: ``ssh`` is the URL of its SSH server, empty while there is none.

    With ``executes_jobs`` no job is played: an executor runs the scripts of all.
    """

    ssh: str = ""
    executes_jobs: bool = False


@frozen
class Setup:
    """The setup of a world, which never changes; ``endpoints`` does, while the world is served."""

    instance: Instance = Instance()
    seed: int = 0
    scenario: str = "empty"
    store: ObjectStore = field(factory=ObjectStore, eq=False, repr=False)
    endpoints: Endpoints = field(factory=Endpoints, eq=False, repr=False)

    def with_own_store(self) -> "Setup":
        """Return the same setup with a git object store and endpoints of its own, for one world."""
        return evolve(self, store=self.store.over(), endpoints=Endpoints())


IMAGES: Final = ("logo", "pwa_icon", "header_logo", "favicon")


@frozen
class Appearance:
    """What administrators changed of the appearance; there is at most one. Images are ids of files."""

    id: int = 0
    title: str = ""
    pwa_name: str = ""
    pwa_short_name: str = ""
    description: str = ""
    pwa_description: str = ""
    logo: int | None = None
    pwa_icon: int | None = None
    header_logo: int | None = None
    favicon: int | None = None
    new_project_guidelines: str = ""
    member_guidelines: str = ""
    profile_image_guidelines: str = ""
    header_message: str = ""
    footer_message: str = ""
    message_background_color: str = "#E75E40"
    message_font_color: str = "#FFFFFF"
    email_header_and_footer_enabled: bool = False


FULL: int = 100
ACTORS: Final = (
    "user_ids",
    "group_ids",
    "project_ids",
    "namespace_ids",
    "repositories",
    "runner_ids",
    "organizations",
)
"""The fields of a feature that name actors; those who are opted out are in fields with a prefix."""
OPTED_OUT: Final = "opted_out_"


@frozen
class Feature:
    """A feature with its gates: it is on if one of them is open, but off for those who are opted out.

    Percentages are of checks and of actors.
    """

    id: int
    name: str
    enabled: bool = False
    feature_groups: tuple[str, ...] = ()
    user_ids: tuple[int, ...] = ()
    group_ids: tuple[int, ...] = ()
    project_ids: tuple[int, ...] = ()
    namespace_ids: tuple[int, ...] = ()
    runner_ids: tuple[int, ...] = ()
    repositories: tuple[str, ...] = ()
    organizations: tuple[str, ...] = ()
    opted_out_user_ids: tuple[int, ...] = ()
    opted_out_group_ids: tuple[int, ...] = ()
    opted_out_project_ids: tuple[int, ...] = ()
    opted_out_namespace_ids: tuple[int, ...] = ()
    opted_out_runner_ids: tuple[int, ...] = ()
    opted_out_repositories: tuple[str, ...] = ()
    opted_out_organizations: tuple[str, ...] = ()
    percentage_of_actors: float = 0
    percentage_of_time: float = 0

    @property
    def state(self) -> str:
        """``on`` for everybody, ``off``, or ``conditional``."""
        if self.enabled or self.percentage_of_time == FULL:
            return "on"
        actors = (getattr(self, f"{prefix}{name}") for prefix in ("", OPTED_OUT) for name in ACTORS)
        gates = (self.feature_groups, *actors, self.percentage_of_actors, self.percentage_of_time)
        return "conditional" if any(gates) else "off"


@frozen
class PolicySetting:
    """Which top-level group manages the security policies of the instance; there is at most one record."""

    id: int
    csp_namespace_id: int | None = None


@frozen
class Organization:
    """The organization that everything on the instance belongs to; there is at most one record, of what was changed.

    Administrators own it except for ``demoted_ids``, and beside them the users in ``promoted_ids`` do.
    """

    id: int = 1
    name: str = "Default"
    path: str = "default"
    description: str = ""
    promoted_ids: tuple[int, ...] = ()
    demoted_ids: tuple[int, ...] = ()


BroadcastType = Literal["banner", "notification"]
BroadcastTheme = Literal[
    "indigo",
    "light-indigo",
    "blue",
    "light-blue",
    "green",
    "light-green",
    "red",
    "light-red",
    "dark",
    "light",
]


MigrationStatus = Literal["paused", "active", "finished", "failed", "finalizing", "finalized"]
Database = Literal["main", "ci"]


@frozen
class BatchedMigration:
    """A migration that changes the rows of a table in batches, in the background."""

    id: int
    job_class_name: str
    table_name: str
    created_at: str
    status: MigrationStatus = "active"
    progress: float = 0.0
    estimated_time_remaining: str | None = None
    database: Database = "main"


@frozen
class SchemaMigration:
    """A migration of the schema, by its version: pending, or done."""

    id: int
    version: int
    pending: bool = True
    database: Database = "main"


@frozen
class BroadcastMessage:
    """A message that is displayed between two times, on all pages or on those that match ``target_path``."""

    id: int
    message: str
    starts_at: str
    ends_at: str
    created_at: str
    updated_at: str
    color: str | None = "#E75E40"
    font: str | None = "#FFFFFF"
    target_path: str | None = None
    broadcast_type: BroadcastType = "banner"
    dismissable: bool | None = None
    target_access_levels: tuple[int, ...] = ()
    theme: BroadcastTheme = "indigo"


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
