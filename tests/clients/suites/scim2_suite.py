"""What identity providers that use scim2-client rely on; it checks each answer against the standard."""

import pytest
from scim2_models import Email, Error, Name, PatchOp, PatchOperation, SCIMException, SearchRequest, User
from scim2_world import opened_client


@pytest.fixture
def client(create_world):
    with opened_client(create_world) as client:
        client.discover()
        yield client


def create(client, number=1):
    email = Email(type="work", value=f"user{number}@example.com", primary=True)
    name = Name(formatted=f"User {number}")
    return client.create(User(external_id=f"id-{number}", user_name=f"user{number}", name=name, emails=[email]))


def patch(client, user, **operation):
    client.modify(User, user.id, PatchOp[User](operations=[PatchOperation(**operation)]))
    return client.query(User, user.id)


def test_a_user_is_provisioned(client):
    """A provisioned user has the id of the identity provider."""
    user = create(client)
    assert ("id-1", "user1", "User 1", True) == (user.id, user.user_name, user.name.formatted, user.active)
    assert "User 1" == client.query(User, "id-1").name.formatted


def test_users_are_listed_and_found(client):
    """SCIM users are listed in pages and found by filters."""
    for number in range(3):
        create(client, number)
    page = client.query(User, query_parameters=SearchRequest(start_index=2, count=1))
    assert (3, 2, ["id-1"]) == (page.total_results, page.start_index, [user.id for user in page.resources])
    response = client.query(User, query_parameters=SearchRequest(filter='userName eq "user2"'))
    assert ["id-2"] == [user.id for user in response.resources]


def test_a_user_is_changed(client):
    """A user is changed by patch operations or by a whole document."""
    user = create(client)
    assert "New Name" == patch(client, user, op="replace", path="name.formatted", value="New Name").name.formatted
    user.user_name = "renamed"
    assert "renamed" == client.replace(user).user_name


def test_a_user_is_deactivated_and_comes_back(client):
    """A user is deactivated and activated by replacing `active`."""
    user = create(client)
    assert patch(client, user, op="replace", path="active", value=False).active is False
    assert patch(client, user, op="replace", path="active", value=True).active is True


def test_a_user_is_deleted(client):
    """A deleted user is 404 afterwards."""
    user = create(client)
    client.delete(User, user.id)
    error = client.query(User, user.id, raise_scim_errors=False)
    assert isinstance(error, Error)
    assert (404, "Resource id-1 not found") == (int(error.status), error.detail)


def test_what_is_refused_is_an_error_of_scim(client):
    """A refusal is raised as SCIMException with its text."""
    with pytest.raises(SCIMException, match="Resource nobody not found"):
        client.query(User, "nobody")
