"""Custom attributes by GraphQL. Source: spec/requests/api/graphql/mutations/*/custom_attributes of 18.9."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.graphql.queries import NOT_AVAILABLE, list_messages, query_data, query_refused, write_mutation

pytestmark = pytest.mark.fakeplat(version="latest")
ATTRIBUTE = "customAttribute { key value }"
OWNERS = {
    "user": ("userCustomAttributeSet", "deleteUserCustomAttribute", 'user(username: "dev")'),
    "group": ("setGroupCustomAttribute", "deleteGroupCustomAttribute", 'group(fullPath: "acme")'),
    "project": ("projectCustomAttributeSet", "deleteProjectCustomAttribute", 'project(fullPath: "acme/site")'),
}


def name_owner(fake: Fakeplat, kind: str) -> dict[str, str]:
    """Return the input that names an owner."""
    if kind == "user":
        return {"userId": f"gid://gitlab/User/{fake.world.user('dev').id}"}
    return {"groupPath": "acme"} if kind == "group" else {"projectPath": "acme/site"}


def change(fake: Fakeplat, mutation: str, kind: str, **values: str) -> Any:
    """Run a mutation as an administrator and return its payload."""
    given = {**name_owner(fake, kind), **values}
    return query_data(fake, "root", write_mutation(mutation, ATTRIBUTE), input=given)[mutation]


def list_attributes(fake: Fakeplat, kind: str, by: str = "root") -> Any:
    (owner,) = query_data(fake, by, f"{{ {OWNERS[kind][2]} {{ customAttributes {{ key value }} }} }}").values()
    return owner["customAttributes"]


@pytest.mark.parametrize("kind", OWNERS)
def test_administrators_attach_values(fakeplat: Fakeplat, kind: str) -> None:
    """A key has one value, which is set, replaced and deleted."""
    setter, deleter, _ = OWNERS[kind]
    first = change(fakeplat, setter, kind, key="department", value="sales")
    second = change(fakeplat, setter, kind, key="department", value="support")
    shown = list_attributes(fakeplat, kind)
    deleted = change(fakeplat, deleter, kind, key="department")

    assert {"customAttribute": {"key": "department", "value": "sales"}, "errors": []} == first
    assert [second["customAttribute"]] == shown == [{"key": "department", "value": "support"}]
    assert {"customAttribute": shown[0], "errors": []} == deleted
    assert [] == list_attributes(fakeplat, kind)


@pytest.mark.parametrize("kind", OWNERS)
def test_others_neither_see_nor_attach_values(fakeplat: Fakeplat, kind: str) -> None:
    """Whoever is no administrator sees null and is refused, and nothing changes."""
    setter, deleter, _ = OWNERS[kind]
    change(fakeplat, setter, kind, key="department", value="sales")
    owner = name_owner(fakeplat, kind)
    given = [(setter, {**owner, "key": "department", "value": "x"}), (deleter, {**owner, "key": "department"})]
    refused = [
        list_messages(query_refused(fakeplat, "ada", write_mutation(name, ATTRIBUTE), input=values))
        for name, values in given
    ]

    assert [[NOT_AVAILABLE]] * 2 == refused
    assert list_attributes(fakeplat, kind, "ada") is None
    assert [{"key": "department", "value": "sales"}] == list_attributes(fakeplat, kind)


@pytest.mark.parametrize("kind", OWNERS)
@pytest.mark.parametrize(
    ("key", "value", "error"), [("", "sales", "Key can't be blank"), ("department", "", "Value can't be blank")]
)
def test_blank_values_are_refused(fakeplat: Fakeplat, kind: str, key: str, value: str, error: str) -> None:
    """Neither key nor value may be blank."""
    refused = change(fakeplat, OWNERS[kind][0], kind, key=key, value=value)

    assert {"customAttribute": None, "errors": [error]} == refused
    assert [] == list_attributes(fakeplat, kind)


@pytest.mark.parametrize("kind", OWNERS)
def test_a_missing_value_cannot_be_deleted(fakeplat: Fakeplat, kind: str) -> None:
    """A key that is not there is an error."""
    refused = change(fakeplat, OWNERS[kind][1], kind, key="none")
    assert {"customAttribute": None, "errors": ["Custom attribute not found"]} == refused


def test_a_missing_user_is_refused(fakeplat: Fakeplat) -> None:
    """A user who does not exist is refused like one that may not be changed."""
    given = {"userId": "gid://gitlab/User/0", "key": "a", "value": "b"}
    answer = query_refused(fakeplat, "root", write_mutation("userCustomAttributeSet", ATTRIBUTE), input=given)
    assert [NOT_AVAILABLE] == list_messages(answer)


@pytest.mark.fakeplat(version="18.5")
def test_custom_attributes_came_later(fakeplat: Fakeplat) -> None:
    """In 18.5 only REST has custom attributes."""
    (message,) = list_messages(query_refused(fakeplat, "root", "{ currentUser { customAttributes { key } } }"))
    assert message.startswith("Field 'customAttributes' doesn't exist")
