"""Sheets that reassign what imports brought. Source: docs/platform/import-export.md ('Placeholder users')."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.scenario.export import export_world
from tests.api.requests import FORBIDDEN, UNAUTHORIZED, Outcome, form, invalid, outcome, refusal

HOST = "https://source.example.test"
USERS: list[dict[str, Any]] = [
    {"source_hostname": HOST, "source_user_identifier": "7", "source_name": "Bo, the first", "source_username": "bo"},
    {"source_hostname": HOST, "source_user_identifier": "8", "status": "rejected"},
    {
        "source_hostname": HOST,
        "source_user_identifier": "9",
        "status": "completed",
        "reassign_to_user": "mia",
        "reassigned_by_user": "ada",
    },
]
GROUP = {"full_path": "acme", "source_users": USERS}
PUBLIC = {"username": "rep", "public_email": "rep@public.example.test"}
pytestmark = pytest.mark.fakeplat(
    version="latest",
    clock="virtual",
    start="2020-11-20T09:00:00.000Z",
    scenario={"extends": "starter", "groups": [GROUP], "users": [PUBLIC]},
)
PATH = "groups/acme/placeholder_reassignments"
COLUMNS = (
    "Source host,Import type,Source user identifier,Source user name,Source username,"
    "GitLab username,GitLab public email\n"
)
MESSAGE = "The file is being processed and you will receive an email when completed."
PREFIX = "The following errors are preventing the sheet from being processed: "


def write_row(identifier: str, username: str = "", email: str = "") -> str:
    return f"{HOST},gitlab_migration,{identifier},,,{username},{email}\n"


def upload(fake: Fakeplat, *rows: str, by: str = "ada", columns: str = COLUMNS, name: str = "sheet.csv") -> Outcome:
    sheet = (columns + "".join(rows)).encode()
    return outcome(fake.as_user(by).request("POST", PATH, **form(file=(name, "text/csv", sheet))))


def list_source_users(fake: Fakeplat) -> dict[str, Any]:
    """The status of each user of the source, and who is to get the contributions."""
    (group,) = [group for group in export_world(fake.bench.platform)["groups"] if group["full_path"] == "acme"]
    return {
        row["source_user_identifier"]: (row.get("status", "pending_reassignment"), row.get("reassign_to_user"))
        for row in group["source_users"]
    }


BEFORE = {"7": ("pending_reassignment", None), "8": ("rejected", None), "9": ("completed", "mia")}


def test_the_sheet_has_those_that_can_be_reassigned(fakeplat: Fakeplat) -> None:
    """An Owner downloads the users that are pending or rejected, with empty columns for the new ones."""
    answer = fakeplat.as_user("ada").get(PATH)
    group_id = fakeplat.world.group("acme").id

    rows = f'{HOST},gitlab_migration,7,"Bo, the first",bo,,\n{HOST},gitlab_migration,8,,,,\n'
    assert (200, "text/csv; charset=utf-8", COLUMNS + rows) == (
        answer.status,
        answer.headers["Content-Type"],
        answer.text,
    )
    name = f"placeholder_reassignments_for_group_{group_id}_1605862800.csv"
    assert f'attachment; filename="{name}"' == answer.headers["Content-Disposition"]


@pytest.mark.parametrize(
    ("row", "user"),
    [
        (write_row("7", "dev"), "dev"),
        (write_row("7", "rep", "rep@public.example.test"), "rep"),
        (write_row("7", email="rep@public.example.test"), "rep"),
    ],
)
def test_contributions_are_proposed_to_a_user(fakeplat: Fakeplat, row: str, user: str) -> None:
    """A user is named by the username, the public e-mail address or both, and then has to approve."""
    assert (201, {"message": MESSAGE}) == upload(fakeplat, row)
    assert {**BEFORE, "7": ("awaiting_approval", user)} == list_source_users(fakeplat)


@pytest.mark.parametrize(
    "row",
    [
        write_row("7"),
        write_row("7", "nobody"),
        write_row("7", "dev", "rep@public.example.test"),
        write_row("7", email="dev@example.com"),
        write_row("7", "root"),
        write_row("7", "mia"),
        write_row("6", "dev"),
        write_row("9", "dev"),
    ],
)
def test_rows_that_change_nothing(fakeplat: Fakeplat, row: str) -> None:
    """Without a fitting user, for administrators, those with contributions and what has ended, nothing is done."""
    assert (201, {"message": MESSAGE}) == upload(fakeplat, row)
    assert BEFORE == list_source_users(fakeplat)


def test_what_administrators_may(fakeplat: Fakeplat) -> None:
    """Administrators name users by any confirmed address, and get contributions where the settings say so."""
    fakeplat.as_user("root").put("application/settings", json={"allow_contribution_mapping_to_admins": True})
    email = fakeplat.as_user("dev").get("user").json()["email"]
    upload(fakeplat, write_row("7", email=email), write_row("8", "root"), by="root")

    expected = {"7": ("awaiting_approval", "dev"), "8": ("awaiting_approval", "root")}
    assert {**BEFORE, **expected} == list_source_users(fakeplat)


@pytest.mark.parametrize(
    ("rows", "changes", "message"),
    [
        ([], {"name": "sheet.txt"}, "You must upload a CSV file with a .csv file extension."),
        ([], {"columns": "Source host\n"}, f"{PREFIX}The provided CSV was not correctly formatted."),
        ([], {"columns": ""}, f"{PREFIX}The provided CSV was not correctly formatted."),
        (
            [write_row("7", "dev"), write_row("8", "dev")],
            {},
            f"{PREFIX}The provided spreadsheet contains duplicate email addresses or usernames.",
        ),
    ],
)
def test_a_sheet_is_refused(fakeplat: Fakeplat, rows: list[str], changes: dict[str, str], message: str) -> None:
    """A file of another kind, without a column or with a user twice is refused, and changes nothing."""
    assert (422, {"message": message}) == upload(fakeplat, *rows, **changes)
    assert BEFORE == list_source_users(fakeplat)


@pytest.mark.parametrize(("by", "expected"), [(None, UNAUTHORIZED), ("mia", FORBIDDEN), ("eve", FORBIDDEN)])
def test_only_owners_reassign(fakeplat: Fakeplat, by: str | None, expected: Outcome) -> None:
    """Below Owner nobody downloads or uploads the sheet."""
    assert expected == refusal(fakeplat, by, "GET", PATH)
    assert expected == refusal(fakeplat, by, "POST", PATH)
    assert invalid("file is missing") == refusal(fakeplat, "ada", "POST", PATH)
