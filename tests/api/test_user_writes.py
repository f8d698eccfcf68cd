"""Creating, changing, blocking and deleting users. Source: docs/platform/users.md, docs/decisions/rulings.md (2, 3)."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import ADDRESSES_OF_PROFILES_ARE_VERIFIED, PROFILES_HAVE_LIMITS
from tests.api.fields import USER_ADMIN, USER_ADMIN_DETAIL
from tests.api.requests import (
    FORBIDDEN,
    UNAUTHORIZED,
    Outcome,
    form,
    invalid,
    invalid_record,
    outcome,
    refusal,
    resource_not_found,
)
from tests.by_release import by_release

NEW = {"email": "new@example.test", "name": "New One", "username": "new.one", "password": "long-enough"}
STRONG = "kv7#Rw2p-Lx9"
CHOICE = "password, reset_password, force_random_password are missing, at least one parameter must be provided"
USERNAME = "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-' or end in '.', '.git' or '.atom'."
SHORT = "is too short (minimum is 8 characters)"


# making one


def test_a_new_user_has_the_view_of_administrators(fakeplat: Fakeplat) -> None:
    """Making a user answers 201 with the fields for administrators and the defaults of the platform."""
    reply = fakeplat.as_user("root").post("users", json=NEW)
    user = reply.json()

    assert (201, USER_ADMIN) == (reply.status, set(user))
    expected = {
        "name": "New One",
        "username": "new.one",
        "email": "new@example.test",
        "state": "active",
        "bio": "",
        "projects_limit": 100000,
        "can_create_group": True,
        "can_create_project": True,
        "private_profile": False,
        "external": False,
        "is_admin": False,
        "two_factor_enabled": False,
        "confirmed_at": None,
        "identities": [],
    }
    assert expected == {name: user[name] for name in expected}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"skip_confirmation": True}, {"confirmed_at": True}),
        ({"admin": True}, {"is_admin": True}),
        ({"external": True}, {"external": True}),
        ({"private_profile": None}, {"private_profile": False}),
        ({"private_profile": True}, {"private_profile": True}),
        ({"can_create_group": False}, {"can_create_group": False}),
        ({"projects_limit": 0}, {"projects_limit": 0, "can_create_project": False}),
        ({"projects_limit": 7}, {"projects_limit": 7}),
        ({"bio": "Bakes."}, {"bio": "Bakes."}),
        ({"website_url": "https://example.test/me"}, {"website_url": "https://example.test/me"}),
        ({"skype": "s", "linkedin": "l", "twitter": "t"}, {"skype": "s", "linkedin": "l", "twitter": "t"}),
        ({"location": "Here", "organization": "Acme"}, {"location": "Here", "organization": "Acme"}),
        ({"theme_id": 2, "color_scheme_id": 3}, {"theme_id": 2, "color_scheme_id": 3}),
        ({"note": "A note"}, {"note": "A note"}),
        (
            {"extern_uid": "uid=new", "provider": "ldap"},
            {"identities": [{"provider": "ldap", "extern_uid": "uid=new"}]},
        ),
        ({"group_id_for_saml": 1}, {"identities": []}),
    ],
)
def test_attributes_of_a_new_user(fakeplat: Fakeplat, given: dict[str, Any], expected: dict[str, Any]) -> None:
    """Each attribute of a new user is stored and shown."""
    user = fakeplat.as_user("root").post("users", json={**NEW, **given}).json()
    if "confirmed_at" in expected:
        user["confirmed_at"] = user["confirmed_at"] is not None

    assert expected == {name: user[name] for name in expected}


@pytest.mark.parametrize("choice", [{"reset_password": True}, {"force_random_password": True}])
def test_a_flag_stands_for_a_password(fakeplat: Fakeplat, choice: dict[str, bool]) -> None:
    """Either flag replaces the password of a new user and overrides one."""
    without = {name: value for name, value in NEW.items() if name != "password"}

    assert 201 == fakeplat.as_user("root").post("users", json={**without, **choice}).status
    other = {**without, "username": "other", "email": "other@example.test", "password": "short"}
    assert 201 == fakeplat.as_user("root").post("users", json={**other, **choice}).status


def test_a_new_user_has_a_namespace(fakeplat: Fakeplat) -> None:
    """The personal namespace has the username as its path."""
    fakeplat.as_user("root").post("users", json=NEW)
    space = fakeplat.as_user("root").get("namespaces/new.one").json()

    assert ("user", "new.one", "New One") == (space["kind"], space["full_path"], space["name"])


def without_fields(*names: str) -> dict[str, Any]:
    return {name: value for name, value in NEW.items() if name not in names}


@pytest.mark.parametrize(
    ("viewer", "body", "expected"),
    [
        (None, NEW, UNAUTHORIZED),
        (None, {}, UNAUTHORIZED),
        ("eve", NEW, FORBIDDEN),
        ("ada", NEW, FORBIDDEN),
        ("eve", without_fields("email"), invalid("email is missing")),
        ("root", without_fields("email"), invalid("email is missing")),
        ("root", without_fields("name"), invalid("name is missing")),
        ("root", without_fields("username"), invalid("username is missing")),
        (
            "root",
            without_fields("email", "name", "username"),
            invalid("email is missing, name is missing, username is missing"),
        ),
        ("root", without_fields("password"), invalid(CHOICE)),
        ("root", {**NEW, "provider": "ldap"}, invalid("extern_uid, provider provide all or none of parameters")),
        ("root", {**NEW, "projects_limit": "x"}, invalid("projects_limit is invalid")),
        ("root", {**NEW, "admin": "perhaps"}, invalid("admin is invalid")),
        ("root", {**NEW, "email": "ADA@example.test"}, (409, {"message": "Email has already been taken"})),
        ("root", {**NEW, "username": "ADA"}, (409, {"message": "Username has already been taken"})),
        ("root", {**NEW, "username": "acme"}, (409, {"message": "Username has already been taken"})),
        (
            "root",
            {**NEW, "username": "ada", "email": "ada@example.test"},
            (409, {"message": "Email has already been taken"}),
        ),
        ("root", {**NEW, "password": "1234567"}, invalid_record(password=[SHORT])),
        ("root", {**NEW, "name": "x" * 256}, invalid_record(name=["is too long (maximum is 255 characters)"])),
        ("root", {**NEW, "bio": "x" * 256}, invalid_record(bio=["is too long (maximum is 255 characters)"])),
        ("root", {**NEW, "projects_limit": -1}, invalid_record(projects_limit=["must be greater than or equal to 0"])),
        ("root", {**NEW, "email": "nowhere"}, invalid_record(email=["is invalid"])),
        *(
            ("root", {**NEW, "username": name}, invalid_record(username=[USERNAME]))
            for name in ("-x", "x.", "x.git", "x.atom", "a b")
        ),
    ],
)
def test_making_a_user_is_refused(fakeplat: Fakeplat, viewer: str | None, body: Any, expected: Outcome) -> None:
    """Creating a user checks login, parameters, role, uniqueness and validity in this order."""
    assert expected == refusal(fakeplat, viewer, "POST", "users", json=body)


TEXTS = ("linkedin", "skype", "twitter", "location", "organization", "website_url", "discord")


@pytest.mark.parametrize(("field", "limit"), [("job_title", 200), ("pronouns", 50)])
@pytest.mark.fakeplat(version="latest")
def test_short_texts_of_profiles_have_limits(fakeplat: Fakeplat, field: str, limit: int) -> None:
    """A job title has 200 characters and pronouns have 50; the error names the record of the profile."""
    person, text = f"users/{fakeplat.world.user('ada').id}", f"is too long (maximum is {limit} characters)"
    expected = invalid_record(**{f"user_detail.{field}": [text]})
    assert expected == refusal(fakeplat, "root", "PUT", person, json={field: "x" * (limit + 1)})
    assert "x" * limit == fakeplat.as_user("root").put(person, json={field: "x" * limit}).json()[field]


def build_text(field: str, length: int) -> str:
    start = "https://example.test/" if field == "website_url" else ""
    return start + ("1" if field == "discord" else "x") * (length - len(start))


@by_release(PROFILES_HAVE_LIMITS, "is_limited", {"16.5": False, "16.6": True})
@pytest.mark.parametrize("field", [field for field in TEXTS if field != "discord"])
def test_texts_of_profiles_have_limits(fakeplat: Fakeplat, field: str, is_limited: bool) -> None:
    """Later releases accept 500 characters in each text of a profile."""
    root, person = fakeplat.as_user("root"), f"users/{fakeplat.world.user('ada').id}"
    long, longest = build_text(field, 501), build_text(field, 500)
    error = invalid_record(**{f"user_detail.{field}": ["is too long (maximum is 500 characters)"]})

    assert 200 == root.put(person, json={field: longest}).status
    assert is_limited == (error == outcome(root.put(person, json={field: long})))
    assert (longest if is_limited else long) == root.get(person).json()[field]


@pytest.mark.parametrize(
    ("account", "texts"),
    [
        ("1" * 16, ["must contain only a discord user ID."]),
        ("1" * 17, None),
        ("1" * 20, None),
        ("", None),
        ("1" * 21, ["must contain only a discord user ID."]),
        ("ada", ["must contain only a discord user ID."]),
        ("1" * 501, ["is too long (maximum is 500 characters)", "must contain only a discord user ID."]),
    ],
)
@pytest.mark.fakeplat(version="latest")
def test_discord_accounts_are_numbers(fakeplat: Fakeplat, account: str, texts: list[str] | None) -> None:
    """The account at Discord is its number."""
    reply = fakeplat.as_user("root").put(f"users/{fakeplat.world.user('ada').id}", json={"discord": account})
    assert (200 if texts is None else 400) == reply.status
    assert texts is None or {"message": {"user_detail.discord": texts}} == reply.json()


@by_release(PROFILES_HAVE_LIMITS, "field", {"16.5": "website_url", "16.6": "user_detail.website_url"})
@pytest.mark.parametrize("method", ["POST", "PUT"])
def test_websites_are_urls(fakeplat: Fakeplat, method: str, field: str) -> None:
    """The website of a profile is a URL; later releases name the record that has it."""
    path = "users" if method == "POST" else f"users/{fakeplat.world.user('ada').id}"
    body = {**NEW, "password": STRONG, "website_url": "nowhere"} if method == "POST" else {"website_url": "nowhere"}
    assert invalid_record(**{field: ["is not a valid URL"]}) == refusal(fakeplat, "root", method, path, json=body)


VERIFIED = "must be an email you have verified"


@pytest.mark.parametrize(
    ("address", "texts"),
    [
        ("ada@example.test", []),
        ("ada@home.test", []),
        ("", []),
        ("ada@work.test", [VERIFIED]),
        ("dev@example.test", [VERIFIED]),
        ("public@example.test", ["has already been taken", VERIFIED]),
        ("nowhere", ["is invalid", VERIFIED]),
    ],
)
@by_release(ADDRESSES_OF_PROFILES_ARE_VERIFIED, "is_refused", {"17.10": False, "17.11": True})
def test_public_addresses_are_the_user_s_own(
    fakeplat: Fakeplat, is_refused: bool, address: str, texts: list[str]
) -> None:
    """Others' addresses are an error in later releases and no change before; unconfirmed ones are refused in all."""
    emails = ["ada@home.test", {"email": "ada@work.test", "confirmed_at": None}]
    eve = {"username": "eve", "public_email": "public@example.test"}
    fakeplat.load({"users": [{"username": "ada", "emails": emails}, eve]})
    path = f"users/{fakeplat.world.user('ada').id}"
    if not is_refused and texts:
        texts = ["is not an email you own"] if address == "ada@work.test" else []
        address = address if texts else ""

    reply = fakeplat.as_user("root").put(path, json={"public_email": address})
    assert ({"message": {"public_email": texts}} if texts else address) == (
        reply.json() if texts else reply.json()["public_email"]
    )


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"public_email": "new@example.test"}, invalid_record(public_email=[VERIFIED])),
        ({"commit_email": "nowhere"}, invalid_record(commit_email=["is invalid", VERIFIED])),
        ({"public_email": "new@example.test", "skip_confirmation": True}, None),
        ({"commit_email": "_private"}, None),
    ],
)
@pytest.mark.fakeplat(version="latest")
def test_addresses_of_a_new_user_are_confirmed(fakeplat: Fakeplat, body: Any, expected: Outcome | None) -> None:
    """A new user has no confirmed address unless the confirmation is skipped."""
    body = {**NEW, "password": STRONG, "email": "new@example.test", **body}
    reply = fakeplat.as_user("root").post("users", json=body)
    assert (201 if expected is None else 400) == reply.status
    assert expected in (None, outcome(reply))


