"""Webhooks in scenarios and back."""

from typing import Any

import pytest

from fakeplat.platform import Platform
from fakeplat.scenario import ScenarioError
from tests.scenario.worlds import create_platform, reload_export

TIME = "2020-11-19T09:00:00.000Z"
FULL = {
    "url": "http://ada:secret@localhost:9000/hook",
    "branch_filter_strategy": "regex",
    "created_at": TIME,
    "token": "secret",
    "enable_ssl_verification": False,
    "push_events": False,
    "push_events_branch_filter": "feature/*",
    "confidential_note_events": True,
    "feature_flag_events": True,
    "member_events": True,
}
VARIABLES = {
    "url_variables": [{"key": "path", "value": "hidden"}],
    "custom_headers": [{"key": "X-Team", "value": "site"}],
}
WORLD: dict[str, Any] = {
    "extends": "starter",
    "system_hooks": [{"url": "https://x.test/a"}, {"url": "https://x.test/b", "push_events": True, "token": "t"}],
    "groups": [{"full_path": "acme", "hooks": [{"url": "https://x.test/c"}]}],
    "projects": [{"path_with_namespace": "acme/site", "hooks": [{**FULL, **VARIABLES}, {"url": "https://x.test/d"}]}],
}


def list_facts(platform: Platform) -> Any:
    """What there is, without ids."""
    return sorted(str((hook.kind, hook)).partition("id=")[0] + str(hook)[20:] for hook in platform.view.hooks.all())


def test_hooks_of_a_scenario_are_as_declared() -> None:
    """Project and system hooks have the declared fields, and each kind has its own defaults."""
    world = create_platform(WORLD).view
    project, system = world.hooks.where("source", ("project", 5001)), world.hooks.where("source", "system")

    assert FULL == {name: getattr(project[0], name) for name in FULL}
    assert ("hidden", "site") == (project[0].url_variables[0].value, project[0].custom_headers[0].value)
    assert (TIME, True, False) == (project[0].updated_at, project[1].push_events, project[1].repository_update_events)
    assert [(False, True), (True, True)] == [(hook.push_events, hook.repository_update_events) for hook in system]


def test_hooks_survive_the_export() -> None:
    """Hooks keep their tokens, flags and times after a round trip."""
    platform = create_platform(WORLD)

    assert list_facts(platform) == list_facts(reload_export(platform))


@pytest.mark.parametrize(
    ("key", "hook"),
    [
        ("system_hooks", {"url": "https://x.test", "issues_events": True}),
        ("system_hooks", {}),
        ("system_hooks", {"url": "ftp://x.test"}),
    ],
    ids=["flag", "no URL", "bad URL"],
)
def test_what_a_system_hook_may_not_be(key: str, hook: dict[str, Any]) -> None:
    """A system hook with a flag of project hooks, without a URL, or with an invalid URL is refused."""
    with pytest.raises(ScenarioError):
        create_platform({key: [hook]})
