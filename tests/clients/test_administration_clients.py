"""python-gitlab administers: settings, appearance, features, keys, addresses, statuses, tokens and applications."""

from base64 import b64decode, b64encode
from collections.abc import Iterator
from hashlib import sha256

import gitlab
import pytest

from fakeplat.harness.fake import Fakeplat
from tests.gpg_keys import GPG_KEY
from tests.ssh_keys import ED25519

ALL = {"get_all": True}


@pytest.fixture
def root(fakeplat: Fakeplat) -> Iterator[gitlab.Gitlab]:
    with gitlab.Gitlab(fakeplat.url, private_token=fakeplat.token("root")) as client:
        yield client


@pytest.fixture
def dev(fakeplat: Fakeplat) -> Iterator[gitlab.Gitlab]:
    with gitlab.Gitlab(fakeplat.url, private_token=fakeplat.token("dev")) as client:
        client.auth()
        yield client


def test_the_instance_is_configured(root: gitlab.Gitlab) -> None:
    """Settings and appearance keep what was saved, and an invalid value gets 400."""
    settings = root.settings.get()
    settings.signup_enabled = False
    settings.restricted_visibility_levels = ["public"]
    settings.save()
    appearance = root.appearance.get()
    appearance.title = "Mine"
    appearance.save()

    configured = root.settings.get()
    assert (False, ["public"]) == (configured.signup_enabled, configured.restricted_visibility_levels)
    assert "Mine" == root.appearance.get().title
    configured.default_artifacts_expire_in = "soon"
    with pytest.raises(gitlab.GitlabUpdateError) as refused:
        configured.save()
    assert 400 == refused.value.response_code


def test_settings_are_for_administrators(dev: gitlab.Gitlab) -> None:
    """Reading the settings without administrator rights gets 403, raised as GitlabGetError."""
    with pytest.raises(gitlab.GitlabGetError) as refused:
        dev.settings.get()
    assert (403, "403 Forbidden") == (refused.value.response_code, refused.value.error_message)


def test_features_are_switched(root: gitlab.Gitlab) -> None:
    """Features are set for everybody or one user, listed and deleted."""
    assert "on" == root.features.set("new_menu", True).state
    feature = root.features.set("other", True, user="dev")
    assert "conditional" == feature.state
    assert ["new_menu", "other"] == sorted(row.name for row in root.features.list(**ALL))
    feature.delete()
    assert ["new_menu"] == [row.name for row in root.features.list(**ALL)]


def test_own_keys_and_addresses_are_kept(dev: gitlab.Gitlab) -> None:
    """SSH keys, GPG keys, email addresses and the status of the current user are created, read and changed."""
    user = dev.user
    assert user is not None
    key = user.keys.create({"title": "laptop", "key": ED25519})
    assert [(key.id, "laptop")] == [(row.id, row.title) for row in user.keys.list(**ALL)]
    key.delete()
    gpg_key = user.gpgkeys.create({"key": GPG_KEY})
    assert [gpg_key.id] == [row.id for row in user.gpgkeys.list(**ALL)]
    email = user.emails.create({"email": "more@example.test"})
    assert "more@example.test" == user.emails.get(email.id).email
    status = user.status.get()
    status.message, status.emoji = "Busy", "coffee"
    status.save()
    assert ("Busy", "coffee") == (user.status.get().message, user.status.get().emoji)
    assert [] == user.keys.list(**ALL)


def test_keys_of_others_are_administered(root: gitlab.Gitlab) -> None:
    """An administrator adds keys to a user, finds them by fingerprint and deletes them."""
    user = root.users.get(root.users.list(username="dev")[0].id)
    key = user.keys.create({"title": "theirs", "key": ED25519})
    found_key = root.keys.get(fingerprint="SHA256:" + _fingerprint(ED25519))
    assert (key.id, "dev") == (found_key.id, found_key.user["username"])
    user.keys.delete(key.id)
    with pytest.raises(gitlab.GitlabGetError) as gone:
        root.keys.get(key.id)
    assert 404 == gone.value.response_code


def _fingerprint(key: str) -> str:
    return b64encode(sha256(b64decode(key.split()[1])).digest()).decode().rstrip("=")


def test_an_impersonation_token_acts_until_it_is_revoked(root: gitlab.Gitlab, fakeplat: Fakeplat) -> None:
    """The value of an impersonation token is shown once, and acts until the token is revoked."""
    user = root.users.get(root.users.list(username="dev")[0].id)
    token = user.impersonationtokens.create({"name": "bot", "scopes": ["read_user"]})
    with gitlab.Gitlab(fakeplat.url, private_token=token.token) as bot:
        bot.auth()
        assert bot.user is not None
        assert "dev" == bot.user.username
        with pytest.raises(gitlab.GitlabListError) as narrow:
            bot.projects.list()
        assert 403 == narrow.value.response_code
        token.delete()
        with pytest.raises(gitlab.GitlabAuthenticationError):
            bot.auth()
    assert [True] == [token.revoked for token in user.impersonationtokens.list(state="inactive", **ALL)]


def test_personal_tokens_are_listed_and_revoked(root: gitlab.Gitlab, dev: gitlab.Gitlab) -> None:
    """A user lists their own personal access tokens, and a revoked token no longer signs in."""
    assert dev.user is not None
    (own,) = dev.personal_access_tokens.list(**ALL)
    assert dev.user.id == own.user_id
    assert {own.id} == {token.id for token in root.personal_access_tokens.list(user_id=dev.user.id, **ALL)}
    own.delete()
    with pytest.raises(gitlab.GitlabAuthenticationError):
        dev.auth()


@pytest.mark.fakeplat(version="latest")
def test_a_project_token_acts_in_its_project(root: gitlab.Gitlab, fakeplat: Fakeplat) -> None:
    """A project access token acts as a bot member of its project."""
    site = root.projects.get("acme/site")
    access_token = site.access_tokens.create(
        {"name": "ci", "scopes": ["api"], "access_level": 30, "expires_at": "2020-12-01"}
    )
    assert (30, ["api"]) == (access_token.access_level, access_token.scopes)
    with gitlab.Gitlab(fakeplat.url, private_token=access_token.token) as bot:
        assert ["acme/site"] == [project.path_with_namespace for project in bot.projects.list(membership=True, **ALL)]
    access_token.delete()
    assert [] == [row for row in site.access_tokens.list(**ALL) if row.active]
    user = root.users.get(root.users.list(username="dev")[0].id)
    token = user.personal_access_tokens.create({"name": "theirs", "scopes": ["read_api"]})
    assert (user.id, ["read_api"]) == (token.user_id, token.scopes)


def test_applications_are_registered(root: gitlab.Gitlab) -> None:
    """The secret of an application is shown once, when it is registered."""
    application = root.applications.create(
        {"name": "App", "redirect_uri": "https://app.example.test", "scopes": "api", "confidential": True}
    )
    (listed,) = root.applications.list(**ALL)
    assert application.application_id == listed.application_id
    assert (True, False) == (hasattr(application, "secret"), hasattr(listed, "secret"))
    application.delete()
    assert [] == root.applications.list(**ALL)
