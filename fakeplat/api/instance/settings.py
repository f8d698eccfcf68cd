"""Application settings. Source: docs/platform/settings.md.

The parameters follow the declarations of the settings (`model/setting_attributes.py`).
"""

from collections.abc import Iterator, Mapping
from types import NoneType
from typing import Annotated, Any, Final, cast, get_args, get_origin

from attrs import evolve

from fakeplat.api.branch_protection import BranchProtection
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import (
    CommaList,
    JsonDocument,
    Params,
    Rule,
    all_or_none_of,
    at_least_one_of,
    exactly_one_of,
    mutually_exclusive,
    requires,
)
from fakeplat.core.release import ALWAYS, Lifetime, RenamedFrom
from fakeplat.domain.instance import setting_changes
from fakeplat.entities.instance.settings import SettingsView
from fakeplat.model.setting_rules import AS_TEXT, Legacy, Lines, Requires, Setting, declared_settings
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
    if setting.name == "default_branch_protection_defaults":
        yield setting.name, _with_markers(BranchProtection | None, setting.lifetime)
        return
    if setting.name == "resource_usage_limits":
        yield setting.name, _with_markers(JsonDocument, setting.lifetime)
        return
    if setting.name == "performance_bar_allowed_group_id":
        # It is given by its path, under three names.
        names = ("performance_bar_allowed_group_path", "performance_bar_enabled", setting.name)
        yield from ((name, str | None) for name in names)
        return
    renamed: RenamedFrom | None = setting.find(RenamedFrom)
    if not (lines and lines.only):
        annotation = _annotation(setting.kind)
        for name, lifetime in {setting.name: ALWAYS}.items() if renamed else setting.names.items():
            yield name, _with_markers(annotation, lifetime, renamed, *setting.lifetimes_of_values)
    if lines and renamed:
        text = evolve(renamed, name=f"{renamed.name}{AS_TEXT}")
        yield f"{setting.name}{AS_TEXT}", _with_markers(str | None, setting.lifetime, text)
    else:
        yield from ((name, _with_markers(str | None, at)) for name, at in setting.names_as_text.items())


def _with_markers(annotation: Any, *markers: Lifetime | RenamedFrom | None) -> Any:
    used = [marker for marker in markers if marker]
    return Annotated[(annotation, *used)] if used else annotation


def _annotation(kind: Any) -> Any:
    """Return the annotation of a parameter: it may be null, and a list may be written with commas."""
    plain = next(member for member in (*get_args(kind), kind) if member is not NoneType) if _is_union(kind) else kind
    if get_origin(plain) is tuple:
        plain = _list_annotation(get_args(plain)[0])
    elif get_origin(plain) is Mapping:
        plain = _as_hash(plain)
    return plain | None


def _list_annotation(element: Any) -> Any:
    # Objects cannot be written with commas.
    return list[_as_hash(element)] if get_origin(element) is Mapping else CommaList[element]  # type: ignore[misc]  # made at run time


def _as_hash(mapping: Any) -> Any:
    return dict[str, get_args(mapping)[1]]  # type: ignore[misc]  # made at run time


def _is_union(kind: object) -> bool:
    return NoneType in get_args(kind)


_REPACKING: Final = (
    "housekeeping_full_repack_period",
    "housekeeping_gc_period",
    "housekeeping_incremental_repack_period",
)
_ONE_PERIOD: Final = Lifetime(since="15.8")


def _rules(names: tuple[str, ...]) -> Iterator[Rule]:
    for setting in declared_settings().values():
        needed: Requires | None = setting.find(Requires)
        legacy: Legacy | None = setting.find(Legacy)
        if needed:
            yield requires(setting.name, *needed.names, lifetime=needed.lifetime)
        if legacy and len(legacy.names) > 1:
            yield mutually_exclusive(setting.name, *legacy.names)
    yield all_or_none_of(*_REPACKING).given("housekeeping_enabled", _ONE_PERIOD)
    one_of = exactly_one_of("housekeeping_incremental_repack_period", "housekeeping_optimize_repository_period")
    yield one_of.given("housekeeping_enabled", _ONE_PERIOD)
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
    given = p.given()
    protection = given.get("default_branch_protection_defaults")
    if isinstance(protection, BranchProtection):
        given["default_branch_protection_defaults"] = protection.as_object()
    return setting_changes.update(ctx, given)