@pytest.mark.parametrize("change", [{"bio": "x" * 255}, {"password": "12345678"}, {"username": "a_-.b"}])
def test_limits_of_a_user_are_included(fakeplat: Fakeplat, change: dict[str, str]) -> None:
    """Attributes of a user are accepted exactly at their limits."""
    assert 201 == fakeplat.as_user("root").post("users", json={**NEW, **change}).status


@pytest.mark.parametrize(("size", "status"), [(200 * 1024, 201), (200 * 1024 + 1, 400)])
def test_a_picture_has_at_most_200_kilobytes(fakeplat: Fakeplat, size: int, status: int) -> None:
    """A bigger avatar is refused with a text of its own."""
    reply = fakeplat.as_user("root").post("users", **form(**NEW, avatar=("a.png", "image/png", bytes(size))))

    assert status == reply.status
    if status == 400:
        assert {"message": {"avatar": ["is too big (should be at most 200 KB)"]}} == reply.json()


# changing one


def test_a_changed_user_has_the_single_view_of_administrators(fakeplat: Fakeplat) -> None:
    """Changing a user answers 200 with what administrators see of a single user."""
    reply = fakeplat.as_user("root").put("users/4", json={"name": "Developer", "bio": "Builds."})

    assert (200, USER_ADMIN_DETAIL) == (reply.status, set(reply.json()))
    assert ("Developer", "Builds.") == (reply.json()["name"], reply.json()["bio"])


