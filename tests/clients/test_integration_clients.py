"""Integrations as python-gitlab manages them, at the old and at the newer path."""

from typing import Any

import gitlab
import pytest
from gitlab.v4.objects import ProjectServiceManager

from fakeplat.harness.fake import Fakeplat
from tests.api.test_integrations import PAID, TABLE

HOOK = {"webhook": "https://chat.test/hook", "push_channel": "random"}
SETTINGS = {slug: required for slug, _, required, _, _ in TABLE if slug not in PAID}


class Services(ProjectServiceManager):
    """The client's manager, at the address that the API had at this release."""

    _path = "/projects/{project_id}/services"


def get_site(fakeplat: Fakeplat) -> Any:
    client = gitlab.Gitlab(fakeplat.url, private_token=fakeplat.token("mia"))
    return client.projects.get("acme/site")


@pytest.mark.fakeplat(version="latest")
def test_an_integration_from_its_configuration_to_its_deletion(fakeplat: Fakeplat) -> None:
    """An integration is configured, read, saved, listed and deleted with the client's manager."""
    integrations = get_site(fakeplat).integrations
    with pytest.raises(gitlab.GitlabGetError) as refused:
        integrations.get("slack")
    assert 404 == refused.value.response_code
    integrations.update("slack", HOOK)
    slack = integrations.get("slack")
    assert (True, "random") == (slack.active, slack.properties["push_channel"])
    slack.webhook, slack.push_events = HOOK["webhook"], False
    slack.save()
    assert integrations.get("slack").push_events is False
    assert ["slack"] == [integration.slug for integration in integrations.list(get_all=True)]
    slack.delete()
    assert [] == integrations.list(get_all=True)


def test_the_client_knows_the_slugs(fakeplat: Fakeplat) -> None:
    """Each integration that the client lists and the release has accepts the client's settings."""
    services = Services(get_site(fakeplat).manager.gitlab, get_site(fakeplat))
    known = [slug for slug in services.available() if slug in SETTINGS]
    assert 25 < len(known)
    for slug in known:
        services.update(slug, SETTINGS[slug])
    assert sorted(known) == sorted(service.slug for service in services.list(get_all=True))


def test_a_configuration_that_breaks_a_rule(fakeplat: Fakeplat) -> None:
    """An invalid configuration gets 400, raised as GitlabUpdateError with the platform's text."""
    services = Services(get_site(fakeplat).manager.gitlab, get_site(fakeplat))
    for settings, expected in (
        ({}, "webhook is missing"),
        ({"webhook": "chat"}, "400 Bad Request"),
    ):
        with pytest.raises(gitlab.GitlabUpdateError) as refused:
            services.update("slack", settings)
        assert (400, expected) == (refused.value.response_code, refused.value.error_message)
