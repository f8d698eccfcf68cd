"""Addresses in commits to namespaces, by GraphQL. Source: the platform's spec of set_namespace_commit_email_service."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.scenario.export import export_world
from tests.api.company import COMPANY
from tests.graphql.queries import NOT_AVAILABLE, list_messages, query_data, query_refused, write_mutation

ADDRESSES = {"emails": [{"email": "dev@work.test"}, {"email": "dev@club.test"}]}
USERS = [{**user, **ADDRESSES} if user["username"] == "dev" else user for user in COMPANY["users"]]
ACME: dict[str, Any] = COMPANY["groups"][0]
REPOSITORY = {"commits": [{"message": "Begin", "files": {"a.txt": "a"}}], "head": "main"}
GROUP = {**ACME, "projects": [{**ACME["projects"][0], "repository": REPOSITORY}]}
pytestmark = pytest.mark.fakeplat(scenario={**COMPANY, "users": USERS, "groups": [GROUP]}, version="latest")
SET = write_mutation(
    "userSetNamespaceCommitEmail", "namespaceCommitEmail { email { email } namespace { fullPath } createdAt }"
)
OWN = "{ currentUser { namespaceCommitEmails { nodes { email { email } namespace { fullPath } } } } }"


def write_input(fake: Fakeplat, path: str, address: str | None) -> dict[str, Any]:
    """Return the input for a namespace and an address of dev."""
    world = fake.bench.platform.view
    email = next((each.id for each in world.emails.all() if each.email == address), 1)
    namespace = {"namespaceId": f"gid://gitlab/Group/{fake.world.group(path).id}"}
    return {**namespace, "emailId": f"gid://gitlab/Email/{email}" if address else None}


def choose(fake: Fakeplat, address: str | None, path: str = "acme") -> Any:
    """Set the address of dev; return the payload."""
    return query_data(fake, "dev", SET, input=write_input(fake, path, address))["userSetNamespaceCommitEmail"]


def commit(fake: Fakeplat, branch: str, **more: str) -> str:
    """Commit to a new branch of a project of the group; return the address of the author."""
    body = {"branch": branch, "start_branch": "main", "content": "x", "commit_message": "Add", **more}
    reply = fake.as_user("dev").post("projects/acme%2Fsite/repository/files/new.txt", json=body)
    assert 201 == reply.status, reply
    found = fake.as_user("dev").get(f"projects/acme%2Fsite/repository/commits/{branch}").json()
    return str(found["author_email"])


def test_an_address_is_chosen_changed_and_taken_back(fakeplat: Fakeplat) -> None:
    """A user has one address in commits to a top-level group, until the choice is taken back."""
    for address in ("dev@work.test", "dev@club.test"):
        chosen = {"email": {"email": address}, "namespace": {"fullPath": "acme"}}
        payload = choose(fakeplat, address)
        assert payload["namespaceCommitEmail"].pop("createdAt")
        assert {"namespaceCommitEmail": chosen, "errors": []} == payload
        assert [chosen] == query_data(fakeplat, "dev", OWN)["currentUser"]["namespaceCommitEmails"]["nodes"]
    users = {user["username"]: user for user in export_world(fakeplat.bench.platform)["users"]}
    assert [{"namespace": "acme", "email": "dev@club.test"}] == users["dev"]["namespace_commit_emails"]
    assert {"namespaceCommitEmail": None, "errors": []} == choose(fakeplat, None)
    assert {"namespaceCommitEmail": None, "errors": ["Email must be provided."]} == choose(fakeplat, None)


def test_commits_have_it(fakeplat: Fakeplat) -> None:
    """Commits to the projects of the group have the address as the author's, unless the request names another."""
    choose(fakeplat, "dev@work.test")
    assert "dev@work.test" == commit(fakeplat, "one")
    assert "other@example.test" == commit(fakeplat, "two", author_email="other@example.test")


def test_invalid_choices_are_refused(fakeplat: Fakeplat) -> None:
    """Only own addresses and top-level groups that the caller sees are chosen."""
    below = choose(fakeplat, "dev@work.test", "acme/tools")
    assert {"namespaceCommitEmail": None, "errors": ["Namespace must be a root group."]} == below
    assert ["Email must be provided."] == choose(fakeplat, "nobody@example.test")["errors"]
    choose(fakeplat, "dev@work.test")
    assert ["Email must exist and Email can't be blank"] == choose(fakeplat, "nobody@example.test")["errors"]
    fakeplat.load({"groups": [{"path": "hidden", "visibility": "private"}]})
    content = query_refused(fakeplat, "dev", SET, input=write_input(fakeplat, "hidden", "dev@work.test"))
    assert [NOT_AVAILABLE] == list_messages(content)
