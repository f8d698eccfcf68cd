"""Accounts in later releases: states, addresses, avatars and what administrators see.

Source: docs/platform/users.md.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    ACTIVATION_IS_REFUSED_WITHOUT_STATUS,
    ADMINISTRATORS_SEE_THEIR_NOTE,
    BANS_ARE_REFUSED_WITH_THE_STATE,
    BLOCKS_LEAVE_ATTRIBUTES,
    DEACTIVATION_IS_REFUSED_WITHOUT_STATUS,
    DORMANT_PERIOD_IS_A_SETTING,
    MAIN_ADDRESSES_ARE_LISTED,
    UNCONFIRMED_ADDRESSES_ARE_NO_CONFLICT,
    UNIT_OF_FILE_SIZES,
    USERNAMES_ARE_NO_DOMAINS_OF_PAGES,
)
from tests.api.requests import FORBIDDEN, Outcome, form, names, outcome, person, refusal, resource_not_found
from tests.by_release import by_release

ACTIVE = "The user you are trying to deactivate has been active in the past 90 days and cannot be deactivated"
TOO_BIG = ("a.png", "image/png", b"x" * 204_801)


def change(fake: Fakeplat, username: str, **fields: Any) -> str:
    """Change the record of a user; return the user's path."""
    with fake.bench.platform.acting() as ctx:
        ctx.world.users.change(ctx.world.users[person(fake, username)], **fields)
    return f"users/{person(fake, username)}"


@pytest.mark.parametrize("state", ["blocked", "ldap_blocked"])
@by_release(
    ACTIVATION_IS_REFUSED_WITHOUT_STATUS,
    "text",
    {
        "16.11": "403 Forbidden - A blocked user must be unblocked to be activated",
        "17.0": "Error occurred. A blocked user must be unblocked to be activated",
    },
)
def test_a_blocked_user_is_not_activated(fakeplat: Fakeplat, text: str, state: str) -> None:
    """A blocked user has to be unblocked, which later releases say without the status."""
    path = change(fakeplat, "eve", state=state)
    assert (403, {"message": text}) == refusal(fakeplat, "root", "POST", f"{path}/activate")


@by_release(
    DEACTIVATION_IS_REFUSED_WITHOUT_STATUS,
    "texts",
    {
        "15.11": (
            "403 Forbidden - A blocked user cannot be deactivated by the API",
            "403 Forbidden - An internal user cannot be deactivated by the API",
            f"403 Forbidden - {ACTIVE}",
        ),
        "16.0": (
            "Error occurred. A blocked user cannot be deactivated",
            "Internal users cannot be deactivated",
            ACTIVE,
        ),
    },
)
def test_who_is_not_deactivated(fakeplat: Fakeplat, texts: tuple[str, str, str]) -> None:
    """Blocked, internal and active users are not deactivated, which later releases say without the status."""
    blocked, internal, active = texts
    path = change(fakeplat, "eve", state="ldap_blocked")
    assert (403, {"message": blocked}) == refusal(fakeplat, "root", "POST", f"{path}/deactivate")
    path = change(fakeplat, "gus", kind="alert_bot")
    assert (403, {"message": internal}) == refusal(fakeplat, "root", "POST", f"{path}/deactivate")
    path = change(fakeplat, "dev", last_activity_on="2020-11-01")
    assert (403, {"message": active}) == refusal(fakeplat, "root", "POST", f"{path}/deactivate")


@by_release(DORMANT_PERIOD_IS_A_SETTING, "status", {"15.2": 403, "15.3": 201})
def test_who_is_dormant_after_a_period(fakeplat: Fakeplat, status: int) -> None:
    """Users without activity for 180 days are deactivated, later after 90 days or what the settings say."""
    path = change(fakeplat, "dev", last_activity_on="2020-08-01")
    assert status == fakeplat.as_user("root").post(f"{path}/deactivate").status


@pytest.mark.fakeplat(version="latest")
def test_the_settings_say_who_is_dormant(fakeplat: Fakeplat) -> None:
    """Administrators set after how many days without activity users are deactivated."""
    root, path = fakeplat.as_user("root"), change(fakeplat, "dev", last_activity_on="2020-08-01")
    root.put("application/settings", json={"deactivate_dormant_users_period": 365})
    text = "The user you are trying to deactivate has been active in the past 365 days and cannot be deactivated"
    assert (403, {"message": text}) == refusal(fakeplat, "root", "POST", f"{path}/deactivate")


@pytest.mark.parametrize(
    ("state", "event"),
    [
        ("ldap_blocked", "ban"),
        ("deactivated", "ban"),
        ("banned", "ban"),
        ("ldap_blocked", "unban"),
        ("deactivated", "unban"),
        ("active", "unban"),
    ],
)
@by_release(
    BANS_ARE_REFUSED_WITH_THE_STATE,
    "text",
    {"15.11": 'State cannot transition via "{event}"', "16.0": "You cannot {event} {state} users."},
)
def test_who_is_not_banned(fakeplat: Fakeplat, text: str, state: str, event: str) -> None:
    """Only active users are banned, only banned ones are unbanned; later releases name the state."""
    path = change(fakeplat, "eve", state=state)
    expected = (403, {"message": text.format(event=event, state=state)})
    assert expected == refusal(fakeplat, "root", "POST", f"{path}/{event}")


