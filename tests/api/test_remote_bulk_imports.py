"""Direct transfers from another server. Source: docs/platform/import-export.md ('Direct transfer')."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.requests import names, outcome

Make = Callable[..., Any]
ENABLED = {"extends": "starter", "settings": {"bulk_import_enabled": True}}
GROUPS = [
    {
        "full_path": "acme",
        "labels": [{"title": "of the group", "color": "#d9534f"}],
        "groups": [{"path": "parts", "name": "Parts", "visibility": "public"}],
    }
]
PROJECTS = [
    {
        "path_with_namespace": "acme/site",
        "issues": [{"title": "Taken along", "author": "gus", "labels": ["of the group"]}],
        "lfs_objects": [{"content": "large"}],
    }
]
SOURCE = {**ENABLED, "groups": GROUPS, "projects": PROJECTS}


@pytest.fixture
def servers(fakeplat_factory: Make) -> Iterator[tuple[Fakeplat, Fakeplat]]:
    """The server with the source, and the one that it is brought to."""
    with ExitStack() as stack:
        # Under this clock the exports end when somebody asks for them.
        source = stack.enter_context(fakeplat_factory(version="latest", clock="auto", scenario=SOURCE))
        yield source, stack.enter_context(fakeplat_factory(version="latest", clock="virtual", scenario=ENABLED))


def start(source: Fakeplat | str, target: Fakeplat, token: str = "ada-token", **entity: Any) -> dict[str, Any]:
    """Bring a group of the source, or something else, and return the transfer once the source was read."""
    wanted = {"source_type": "group_entity", "source_full_path": "acme", "destination_slug": "copy"}
    body = {
        "configuration": {"url": source if isinstance(source, str) else source.url, "access_token": token},
        "entities": [{"destination_namespace": "", **wanted, **entity}],
    }
    status, created = outcome(target.as_user("ada").post("bulk_imports", json=body))
    assert (201, "created") == (status, created["status"]), created
    target.bench.transfers.join()
    details: dict[str, Any] = target.as_user("ada").get(f"bulk_imports/{created['id']}").json()
    return details


def list_entities(target: Fakeplat, transfer: dict[str, Any]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = target.as_user("ada").get(f"bulk_imports/{transfer['id']}/entities").json()
    return rows


def explain(target: Fakeplat, transfer: dict[str, Any]) -> tuple[str, str]:
    """Return why the only entity of a failed transfer could not be brought."""
    assert "failed" == transfer["status"]
    ((failure,),) = [row["failures"] for row in list_entities(target, transfer)]
    return failure["exception_class"], failure["exception_message"]


def test_a_group_of_another_server_is_brought_with_what_is_in_it(servers: tuple[Fakeplat, Fakeplat]) -> None:
    """The group comes with its labels, its subgroups and its projects, each of which is an entity below it."""
    source, target = servers
    transfer = start(source, target)
    entities = list_entities(target, transfer)
    ada = target.as_user("ada")

    assert ("finished", False) == (transfer["status"], transfer["has_failures"])
    assert {"finished"} == set(names(entities, "status"))
    projects = names(source.as_user("ada").get("groups/acme/projects").json(), "path")
    assert {"copy/parts"} <= set(names(ada.get("groups/copy/subgroups").json(), "full_path"))
    assert sorted(projects) == sorted(names(ada.get("groups/copy/projects").json(), "path"))
    assert ["of the group"] == names(ada.get("groups/copy/labels?search=of the group").json(), "name")
    top = next(row for row in entities if row["parent_id"] is None)
    assert {"acme/parts", *(f"acme/{path}" for path in projects)} <= set(names(entities, "source_full_path"))
    assert {top["id"]} >= {row["parent_id"] for row in entities if row["source_full_path"] == "acme/parts"}


def test_a_project_of_another_server_is_brought(servers: tuple[Fakeplat, Fakeplat]) -> None:
    """The project comes with its repository and its issues."""
    source, target = servers
    entity = {"source_type": "project_entity", "source_full_path": "acme/site", "destination_namespace": "ada"}
    transfer = start(source, target, **entity)
    there, here = (fake.as_user("ada").get for fake in servers)

    assert "finished" == transfer["status"]
    commits = [
        names(get(f"projects/{path}/repository/commits").json(), "id")
        for get, path in ((there, "acme%2Fsite"), (here, "ada%2Fcopy"))
    ]
    assert commits[0] == commits[1] != []
    assert "Taken along" in names(here("projects/ada%2Fcopy/issues").json(), "title")


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"source_full_path": "none"}, "Import failed. 'none' not found."),
        ({"token": "dev-token"}, "Import failed. You don't have permission to export 'acme'."),
        (
            {"token": "wrong"},
            "Personal access token does not have the required 'api' scope or is no longer valid.",
        ),
    ],
)
def test_what_cannot_be_read_of_another_server(
    servers: tuple[Fakeplat, Fakeplat], values: dict[str, str], expected: str
) -> None:
    """A source that is missing or not the caller's fails with its reason, and nothing is created."""
    source, target = servers
    transfer = start(source, target, **values)

    assert ("BulkImports::Error", expected) == explain(target, transfer)
    assert 404 == target.as_user("ada").get("groups/copy").status


def test_a_server_without_direct_transfer_is_not_read(fakeplat_factory: Make) -> None:
    """The source has to allow exports of relations, too."""
    with fakeplat_factory(version="latest") as source, fakeplat_factory(version="latest", scenario=ENABLED) as target:
        exception_class, message = explain(target, start(source, target))

    assert "BulkImports::NetworkError" == exception_class
    assert message.startswith("Unsuccessful response 404 from ")


def test_a_server_that_does_not_answer(fakeplat_factory: Make) -> None:
    """A refused connection is told in the words of the HTTP library."""
    with fakeplat_factory(version="latest", scenario=ENABLED) as target:
        exception_class, message = explain(target, start("http://127.0.0.1:1", target))

    assert "BulkImports::NetworkError" == exception_class
    assert message.startswith("Failed to open TCP connection to 127.0.0.1:1 (Connection refused")


def test_a_source_whose_exports_do_not_end(fakeplat_factory: Make) -> None:
    """A transfer from a server whose clock stands still waits, and can be canceled; what comes later is dropped."""
    with (
        fakeplat_factory(version="latest", clock="virtual", scenario=ENABLED) as source,
        fakeplat_factory(version="latest", scenario=ENABLED) as target,
    ):
        entity = {"source_type": "group_entity", "source_full_path": "acme", "destination_slug": "copy"}
        body = {
            "configuration": {"url": source.url, "access_token": "ada-token"},
            "entities": [{"destination_namespace": "", "migrate_projects": False, **entity}],
        }
        ada = target.as_user("ada")
        created = ada.post("bulk_imports", json=body).json()
        canceled = ada.post(f"bulk_imports/{created['id']}/cancel").json()
        source.requests.wait_for(operation="get_group_export_relations_status")
        source.clock.advance("2s")
        target.bench.transfers.join()

        assert "canceled" == canceled["status"] == ada.get(f"bulk_imports/{created['id']}").json()["status"]
        assert 404 == ada.get("groups/copy").status
