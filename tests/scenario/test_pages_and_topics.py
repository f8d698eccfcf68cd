"""Pages domains, remote mirrors and topics in scenarios, and back."""

from typing import Any

import pytest

from fakeplat import scenario
from tests.api import certificates
from tests.scenario.answers import collect_responses, compare_values
from tests.scenario.test_schema import build_validator
from tests.scenario.worlds import create_platform, reload_export

SITE: dict[str, Any] = {
    "pages_domains": [
        {
            "domain": "www.site.test",
            "verification_code": "c0de",
            "certificate": certificates.RSA,
            "key": certificates.RSA_KEY,
            "auto_ssl_enabled": True,
            "verified_at": "2020-11-01T00:00:00.000Z",
            "enabled_until": "2030-11-01T00:00:00.000Z",
        }
    ],
    "remote_mirrors": [
        {
            "url": "https://ada:secret@mirror.test/site.git",
            "enabled": True,
            "only_protected_branches": True,
            "update_status": "failed",
            "last_error": "unreachable",
        }
    ],
    "tag_list": ["red", "blue"],
    "pages_https_only": True,
    "pages_unique_domain_enabled": True,
    "pages_default_domain_redirect": "www.site.test",
}
PICTURE = {"filename": "red.png", "content_type": "image/png", "content_base64": "cmVk"}
TOPICS: list[Any] = [{"name": "red", "title": "Red", "description": "Warm", "avatar": PICTURE}, {"name": "blue"}]
SAID = {
    "extends": "starter",
    "instance": {"version": "latest"},
    "projects": [{"path_with_namespace": "acme/site", **SITE}],
    "topics": TOPICS,
}


@pytest.mark.parametrize("key", SITE)
def test_pages_and_topics_of_a_project_are_exported(key: str) -> None:
    """The export of a project repeats every declared key of Pages and topics."""
    projects = scenario.export_world(create_platform(SAID))["projects"]
    (site,) = [project for project in projects if project["path_with_namespace"] == "acme/site"]
    assert SITE[key] == site[key]


def test_topics_are_exported_with_what_is_known_of_them() -> None:
    """Topics are exported as they were declared, with a title only if it differs from the name."""
    assert TOPICS == scenario.export_world(create_platform(SAID))["topics"]


def test_responses_are_the_same_after_a_round_trip() -> None:
    """Every viewer gets the same responses about Pages and topics after a round trip."""
    platform = create_platform(SAID)
    before = collect_responses(platform, ("root", "mia", "dev"))
    assert all(status < 500 for status, _ in before.values())
    assert [] == list(compare_values(before, collect_responses(reload_export(platform), ("root", "mia", "dev"))))


def test_the_schema_knows_all_keys() -> None:
    """The schema accepts a scenario with all keys of Pages and topics."""
    assert [] == list(build_validator().iter_errors(SAID))


def test_a_fragment_changes_the_topics_and_domains_that_are_there() -> None:
    """A fragment updates topics and Pages domains by name and adds none."""
    platform = create_platform(SAID)
    before = scenario.export_world(platform)
    domains = {"path_with_namespace": "acme/site", "pages_domains": SITE["pages_domains"]}
    scenario.load(platform, {"topics": TOPICS, "projects": [domains]})
    assert before == scenario.export_world(platform)