@by_release(BLOCKS_LEAVE_ATTRIBUTES, "keys", {"15.11": [], "16.0": ["blocked_by", "unblocked_by"]})
def test_blocks_leave_attributes(fakeplat: Fakeplat, keys: list[str]) -> None:
    """Who blocked and unblocked a user, and when, are custom attributes of the user; repetitions leave none."""
    root, path = fakeplat.as_user("root"), f"users/{person(fakeplat, 'eve')}"
    value = f"root/{person(fakeplat, 'root')}+2020-11-20 09:00:00 UTC"

    assert (201, False) == outcome(root.post(f"{path}/unblock"))
    assert [] == root.get(f"{path}/custom_attributes").json()
    assert (201, True) == outcome(root.post(f"{path}/block"))
    assert (201, None) == outcome(root.post(f"{path}/block"))
    assert (201, True) == outcome(root.post(f"{path}/unblock"))
    assert [{"key": key, "value": value} for key in keys] == root.get(f"{path}/custom_attributes").json()


@by_release(MAIN_ADDRESSES_ARE_LISTED, "addresses", {"15.11": [], "16.0": ["eve@example.test"]})
def test_the_main_address_is_listed(fakeplat: Fakeplat, addresses: list[str]) -> None:
    """Later releases list the confirmed address of a user before the further ones."""
    root, eve, path = fakeplat.as_user("root"), fakeplat.as_user("eve"), f"users/{person(fakeplat, 'eve')}"
    further = root.post(f"{path}/emails", json={"email": "eve@work.test", "skip_confirmation": True}).json()

    for reply in (eve.get("user/emails"), root.get(f"{path}/emails")):
        assert [*addresses, "eve@work.test"] == names(reply.json(), "email")
    assert further == eve.get("user/emails").json()[-1] == eve.get(f"user/emails/{further['id']}").json()


@pytest.mark.fakeplat(version="latest")
def test_the_main_address_is_no_further_one(fakeplat: Fakeplat) -> None:
    """The main address is read by its id, follows changes of the user, and cannot be deleted."""
    root, eve, path = fakeplat.as_user("root"), fakeplat.as_user("eve"), f"users/{person(fakeplat, 'eve')}"
    (main,) = eve.get("user/emails").json()

    assert main == eve.get(f"user/emails/{main['id']}").json()
    assert resource_not_found("Email") == refusal(fakeplat, "gus", "GET", f"user/emails/{main['id']}")
    kept = (400, {"message": "Cannot delete primary email"})
    assert kept == refusal(fakeplat, "eve", "DELETE", f"user/emails/{main['id']}")
    assert kept == refusal(fakeplat, "root", "DELETE", f"{path}/emails/{main['id']}")
    root.put(path, json={"email": "new@work.test", "skip_reconfirmation": True})
    assert ["new@work.test"] == names(eve.get("user/emails").json(), "email")
    change(fakeplat, "eve", confirmed_at=None)
    assert [] == root.get(f"{path}/emails").json()


TAKEN: Outcome = (409, {"message": "Email has already been taken"})
INVALID: Outcome = (400, {"message": {"email": ["has already been taken"]}})


@by_release(UNCONFIRMED_ADDRESSES_ARE_NO_CONFLICT, "expected", {"15.11": (TAKEN, 404), "16.0": (INVALID, 400)})
def test_unconfirmed_addresses_are_invalid(fakeplat: Fakeplat, expected: tuple[Outcome, int]) -> None:
    """A further address conflicts with that of another user once it is confirmed; before it is an invalid one."""
    root, eve = fakeplat.as_user("root"), f"users/{person(fakeplat, 'eve')}"
    root.post(f"{eve}/emails", json={"email": "open@work.test"})
    root.post(f"{eve}/emails", json={"email": "own@work.test", "skip_confirmation": True})
    new = {"name": "New", "username": "new", "force_random_password": True}
    (outcome_of_creation, status_of_change), gus = expected, f"users/{person(fakeplat, 'gus')}"

    for email in ("open@work.test", "OPEN@work.test"):
        body = {**new, "email": email}
        assert outcome_of_creation == refusal(fakeplat, "root", "POST", "users", json=body)
        assert status_of_change == refusal(fakeplat, "root", "PUT", gus, json={"email": email})[0]
    assert TAKEN == refusal(fakeplat, "root", "POST", "users", json={**new, "email": "own@work.test"})
    assert 404 == refusal(fakeplat, "root", "PUT", gus, json={"email": "own@work.test"})[0]
    assert 200 == root.put(eve, json={"email": "open@work.test"}).status


