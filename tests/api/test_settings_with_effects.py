"""What single settings of the instance and of groups change. Source: docs/platform/settings.md."""

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.company import COMPANY
from tests.api.planning_records import ACME, SITE, create_record, get_json
from tests.api.requests import person

pytestmark = pytest.mark.fakeplat(scenario=COMPANY, version="latest", default_branch="master", tier="premium")
TOKEN = {"name": "ci", "scopes": ["api"]}


def set_settings(fake: Fakeplat, **values: object) -> None:
    """Change settings of the instance."""
    assert 200 == fake.as_user("root").put("application/settings", json=values).status


def test_tokens_of_service_accounts_of_groups_last(fakeplat: Fakeplat) -> None:
    """Where a group does not enforce it, new tokens of its service accounts never expire."""
    account = create_record(fakeplat, f"{ACME}/service_accounts", "ada")
    path = f"{ACME}/service_accounts/{account['id']}/personal_access_tokens"
    assert create_record(fakeplat, path, "ada", **TOKEN)["expires_at"] is not None

    assert get_json(fakeplat, ACME)["service_access_tokens_expiration_enforced"]
    body = {"service_access_tokens_expiration_enforced": False}
    changed = fakeplat.as_user("ada").put(ACME, json=body).json()
    assert not changed["service_access_tokens_expiration_enforced"]
    assert create_record(fakeplat, path, "ada", **TOKEN)["expires_at"] is None


def test_tokens_of_service_accounts_of_the_instance_last(fakeplat: Fakeplat) -> None:
    """Where the instance does not enforce it, new tokens of its service accounts never expire; others do."""
    set_settings(fakeplat, service_access_tokens_expiration_enforced=False)
    account = create_record(fakeplat, "service_accounts", "root")["id"]
    users = (account, person(fakeplat, "dev"))
    days = [create_record(fakeplat, f"users/{id_}/personal_access_tokens", "root", **TOKEN) for id_ in users]

    assert [True, False] == [token["expires_at"] is None for token in days]


def test_new_projects_have_no_domain_of_their_own(fakeplat: Fakeplat) -> None:
    """An administrator decides whether the pages of new projects have a domain of their own."""
    domains = []
    for name, is_on in (("one", True), ("two", False)):
        set_settings(fakeplat, pages_unique_domain_default_enabled=is_on)
        create_record(fakeplat, "projects", "ada", name=name)
        projects = fakeplat.bench.platform.view.projects.all()
        project = next(row for row in projects if row.path == name)
        domains.append(project.pages_unique_domain_enabled)

    assert [True, False] == domains


def test_mails_end_with_a_text_of_the_instance(fakeplat: Fakeplat) -> None:
    """On paid tiers, mails end with a text that the administrator chose."""
    set_settings(fakeplat, email_additional_text="Acme Inc., all rights reserved")
    create_record(fakeplat, f"{SITE}/issues", "ada", title="New", assignee_ids=[person(fakeplat, "dev")])
    bodies = [mail.body for mail in fakeplat.mails]

    assert bodies
    assert all(body.endswith("Acme Inc., all rights reserved\n") for body in bodies)


@pytest.mark.fakeplat(tier="free")
def test_the_text_at_the_end_of_mails_is_paid(fakeplat: Fakeplat) -> None:
    """On the free tier, mails have no such text."""
    set_settings(fakeplat, email_additional_text="Acme Inc.")
    create_record(fakeplat, f"{SITE}/issues", "ada", title="New", assignee_ids=[person(fakeplat, "dev")])

    assert not any("Acme Inc." in mail.body for mail in fakeplat.mails)
