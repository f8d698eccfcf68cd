"""What the declaration of an application setting can say of it, apart from its type and default.

These are markers in annotations (`Annotated`). They are only data: `domain/instance/setting_validation.py` checks what
they say, and parameters, views and scenario keys follow them.
"""

from collections.abc import Mapping
from functools import cache
from types import NoneType
from typing import Annotated, Any, Final, Literal, get_args, get_origin, get_type_hints

from attrs import define
from propcache.api import cached_property

from fakeplat.core.release import ALWAYS, ByRelease, Lifetime, Profile, RenamedFrom
from fakeplat.core.store.frozen import frozen
from fakeplat.model.ci import FileType  # noqa: F401  # an annotation names it
from fakeplat.model.instance import Instance, Tier
from fakeplat.model.people import Visibility  # noqa: F401  # an annotation names it
from fakeplat.model.setting_attributes import SettingAttributes

BLANK: Final = "can't be blank"
AS_TEXT: Final = "_raw"
"""The end of the names under which lists are texts."""
MAX_INTEGER: Final = 2**31 - 1
"""The largest value of the platform's columns for integers."""
Bound = float | str | None
Pattern = Literal[
    "aws_account",
    "ci_path",
    "duration",
    "email",
    "host_without_at",
    "hostname",
    "instance_prefix",
    "ip_ranges",
    "regexp",
    "token_prefix",
]


@frozen
class Number:
    """Limits of a number. A limit that is a text is the name of another setting, which has the value.

    ``text``: the error, unless it names the limit that is not kept.
    """

    least: Bound = None
    above: Bound = None
    most: Bound = None
    below: Bound = None
    text: str = ""


@frozen
class Always:
    """Limits that a number keeps in scenarios too, which may otherwise have values that no administrator could set."""

    least: int
    most: int


@frozen
class Length:
    """Limits of the length of a text or list; ``unit`` names what is counted, ``too_long`` is the form of the error."""

    most: int
    least: int = 0
    unit: str = "characters"
    too_long: str = "is too long (maximum is {} {})"


@frozen
class Matches:
    """The form of a text, which may also be blank."""

    pattern: Pattern


@frozen
class WebUrl:
    """A text that is an HTTP URL or blank."""


@frozen
class Members:
    """A list with certain values only; ``{}`` in the error stands for any other value, ``{all}`` for the list."""

    values: tuple[str, ...]
    text: str


@frozen
class Needed:
    """A setting that must not be blank, at all or while a flag is set."""

    flag: str = ""
    text: str | ByRelease[str] = BLANK


@frozen
class Requires:
    """A flag: a request that sets it must also send these settings, in the releases with that requirement."""

    names: tuple[str, ...]
    lifetime: Lifetime = ALWAYS


@frozen
class Legacy:
    """Other names of a setting: they are accepted and, unless ``hidden``, shown too. ``since``: a release has them."""

    names: tuple[str, ...]
    hidden: bool = False
    since: str = ""


@frozen
class Lines:
    """A list that is also accepted and shown as text with one line for each value, under its name with ``_raw``.

    ``also``: another name of the text, which a release has since ``since``.
    """

    only: bool = False
    also: str = ""
    since: str = ""


@frozen
class Keys:
    """An object whose keys are among these, with values of their types."""

    types: Mapping[str, type]


@frozen
class Composite:
    """An object that is made of other settings, by key: setting it changes them; it shows those that were changed."""

    members: Mapping[str, str]


@frozen
class Identifies:
    """Ids of records of a table, which a scenario gives by their natural keys."""

    table: Literal["namespaces", "projects"]


@frozen
class Paid:
    """A setting of a paid tier: below it the setting is neither shown nor changed, until every tier has it."""

    tier: Tier = "premium"
    until: str = ""


Amount = Annotated[int, Number(least=0)]
PositiveAmount = Annotated[int, Number(above=0)]
Period = Annotated[int, Number(above=0, most=MAX_INTEGER), Always(1, MAX_INTEGER)]
Texts = tuple[str, ...]
Url = Annotated[str | None, WebUrl()]

KROKI_FORMATS: Final[Mapping[str, type]] = dict.fromkeys(("blockdiag", "bpmn", "excalidraw"), bool)
DEPENDENCY_MANAGEMENT: Final[Mapping[str, type]] = {"security_update_scheduler_max_concurrency": int}
SIGN_IN_RESTRICTIONS: Final = {
    name: name
    for name in (
        "disable_password_authentication_for_users_with_sso_identities",
        "root_moved_permanently_redirection",
        "session_expire_from_init",
    )
}
MARKETPLACE: Final = {
    "enabled": "vscode_extension_marketplace_enabled",
    "extension_host_domain": "vscode_extension_marketplace_extension_host_domain",
}