@by_release(ADMINISTRATORS_SEE_THEIR_NOTE, "is_shown", {"15.11": False, "16.0": True})
def test_administrators_see_their_note(fakeplat: Fakeplat, is_shown: bool) -> None:
    """What administrators note about an account is later part of their own, and never of that of others."""
    change(fakeplat, "root", note="Owner")
    change(fakeplat, "eve", note="Guest")

    assert ("Owner" if is_shown else None) == fakeplat.as_user("root").get("user").json().get("note")
    assert "namespace_id" in fakeplat.as_user("root").get("user").json()
    own = fakeplat.as_user("eve").get("user").json()
    assert not {"note", "namespace_id"} & set(own)


@by_release(UNIT_OF_FILE_SIZES, "unit", {"16.11": "KB", "17.0": "KiB"})
def test_avatars_have_a_size(fakeplat: Fakeplat, unit: str) -> None:
    """An avatar has 200 KB at most, which are KiB in later releases."""
    expected = (400, {"message": {"avatar": [f"is too big (should be at most 200 {unit})"]}})
    path = f"users/{person(fakeplat, 'eve')}"
    assert expected == refusal(fakeplat, "root", "PUT", path, **form(avatar=TOO_BIG))
    assert expected == refusal(fakeplat, "ada", "PUT", "projects/acme%2Fsite", **form(avatar=TOO_BIG))


@pytest.mark.fakeplat(version="latest")
def test_the_own_avatar_is_refused_in_a_sentence(fakeplat: Fakeplat) -> None:
    """Who sets the own avatar reads what is wrong with it as a sentence."""
    expected = (400, {"message": "Avatar is too big (should be at most 200 KiB)"})
    assert expected == refusal(fakeplat, "eve", "PUT", "user/avatar", **form(avatar=TOO_BIG))


@pytest.mark.fakeplat(version="latest")
def test_reads_of_administrators_are_not_limited(fakeplat: Fakeplat) -> None:
    """The limits of reads of a user, and of followers and followed users, do not count those of administrators."""
    root, path = fakeplat.as_user("root"), f"users/{person(fakeplat, 'eve')}"
    settings = ("users_get_by_id_limit", "users_api_limit_followers", "users_api_limit_following")
    root.put("application/settings", json=dict.fromkeys(settings, 1))

    for read in (path, f"{path}/followers", f"{path}/following"):
        assert [200, 200] == [root.get(read).status for _ in range(2)]
        assert [200, 429] == [fakeplat.as_user("dev").get(read).status for _ in range(2)]


@pytest.mark.fakeplat(version="latest")
def test_visitors_ask_for_deploy_keys_of_a_user(fakeplat: Fakeplat) -> None:
    """The deploy keys of a user's projects need no login; who maintains no project sees none."""
    path = f"users/{person(fakeplat, 'mia')}/project_deploy_keys"
    refused = (403, {"message": "403 Forbidden - No common authorized project found"})

    assert resource_not_found("User") == refusal(fakeplat, None, "GET", "users/99999/project_deploy_keys")
    for caller in (None, "dev"):
        assert refused == refusal(fakeplat, caller, "GET", path)
    assert [] == fakeplat.as_user("mia").get(path).json()
    assert FORBIDDEN == refusal(fakeplat, "dev", "GET", f"users/{person(fakeplat, 'mia')}/emails")


@by_release(USERNAMES_ARE_NO_DOMAINS_OF_PAGES, "is_refused", {"17.10": False, "17.11": True})
def test_usernames_are_no_domains_of_pages(fakeplat: Fakeplat, is_refused: bool) -> None:
    """The name of a domain that the pages of a project have for themselves is no new username."""
    root, project = fakeplat.as_user("root"), fakeplat.world.project("acme/site").id
    new = {"name": "New", "email": "new@work.test", "force_random_password": True}
    eve, gus = (f"users/{person(fakeplat, name)}" for name in ("eve", "gus"))
    root.patch(f"projects/{project}/pages", json={"pages_unique_domain_enabled": False})
    assert 200 == root.put(eve, json={"username": f"docs-{project}"}).status
    assert 200 == root.put(gus, json={"username": f"site-{project}"}).status
    root.patch(f"projects/{project}/pages", json={"pages_unique_domain_enabled": True})
    assert 200 == root.put(gus, json={"username": f"site-{project}"}).status
    root.put(gus, json={"username": "gus"})

    taken = (400, {"message": {"username": ["has already been taken"]}})
    if is_refused:
        assert taken == refusal(fakeplat, "root", "POST", "users", json={**new, "username": f"site-{project}"})
        assert taken == refusal(fakeplat, "root", "PUT", eve, json={"username": f"site-{project}"})
    else:
        assert 201 == root.post("users", json={**new, "username": f"site-{project}"}).status
