"""Reasons of 400 say which values a parameter accepts."""

import pytest

from fakeplat.harness.fake import Fakeplat

SITE = "projects/acme%2Fsite"


@pytest.mark.parametrize(
    ("method", "path", "sent", "reason"),
    [
        (
            "GET",
            f"{SITE}/issues",
            {"state": "opne"},
            "state does not have a valid value; state must be one of opened, closed, all, not 'opne'",
        ),
        (
            "POST",
            f"{SITE}/issues",
            {"title": "x", "confidential": "perhaps", "assignee_ids": "one"},
            (
                "assignee_ids is invalid, confidential is invalid; assignee_ids must be a list, each of it a whole"
                " number, not 'one'; confidential must be true or false, not 'perhaps'"
            ),
        ),
        (
            "GET",
            f"{SITE}/issues",
            {"created_after": "yesterday"},
            "created_after is invalid; created_after must be a time such as 2020-11-20T09:00:00Z, not 'yesterday'",
        ),
        ("GET", f"{SITE}/issues/one", {}, "in the path, issue_iid must be a whole number, not 'one'"),
        (
            "PUT",
            f"{SITE}/packages/generic/tool/2.0/tool.bin",
            {},
            "package_version must be three numbers, such as 1.0.0, not '2.0'",
        ),
    ],
)
def test_the_reason_names_what_is_expected(
    fakeplat: Fakeplat, method: str, path: str, sent: dict[str, str], reason: str
) -> None:
    """The reason of a 400 lists allowed values or names the expected type, and repeats what was sent."""
    reply = fakeplat.as_user("ada").request(method, path, params=sent)
    assert (400, reason) == (reply.status, fakeplat.requests[-1].reason)


def test_the_value_of_a_secret_is_not_shown(fakeplat: Fakeplat) -> None:
    """A parameter that holds a secret is masked in the reason, as it is in the query."""
    fakeplat.as_user("root").post(
        "users", json={"email": "x@y.test", "username": "x", "name": "x", "password": {"a": 1}}
    )
    assert "not ***" in str(fakeplat.requests[-1].reason)