NO_RATE: Final = "must be a value between 0 and 1"
EXCEEDS: Final = "exceeds maximum length ({} {})"

SECRET: Final = "secret"
"""A marker: the value is never shown."""

LOCAL: Final = "local"
"""A marker: the setting belongs to this fake, not to the platform's settings: only scenarios have it."""


# ``cached_property`` stores its value in the instance's ``__dict__``, which slots would remove.
@define(eq=False, slots=False)
class Setting:
    """A declared setting: its name, the type of its values, its default and its markers."""

    name: str
    kind: Any
    default: Any
    markers: tuple[Any, ...]

    def find(self, marker: type[Any]) -> Any:
        """Return the setting's marker of a class, or None."""
        return next((found for found in self.markers if isinstance(found, marker)), None)

    @property
    def is_list(self) -> bool:
        """Whether the setting has several values."""
        return any(get_origin(kind) is tuple for kind in (self.kind, *get_args(self.kind)))

    @property
    def is_object(self) -> bool:
        """Whether the setting has values by key."""
        return get_origin(self.kind) is Mapping

    @property
    def is_nullable(self) -> bool:
        """Whether the setting may have no value."""
        return NoneType in get_args(self.kind)

    @property
    def members(self) -> tuple[str, ...]:
        """The values that a list may have; empty: any."""
        marker: Members | None = self.find(Members)
        return marker.values if marker else ()

    @property
    def identifies(self) -> str:
        """The table whose ids the setting has, or empty."""
        marker: Identifies | None = self.find(Identifies)
        return marker.table if marker else ""

    @property
    def scenario_key(self) -> str:
        """The key in scenarios: ``file_template_project`` for ``file_template_project_id``."""
        if not self.identifies:
            return self.name
        return f"{self.name.removesuffix('_ids')}s" if self.is_list else self.name.removesuffix("_id")

    @property
    def is_local(self) -> bool:
        """Whether only scenarios have the setting."""
        return LOCAL in self.markers

    @property
    def is_secret(self) -> bool:
        """Whether the value is never shown."""
        return SECRET in self.markers

    @property
    def tier(self) -> str:
        """The tier that has the setting; empty: every tier."""
        paid: Paid | None = self.find(Paid)
        return paid.tier if paid else ""

    def is_in(self, instance: Instance) -> bool:
        """Return whether the tier of an instance has the setting."""
        paid: Paid | None = self.find(Paid)
        return not paid or instance.has(paid.tier) or not instance.profile.has(Lifetime(until=paid.until))

    @property
    def lifetime(self) -> Lifetime:
        """The releases that have the setting."""
        return next((found for found in self.markers if isinstance(found, Lifetime) and not found.values), ALWAYS)

    @property
    def lifetimes_of_values(self) -> tuple[Lifetime, ...]:
        """The releases that have single values of the setting."""
        return tuple(found for found in self.markers if isinstance(found, Lifetime) and found.values)

    @cached_property
    def names(self) -> Mapping[str, Lifetime]:
        """All names of the setting in requests and responses, its own first, and the releases that have them."""
        legacy: Legacy | None = self.find(Legacy)
        renamed: RenamedFrom | None = self.find(RenamedFrom)
        if renamed:
            return renamed.lifetimes(self.name)
        if legacy is None:
            return {self.name: self.lifetime}
        others = Lifetime(legacy.since) if legacy.since else self.lifetime
        return {self.name: self.lifetime, **dict.fromkeys(legacy.names, others)}

    @cached_property
    def names_as_text(self) -> Mapping[str, Lifetime]:
        """The names under which a list is accepted and shown as text; none unless it is marked with `Lines`."""
        lines: Lines | None = self.find(Lines)
        if lines is None:
            return {}
        names = {f"{name}{AS_TEXT}": lifetime for name, lifetime in self.names.items()}
        return {**names, lines.also: Lifetime(lines.since)} if lines.also else names

    def name_in(self, profile: Profile) -> str:
        """Return the name that a release has for the setting."""
        return next((name for name, lifetime in self.names.items() if profile.has(lifetime)), self.name)


@cache
def declared_settings() -> Mapping[str, Setting]:
    """Return all settings, by name, in the order of their declaration."""
    # The names in the annotations are those that the module with the declarations imports for type checkers only.
    hints = get_type_hints(SettingAttributes, globalns=globals(), include_extras=True)
    return {name: _setting(name, hint) for name, hint in hints.items()}


def _setting(name: str, hint: Any) -> Setting:
    kind, *markers = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    return Setting(name, kind, getattr(SettingAttributes, name), tuple(markers))