def test_an_empty_change_changes_nothing(fakeplat: Fakeplat) -> None:
    """An update of a user without parameters answers with the user."""
    before = fakeplat.as_user("root").get("users/4").json()

    assert (200, before) == outcome(fakeplat.as_user("root").put("users/4"))


@pytest.mark.parametrize(
    ("skip", "email"), [(None, "dev@example.test"), (False, "dev@example.test"), (True, "d@example.test")]
)
def test_a_new_address_waits_for_its_confirmation(fakeplat: Fakeplat, skip: bool | None, email: str) -> None:
    """The old address stays, unless the confirmation is skipped."""
    changes = {"email": "d@example.test", **({} if skip is None else {"skip_reconfirmation": skip})}

    assert email == fakeplat.as_user("root").put("users/4", json=changes).json()["email"]


def test_a_new_username_moves_the_namespace(fakeplat: Fakeplat) -> None:
    """The projects of a renamed user are found under the new name."""
    fakeplat.as_user("root").put("users/2", json={"username": "ada2"})

    assert "ada2/notes" == fakeplat.as_user("ada2").get("projects/ada2%2Fnotes").json()["path_with_namespace"]
    assert resource_not_found("Project") == outcome(fakeplat.as_user("ada2").get("projects/ada%2Fnotes"))


