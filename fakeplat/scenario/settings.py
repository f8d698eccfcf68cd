"""Application settings in scenarios. A setting that has the id of a record is given by the record's full path."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from fakeplat.core.release import RenamedFrom
from fakeplat.core.schema.mistakes import Mistake
from fakeplat.core.schema.records import shape_of, with_twins
from fakeplat.core.schema.shapes import NULLABLE_TEXT, TEXT, Alias, Choice, Integer, Lazy, ListOf, Object, Shape
from fakeplat.domain import settings
from fakeplat.domain.people import namespaces
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext
from fakeplat.scenario.errors import ScenarioError

if TYPE_CHECKING:
    from fakeplat.model.setting_rules import Setting

_PERMISSIVE: Final[dict[str, Any]] = {
    "restricted_visibility_levels": (),
    "minimum_password_length": 0,
    "password_number_required": False,
    "password_lowercase_required": False,
    "password_uppercase_required": False,
    "password_symbol_required": False,
    "can_create_group": True,
    "user_defaults_to_private_profile": False,
}
"""Values of settings while records are created, because the records may be older than these settings."""


def _settings_shape() -> Object:
    # The declarations of all settings are evaluated only for scenarios that have settings.
    from fakeplat.model.setting_rules import declared_settings

    settings = declared_settings().values()
    shapes = {setting.scenario_key: _shape_of(setting) for setting in settings}
    renamed = {found.name: Alias(setting.name) for setting in settings if (found := setting.find(RenamedFrom))}
    return Object({**with_twins(shapes), **renamed})


def _shape_of(setting: "Setting") -> Shape:
    from fakeplat.model.setting_rules import Always

    if setting.identifies:
        return ListOf(TEXT) if setting.is_list else NULLABLE_TEXT
    if (limits := setting.find(Always)) is not None:
        return Integer(minimum=limits.least, maximum=limits.most)
    return ListOf(Choice(*setting.members)) if setting.members else shape_of(setting.kind)


SETTINGS: Final = Lazy(_settings_shape)
"""The shape of the key ``settings``."""


class SettingsOfScenario:
    """The settings of a scenario, which are applied in two steps: before and after its records are created."""

    def __init__(self, ctx: WriteContext, values: Mapping[str, object]) -> None:
        self._ctx = ctx
        references = _find_references() if values else {}
        before = ctx.world.settings
        self._paths: dict[str, Any] = {key: path for key, path in values.items() if key in references}
        self._values = {key: value for key, value in values.items() if key not in references}
        self._restrictions = {name: self._values.get(name, getattr(before, name)) for name in _PERMISSIVE}

    def apply_permissive(self) -> None:
        """Apply the settings, except those that could forbid a record."""
        # For example, a world without public projects can contain public ones that are older than the restriction.
        settings.change(self._ctx, {**self._values, **_PERMISSIVE})

    def apply_restrictive(self) -> None:
        """Apply those that could, and those that name records."""
        references = _find_references() if self._paths else {}
        ids = {references[key].name: self._get_ids(key, references[key]) for key in self._paths}
        settings.change(self._ctx, {**self._restrictions, **ids})

    def _get_ids(self, key: str, setting: "Setting") -> Any:
        value = self._paths[key]
        if setting.is_list:
            return tuple(self._get_id(key, setting, path) for path in value)
        return None if value is None else self._get_id(key, setting, value)

    def _get_id(self, key: str, setting: "Setting", path: str) -> int:
        find = namespaces.find_by_path if setting.identifies == "namespaces" else namespaces.find_project_by_path
        record = find(self._ctx.world, path)
        if record is None:
            raise ScenarioError([Mistake(f"nothing has the path {path!r}", ("settings", key))])
        return record.id


def export_settings(world: World) -> dict[str, Any]:
    """Return the settings that differ from those of a new instance, by key."""
    changed = settings.changes_of(world)
    if not changed:
        return {}
    from fakeplat.model.setting_rules import declared_settings

    declared = declared_settings()
    return {declared[name].scenario_key: _export_value(world, declared[name], value) for name, value in changed.items()}


def _export_value(world: World, setting: "Setting", value: Any) -> Any:
    if setting.identifies:
        paths = [_path_of(world, setting, id_) for id_ in settings.existing_ids(world, setting.identifies, value)]
        return paths if setting.is_list else next(iter(paths), None)
    return list(value) if isinstance(value, tuple) else value


def _path_of(world: World, setting: "Setting", id_: int) -> str:
    if setting.identifies == "namespaces":
        return namespaces.full_path(world, world.namespaces[id_])
    return namespaces.project_path(world, world.projects[id_])


def _find_references() -> "dict[str, Setting]":
    from fakeplat.model.setting_rules import declared_settings

    return {setting.scenario_key: setting for setting in declared_settings().values() if setting.identifies}
