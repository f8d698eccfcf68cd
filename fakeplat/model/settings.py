"""The record of the application settings; `setting_attributes` declares them. Source: docs/platform/settings.md."""

from collections.abc import Mapping
from typing import Any, Final, Self

from attrs import field

from fakeplat.core.store.frozen import frozen
from fakeplat.model.setting_attributes import SettingAttributes

SETTINGS_ID: Final = 1


@frozen
class Settings(SettingAttributes):
    """The application settings; each world has one record.

    The record stores only the values that differ from the defaults, so it is small however many settings there are.
    Each value, changed or not, is read as an attribute.
    """

    id: int = SETTINGS_ID
    changed: Mapping[str, Any] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        # Attributes of an instance hide those of its class, which are the defaults.
        vars(self).update(self.changed)

    def with_values(self, values: Mapping[str, Any]) -> Self:
        """Return the settings with some other values. TypeError for a name that is not a setting."""
        unknown = [name for name in values if not hasattr(SettingAttributes, name)]
        if unknown:
            raise TypeError(f"{', '.join(unknown)} is no setting")
        merged = {**self.changed, **values}
        changed = {name: value for name, value in merged.items() if value != getattr(SettingAttributes, name)}
        return self if changed == self.changed else type(self)(self.id, changed)