def test_an_identity_of_the_same_provider_is_replaced(fakeplat: Fakeplat) -> None:
    """A pair of extern_uid and provider adds an identity, or changes the one of that provider."""
    calls = fakeplat.as_user("root")
    for provider, uid in [("ldap", "1"), ("saml", "2"), ("ldap", "3")]:
        calls.put("users/4", json={"provider": provider, "extern_uid": uid})

    identities = calls.get("users/4").json()["identities"]
    assert {("ldap", "3"), ("saml", "2")} == {(identity["provider"], identity["extern_uid"]) for identity in identities}


@pytest.mark.parametrize(
    ("viewer", "id_", "body", "expected"),
    [
        (None, 4, {"name": "x"}, UNAUTHORIZED),
        (None, 4, {"admin": "perhaps"}, UNAUTHORIZED),
        ("dev", 4, {"name": "x"}, FORBIDDEN),
        ("dev", 4, {"admin": "perhaps"}, invalid("admin is invalid")),
        ("dev", 999, {"name": "x"}, FORBIDDEN),
        ("root", 999, {"name": "x"}, resource_not_found("User")),
        ("root", 999, {"admin": "perhaps"}, invalid("admin is invalid")),
        ("root", 4, {"provider": "ldap"}, invalid("extern_uid, provider provide all or none of parameters")),
        ("root", 4, {"email": "ADA@example.test"}, (404, {"message": "Email has already been taken"})),
        ("root", 4, {"username": "Ada"}, (404, {"message": "Username has already been taken"})),
        ("root", 4, {"username": "acme"}, (404, {"message": "Username has already been taken"})),
        ("root", 4, {"password": "1234567"}, invalid_record(password=[SHORT])),
        ("root", 4, {"bio": "x" * 256}, invalid_record(bio=["is too long (maximum is 255 characters)"])),
        ("root", 4, {"projects_limit": -1}, invalid_record(projects_limit=["must be greater than or equal to 0"])),
        ("root", 4, {"username": "a b"}, invalid_record(username=[USERNAME])),
    ],
)
def test_changing_a_user_is_refused(
    fakeplat: Fakeplat, viewer: str | None, id_: int, body: Any, expected: Outcome
) -> None:
    """Taken values answer 404 in an update of a user (ruling 2), others as on creation."""
    assert expected == refusal(fakeplat, viewer, "PUT", f"users/{id_}", json=body)


