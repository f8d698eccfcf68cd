"""Direct transfers of groups and projects. Source: docs/platform/import-export.md ('Direct transfer')."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import DESTINATIONS_OF_TRANSFERS_ARE_CHECKED
from tests.api.requests import FORBIDDEN, UNAUTHORIZED, invalid, names, outcome, refusal
from tests.by_release import by_release

ENABLED = {"extends": "starter", "settings": {"bulk_import_enabled": True}}
pytestmark = pytest.mark.fakeplat(
    scenario=ENABLED, clock="virtual", start="2020-11-20T09:00:00.000Z", version="latest", default_branch="master"
)
PATH = "bulk_imports"
NOT_FOUND = (404, {"message": "404 Not Found"})
MISSING = (404, {"message": "404 Not found"})


def body(fake: Fakeplat, url: str = "", token: str = "ada-token", **entity: Any) -> dict[str, Any]:
    """The parameters of a transfer of the group acme, by default from the world itself."""
    defaults = {
        "source_type": "group_entity",
        "source_full_path": "acme",
        "destination_namespace": "",
        "destination_slug": "copy",
    }
    return {
        "configuration": {"url": url or fake.url, "access_token": token},
        "entities": [{**defaults, **entity}],
    }


def start(fake: Fakeplat, **values: Any) -> dict[str, Any]:
    """Start a transfer as the owner of acme."""
    status, answer = outcome(fake.as_user("ada").post(PATH, json=body(fake, **values)))
    assert 201 == status, answer
    return dict(answer)


def refuse(fake: Fakeplat, username: str | None = "ada", **values: Any) -> tuple[int, Any]:
    """Start a transfer that is refused."""
    return refusal(fake, username, "POST", PATH, json=body(fake, **values))


def test_a_group_is_copied_with_its_projects(fakeplat: Fakeplat) -> None:
    """A second later the transfer has started, another one later everything is there, each part an entity."""
    ada = fakeplat.as_user("ada")
    created = start(fakeplat)
    assert ("created", "gitlab", fakeplat.url) == tuple(created[key] for key in ("status", "source_type", "source_url"))
    path = f"{PATH}/{created['id']}"
    (entity,) = ada.get(f"{path}/entities").json()
    assert ("created", "group", "copy", None) == (
        entity["status"],
        entity["entity_type"],
        entity["destination_full_path"],
        entity["namespace_id"],
    )

    fakeplat.clock.advance("1s")
    assert "started" == ada.get(path).json()["status"]
    fakeplat.clock.advance("1s")
    assert ("finished", False) == tuple(ada.get(path).json()[key] for key in ("status", "has_failures"))
    entities = ada.get(f"{path}/entities").json()
    group = ada.get("groups/copy").json()
    assert group["id"] == entities[0]["namespace_id"]
    source = {row["path"] for row in ada.get("groups/acme/projects").json()}
    assert source == {row["path"] for row in ada.get("groups/copy/projects").json()}
    parts = {row["source_full_path"]: row for row in entities if row["entity_type"] == "project"}
    assert {f"acme/{path}" for path in source} <= set(parts)
    assert entities[0]["id"] == parts["acme/site"]["parent_id"]
    copied = ada.get(f"projects/{parts['acme/site']['project_id']}").json()
    assert "copy/site" == copied["path_with_namespace"]
    titles = [
        sorted(names(ada.get(f"projects/{path}/issues").json(), "title")) for path in ("acme%2Fsite", "copy%2Fsite")
    ]
    assert titles[0] == titles[1]


def test_a_group_is_copied_without_its_projects(fakeplat: Fakeplat) -> None:
    """A transfer may leave out the projects."""
    start(fakeplat, migrate_projects=False)
    fakeplat.clock.advance("2s")
    assert [] == fakeplat.as_user("ada").get("groups/copy/projects").json()


def test_a_project_is_copied(fakeplat: Fakeplat) -> None:
    """A project goes into a group, or to the namespace of a user."""
    entity = {"source_type": "project_entity", "source_full_path": "acme/docs", "destination_namespace": "ada"}
    created = start(fakeplat, **entity)
    fakeplat.clock.advance("2s")
    ada = fakeplat.as_user("ada")

    (row,) = ada.get(f"{PATH}/{created['id']}/entities").json()
    assert row["project_id"] == ada.get("projects/ada%2Fcopy").json()["id"]


def test_another_instance_is_not_reached(fakeplat: Fakeplat) -> None:
    """A transfer from an instance that does not answer fails, and its entity says why."""
    ada = fakeplat.as_user("ada")
    path = f"{PATH}/{start(fakeplat, url='https://source.example.test')['id']}"
    fakeplat.clock.advance("2s")

    assert "failed" == ada.get(path).json()["status"]
    (entity,) = ada.get(f"{path}/entities?status=failed").json()
    (failure,) = entity["failures"]
    text = "Failed to open TCP connection to source.example.test (getaddrinfo: Name or service not known)"
    assert ("group", "BulkImports::NetworkError", text) == tuple(
        failure[key] for key in ("relation", "exception_class", "exception_message")
    )
    assert [failure] == ada.get(f"{path}/entities/{entity['id']}/failures").json()
    assert entity == ada.get(f"{path}/entities/{entity['id']}").json()


def test_who_does_not_own_the_source_does_not_copy_it(fakeplat: Fakeplat) -> None:
    """The token of the source has to be that of an owner; the failure says so."""
    created = start(fakeplat, token="dev-token")
    fakeplat.clock.advance("2s")
    (entity,) = fakeplat.as_user("ada").get(f"{PATH}/{created['id']}/entities").json()

    text = "Import failed. You don't have permission to export 'acme'."
    assert [text] == names(entity["failures"], "exception_message")


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({"url": "source"}, "Invalid source URL. Enter only the base URL of the source GitLab instance."),
        ({"token": "none"}, "Personal access token does not have the required 'api' scope or is no longer valid."),
        ({"source_full_path": "none"}, "Import failed. 'none' not found."),
        ({"destination_slug": "acme"}, "Import failed. 'acme' already exists. Change the destination and try again."),
        (
            {"destination_namespace": "none"},
            "Import failed. Destination 'none' is invalid, or you don't have permission.",
        ),
        (
            {"destination_namespace": "ada"},
            "Import failed. Destination 'ada' is invalid, or you don't have permission.",
        ),
    ],
)
def test_wrong_sources_and_destinations_are_refused(fakeplat: Fakeplat, values: dict[str, str], text: str) -> None:
    """The source and the destination are checked at once, with 422."""
    assert (422, {"message": text}) == refuse(fakeplat, **values)


@by_release(DESTINATIONS_OF_TRANSFERS_ARE_CHECKED, "status", {"16.10": 201, "16.11": 422})
def test_a_missing_destination_was_accepted_once(fakeplat: Fakeplat, status: int) -> None:
    """Before, a transfer to a namespace that is missing was started, and made a top-level group."""
    ada = fakeplat.as_user("ada")
    assert status == ada.post(PATH, json=body(fakeplat, destination_namespace="none")).status
    fakeplat.settle()
    assert (200 if status == 201 else 404) == ada.get("groups/copy").status


def test_a_developer_does_not_import_into_a_group(fakeplat: Fakeplat) -> None:
    """Who may not create subgroups may not import any."""
    text = "Import failed. Destination 'acme' is invalid, or you don't have permission."
    answer = refuse(fakeplat, "dev", token="dev-token", destination_namespace="acme")
    assert (422, {"message": text}) == answer


def test_transfers_belong_to_their_users(fakeplat: Fakeplat) -> None:
    """Others do not find them, not even administrators, who may only cancel them."""
    path = f"{PATH}/{start(fakeplat)['id']}"

    assert [1, 0] == [len(fakeplat.as_user(name).get(PATH).json()) for name in ("ada", "root")]
    assert [1, 0] == [len(fakeplat.as_user(name).get(f"{PATH}/entities").json()) for name in ("ada", "root")]
    assert [MISSING] * 3 == [refusal(fakeplat, "root", "GET", path + rest) for rest in ("", "/entities", "/entities/1")]
    assert MISSING == refusal(fakeplat, "ada", "GET", f"{path}/entities/1")
    assert UNAUTHORIZED == refusal(fakeplat, None, "GET", path)
    assert FORBIDDEN == refusal(fakeplat, "dev", "POST", f"{path}/cancel")
    assert NOT_FOUND == refusal(fakeplat, "ada", "POST", f"{PATH}/1/cancel")
    status, answer = outcome(fakeplat.as_user("root").post(f"{path}/cancel"))
    assert (200, "canceled") == (status, answer["status"])


def test_a_canceled_transfer_brings_nothing(fakeplat: Fakeplat) -> None:
    """Its entities are canceled with it."""
    ada = fakeplat.as_user("ada")
    path = f"{PATH}/{start(fakeplat)['id']}"
    assert "canceled" == ada.post(f"{path}/cancel").json()["status"]
    fakeplat.clock.advance("5s")

    assert ["canceled"] == names(ada.get(f"{path}/entities").json(), "status")
    assert 404 == ada.get("groups/copy").status


def test_transfers_are_listed_by_status_and_age(fakeplat: Fakeplat) -> None:
    """The newest comes first, unless the order is reversed."""
    ada = fakeplat.as_user("ada")
    ids = [start(fakeplat, destination_slug=f"copy-{number}")["id"] for number in range(2)]
    ada.post(f"{PATH}/{ids[0]}/cancel")

    assert ids[::-1] == names(ada.get(PATH).json(), "id")
    assert ids == names(ada.get(f"{PATH}?sort=asc").json(), "id")
    assert [ids[0]] == names(ada.get(f"{PATH}?status=canceled").json(), "id")
    assert invalid("status does not have a valid value") == refusal(fakeplat, "ada", "GET", f"{PATH}?status=x")


def test_parameters_of_transfers_are_checked(fakeplat: Fakeplat) -> None:
    """The source and at least the path of an entity are required."""
    status, answer = refusal(fakeplat, "ada", "POST", PATH)
    assert 400 == status
    assert answer["error"].startswith("configuration is missing")
    sent = body(fakeplat)
    del sent["entities"][0]["source_full_path"]
    answer = refusal(fakeplat, "ada", "POST", PATH, json=sent)
    assert invalid("entities[0][source_full_path] is missing") == answer


@pytest.mark.fakeplat(scenario="starter")
def test_direct_transfer_is_off_at_first(fakeplat: Fakeplat) -> None:
    """While the setting is off, everything is 404."""
    assert [NOT_FOUND] * 2 == [refusal(fakeplat, "ada", "GET", path) for path in (PATH, f"{PATH}/1")]
    assert NOT_FOUND == refuse(fakeplat)
