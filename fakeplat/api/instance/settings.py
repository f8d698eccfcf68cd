"""Application settings. Source: docs/platform/settings.md.

The parameters follow the declarations of the settings (`model/setting_attributes.py`).
"""

from collections.abc import Iterator, Mapping
from types import NoneType
from typing import Annotated, Any, Final, cast, get_args, get_origin

from attrs import evolve

from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import CommaList, Params, Rule, at_least_one_of, mutually_exclusive, requires
from fakeplat.core.release import ALWAYS, Lifetime, RenamedFrom
from fakeplat.domain.instance import setting_changes
from fakeplat.entities.instance.settings import SettingsView
from fakeplat.model.setting_rules import Legacy, Lines, Requires, Setting, declared_settings
from fakeplat.model.settings import Settings
from fakeplat.model.world import World
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext

# The administrator is checked before the parameters.
area: Final = Area("Application settings", login=Login.ALWAYS, located_first=True)


@area.operation("GET", "application/settings", ability=Ability.ADMIN_SETTINGS, view=SettingsView)
def get_application_settings(ctx: ReadContext) -> Settings:
    """Get the application settings."""
    return ctx.world.settings


class SettingsParams(Params):
    """The base of the parameters, which are all optional."""

    @classmethod
    def stored(cls, world: World) -> Mapping[str, object]:
        """Return the present values, so that of two names of a setting the changed one counts."""
        values = {name: getattr(world.settings, name) for name in declared_settings()}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def _parameters() -> Iterator[tuple[str, Any]]:
    """Yield the names of all parameters with their annotations, in the platform's order."""
    for setting in declared_settings().values():
        if not setting.is_local:
            yield from _parameters_of(setting)


def _parameters_of(setting: Setting) -> Iterator[tuple[str, Any]]:
    lines: Lines | None = setting.find(Lines)
    if setting.name == "performance_bar_allowed_group_id":
        # It is given by its path, under three names.
        names = ("performance_bar_allowed_group_path", "performance_bar_enabled", setting.name)
        yield from ((name, str | None) for name in names)
        return
    renamed: RenamedFrom | None = setting.find(RenamedFrom)
    if not (lines and lines.only):
        annotation = _annotation(setting.kind)
        for name, lifetime in {setting.name: ALWAYS}.items() if renamed else setting.names.items():
            yield name, _with_markers(annotation, lifetime, renamed)
    if lines:
        raw = renamed and evolve(renamed, name=f"{renamed.name}{setting_changes.RAW}")
        yield f"{setting.name}{setting_changes.RAW}", _with_markers(str | None, setting.lifetime, raw)


def _with_markers(annotation: Any, lifetime: Lifetime, renamed: RenamedFrom | None) -> Any:
    markers = [marker for marker in (lifetime, renamed) if marker]
    return Annotated[(annotation, *markers)] if markers else annotation


def _annotation(kind: Any) -> Any:
    """Return the annotation of a parameter: it may be null, and a list may be written with commas."""
    plain = next(member for member in (*get_args(kind), kind) if member is not NoneType) if _is_union(kind) else kind
    if get_origin(plain) is tuple:
        plain = CommaList[get_args(plain)[0]]  # type: ignore[misc]  # made at run time
    elif get_origin(plain) is Mapping:
        plain = dict[str, int]
    return plain | None


def _is_union(kind: object) -> bool:
    return NoneType in get_args(kind)


def _rules(names: tuple[str, ...]) -> Iterator[Rule]:
    for setting in declared_settings().values():
        needed: Requires | None = setting.find(Requires)
        legacy: Legacy | None = setting.find(Legacy)
        if needed:
            yield requires(setting.name, *needed.names)
        if legacy and len(legacy.names) > 1:
            yield mutually_exclusive(setting.name, *legacy.names)
    yield at_least_one_of(*names)


def _params_class() -> type[SettingsParams]:
    annotations = dict(_parameters())
    members = {"__annotations__": annotations, "rules": tuple(_rules(tuple(annotations))), **dict.fromkeys(annotations)}
    docstring = {"__doc__": "Changes of application settings.", "__module__": __name__}
    return cast(type[SettingsParams], type("UpdateSettings", (SettingsParams,), {**members, **docstring}))


@area.operation(
    "PUT",
    "application/settings",
    ability=Ability.ADMIN_SETTINGS,
    params=_params_class(),
    view=SettingsView,
    refusals=(400,),
)
def update_application_settings(ctx: WriteContext, p: SettingsParams) -> Settings:
    """Update the application settings."""
    return setting_changes.update(ctx, p.given())