@pytest.mark.fakeplat(documented=False)
@pytest.mark.parametrize(
    ("body", "text"),
    [
        ({"email": "ADA@example.test"}, "Email has already been taken"),
        ({"username": "Ada"}, "Username has already been taken"),
    ],
)
def test_taken_values_are_a_conflict(fakeplat: Fakeplat, body: Any, text: str) -> None:
    """On the platform taken values of a user answer 409 (ruling 2)."""
    assert (409, {"message": text}) == refusal(fakeplat, "root", "PUT", "users/4", json=body)


@pytest.mark.parametrize("method", ["POST", "PUT"])
@pytest.mark.parametrize(("name", "kind", "most"), [("theme_id", "theme", 11), ("color_scheme_id", "color scheme", 6)])
def test_themes_and_color_schemes(fakeplat: Fakeplat, method: str, name: str, kind: str, most: int) -> None:
    """Themes and color schemes are numbers that the platform knows."""
    path, body = ("users", NEW) if method == "POST" else ("users/4", {})
    for wrong in (0, most + 1, 50):
        expected = invalid_record(**{name: [f"{wrong} is not a valid {kind}"]})
        assert expected == refusal(fakeplat, "root", method, path, json={**body, name: wrong})

    assert most == fakeplat.as_user("root").request(method, path, json={**body, name: most}).json()[name]


@pytest.mark.parametrize("method", ["POST", "PUT"])
def test_external_users_create_nothing(fakeplat: Fakeplat, method: str) -> None:
    """External users can create neither groups nor projects."""
    path, body = ("users", NEW) if method == "POST" else ("users/4", {})
    wanted = {**body, "external": True, "can_create_group": True, "projects_limit": 9}
    user = fakeplat.as_user("root").request(method, path, json=wanted).json()

    assert (True, False, False, 0) == tuple(
        user[name] for name in ("external", "can_create_group", "can_create_project", "projects_limit")
    )


def test_own_names_are_not_taken(fakeplat: Fakeplat) -> None:
    """A user keeps their address and username, in another case too."""
    body = {"email": "dev@example.test", "username": "DEV"}

    assert 200 == fakeplat.as_user("root").put("users/4", json=body).status
