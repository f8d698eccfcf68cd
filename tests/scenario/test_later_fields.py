"""Fields of later releases survive an export: of protected branches, CI variables and authorizations."""

from typing import Any

from tests.scenario.worlds import create_platform, project, reload_export

VARIABLE = {"raw": True, "description": "Signs in", "masked": True, "hidden": True}
SCENARIO: dict[str, Any] = {
    "extends": "starter",
    "instance": {"version": "latest"},
    "projects": [
        {
            "path_with_namespace": "acme/site",
            "protected_branches": [{"name": "release/*", "allow_force_push": True}],
            "variables": [{"key": "TOKEN", "value": "long-enough", **VARIABLE}],
        }
    ],
    "applications": [
        {
            "name": "App",
            "uid": "app",
            "redirect_uri": "https://app.example.test",
            "authorization_grants": [{"user": "dev", "code": "code", "nonce": "n-1"}],
        }
    ],
}


def test_fields_of_later_releases_are_exported() -> None:
    """Fields of later platform releases keep their values after a round trip."""
    view = reload_export(create_platform(SCENARIO)).view
    site = project(view, "acme/site")

    forced = {rule.name: rule.allow_force_push for rule in view.protected_branches.where("project", site.id)}
    assert forced["release/*"] is True
    (variable,) = view.ci_variables.where("subject", ("project", site.id))
    assert VARIABLE == {name: getattr(variable, name) for name in VARIABLE}
    assert ["n-1"] == [grant.nonce for grant in view.authorization_grants.all()]
