"""The page of settings without an effect tells of what the package reads."""

from fakeplat.model.setting_rules import declared_settings
from tools import setting_effects


def test_the_page_of_settings_without_effect_is_fresh() -> None:
    """A setting that is read somewhere is not in the table, and each other one is."""
    assert setting_effects.build_page() == setting_effects.PAGE.read_text("utf-8"), "run tools/generate.py"


def test_settings_that_are_known_to_be_read() -> None:
    """Settings are recognized as read by their names, in tables, and composed of texts."""
    unread = set(setting_effects.list_unread())

    assert unread < declared_settings().keys()
    assert not unread & {
        "signup_enabled",
        "throttle_authenticated_api_enabled",
        "maintenance_mode",
        "email_additional_text",
    }
