"""What stands in the way of a merge in later releases, and merging when all checks pass."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    CHANGE_REQUESTS_BLOCK_MERGING,
    COMMITS_STATUS,
    CONFLICT_STATUS,
    CONFLICTS_FORBID_MERGING,
    FAILED_MERGES_ARE_UNPROCESSABLE,
    MERGE_WHEN_CHECKS_PASS,
    MERGES_MAY_NEED_A_SHA,
    NEED_REBASE,
    TITLES_ARE_CHECKED,
)
from tests.api.merge_requests import CONFLICTING, MRS, OPEN, SITE, commit, create_merge_request, get_json
from tests.api.pipelines import create_pipelines, load_project
from tests.api.requests import refusal
from tests.api.test_reviewers import list_notes
from tests.by_release import by_release

NOT_ALLOWED = (405, {"message": "405 Method Not Allowed"})
UNMERGEABLE = {"message": "Branch cannot be merged"}


def get_status(fake: Fakeplat, path: str = OPEN) -> Any:
    return get_json(fake, path)["detailed_merge_status"]


def fall_behind(fake: Fakeplat) -> None:
    """Let the project merge forward only, and commit to its default branch."""
    load_project(fake, merge_method="ff")
    commit(fake, fake.as_user("root").get(SITE).json()["default_branch"], "behind.txt", by="mia")


def merge(fake: Fakeplat, path: str = OPEN, by: str = "mia", **options: Any) -> Any:
    """Return the status and, if it is a refusal, the body of a merge."""
    answer = fake.as_user(by).put(f"{path}/merge", json=options)
    return answer.status if answer.status == 200 else (answer.status, answer.json())


@by_release(FAILED_MERGES_ARE_UNPROCESSABLE, "expected", {"15.4": (406, UNMERGEABLE), "17.10": (422, UNMERGEABLE)})
def test_a_conflict(fakeplat: Fakeplat, expected: object) -> None:
    """A merge with conflicts is 406, and 422 in later releases."""
    assert expected == merge(fakeplat, CONFLICTING)
    assert "opened" == get_json(fakeplat, CONFLICTING)["state"]


@by_release(CONFLICT_STATUS, "expected", {"15.6": "broken_status", "17.10": "conflict"})
def test_the_status_of_a_conflict(fakeplat: Fakeplat, expected: str) -> None:
    """A conflict has a status of its own in later releases."""
    assert expected == get_status(fakeplat, CONFLICTING)


@by_release(COMMITS_STATUS, "expected", {"17.9": "broken_status", "17.10": "commits_status"})
def test_a_branch_without_commits(fakeplat: Fakeplat, expected: str) -> None:
    """A merge request whose source branch is gone has the status of missing commits and is not merged."""
    commit(fakeplat, "topic", start_branch="main")
    iid = create_merge_request(fakeplat, "topic", target_branch="main")["iid"]
    fakeplat.as_user("mia").delete("projects/acme%2Fsite/repository/branches/topic")

    assert (expected, NOT_ALLOWED) == (get_status(fakeplat, f"{MRS}/{iid}"), merge(fakeplat, f"{MRS}/{iid}"))


@pytest.mark.fakeplat(version="latest", clock="virtual")
def test_a_merge_request_has_a_time(fakeplat: Fakeplat) -> None:
    """A merge request is not merged before its time; null takes the time back."""
    answer = fakeplat.as_user("dev").put(OPEN, json={"merge_after": "2020-11-21T09:00:00Z"})
    early = (answer.json()["merge_after"], get_status(fakeplat), merge(fakeplat))
    fakeplat.clock.advance("2d")

    assert ("2020-11-21T09:00:00.000Z", "merge_time", NOT_ALLOWED) == early
    assert ("mergeable", 200) == (get_status(fakeplat), merge(fakeplat))


@pytest.mark.fakeplat(version="latest", tier="premium")
def test_a_missing_approval_forbids_merging(fakeplat: Fakeplat) -> None:
    """A merge without its approvals is 405 in later releases, and `not_approved` comes before `draft_status`."""
    rule = {"name": "Look", "approvals_required": 1, "user_ids": [fakeplat.as_user("mia").get("user").json()["id"]]}
    assert 201 == fakeplat.as_user("ada").post(f"{OPEN}/approval_rules", json=rule).status
    fakeplat.as_user("mia").put(OPEN, json={"title": "Draft: x"})

    assert ("not_approved", NOT_ALLOWED) == (get_status(fakeplat), merge(fakeplat))


@pytest.mark.fakeplat(version="15.4", tier="premium")
def test_a_missing_approval_was_unacceptable(fakeplat: Fakeplat) -> None:
    """A merge without its approvals is 406 in earlier releases."""
    rule = {"name": "Look", "approvals_required": 1, "user_ids": [fakeplat.as_user("mia").get("user").json()["id"]]}
    assert 201 == fakeplat.as_user("ada").post(f"{OPEN}/approval_rules", json=rule).status

    assert (406, UNMERGEABLE) == merge(fakeplat)


@by_release(CONFLICTS_FORBID_MERGING, "expected", {"17.10": (422, UNMERGEABLE), "19.3": NOT_ALLOWED})
def test_a_required_rebase(fakeplat: Fakeplat, expected: object) -> None:
    """A project that only merges forward asks for a rebase of a branch that fell behind: 422, in 19.3 405."""
    fall_behind(fakeplat)
    assert expected == merge(fakeplat)


@by_release(NEED_REBASE, "expected", {"15.6": "mergeable", "17.10": "need_rebase"})
def test_the_status_of_a_required_rebase(fakeplat: Fakeplat, expected: str) -> None:
    """In later releases a required rebase has a status of its own."""
    fall_behind(fakeplat)
    assert expected == get_status(fakeplat)


@pytest.mark.fakeplat(version="latest")
def test_auto_merge_waits_for_the_pipeline(fakeplat: Fakeplat) -> None:
    """`auto_merge` is the later name of `merge_when_pipeline_succeeds`."""
    create_pipelines(fakeplat, {"status": "running"})
    assert 200 == merge(fakeplat, auto_merge=True)
    waiting = get_json(fakeplat)

    assert ("opened", True, "mia") == (
        waiting["state"],
        waiting["merge_when_pipeline_succeeds"],
        waiting["merge_user"]["username"],
    )
    assert f"enabled an automatic merge when all merge checks for {waiting['sha']} pass" == list_notes(fakeplat)[0]


@pytest.mark.fakeplat(version="latest", tier="premium")
def test_auto_merge_waits_for_all_checks(fakeplat: Fakeplat) -> None:
    """What is set to be merged is merged as soon as the last check passes: here an approval, after a draft."""
    rule = {"name": "Look", "approvals_required": 1, "user_ids": [fakeplat.as_user("mia").get("user").json()["id"]]}
    assert 201 == fakeplat.as_user("ada").post(f"{OPEN}/approval_rules", json=rule).status
    title = get_json(fakeplat)["title"]
    fakeplat.as_user("dev").put(OPEN, json={"title": f"Draft: {title}"})
    states = []
    for method, path, body in (
        ("put", f"{OPEN}/merge", {"auto_merge": True}),
        ("post", f"{OPEN}/approve", None),
        ("put", OPEN, {"title": title}),
    ):
        assert getattr(fakeplat.as_user("mia"), method)(path, json=body).status in (200, 201)
        states.append(get_json(fakeplat)["state"])

    assert ["opened", "opened", "merged"] == states


@by_release(MERGE_WHEN_CHECKS_PASS, "expected", {"17.6": NOT_ALLOWED, "17.7": 200})
def test_auto_merge_waited_for_pipelines_only(fakeplat: Fakeplat, expected: object) -> None:
    """Before 17.7 a draft cannot be set to be merged."""
    fakeplat.as_user("dev").put(OPEN, json={"title": "Draft: x"})
    assert expected == merge(fakeplat, merge_when_pipeline_succeeds=True)


@pytest.mark.fakeplat(tier="premium")
@by_release(CHANGE_REQUESTS_BLOCK_MERGING, "expected", {"17.1": "mergeable", "17.2": "requested_changes"})
def test_the_status_of_requested_changes(fakeplat: Fakeplat, expected: str) -> None:
    """Since 17.2 a request for changes is an obstacle of a merge."""
    load_project(fakeplat, merge_requests=[{"iid": 1, "reviewers": [{"user": "mia", "state": "requested_changes"}]}])
    assert expected == get_status(fakeplat)


@pytest.mark.fakeplat(version="latest", tier="premium")
def test_requested_changes_forbid_merging(fakeplat: Fakeplat) -> None:
    """On paid tiers a reviewer who requests changes keeps a merge request from being merged, until they approve."""
    reviewers = [{"user": "mia", "state": "requested_changes"}]
    load_project(fakeplat, merge_requests=[{"iid": 1, "reviewers": reviewers}])
    blocked = (get_status(fakeplat), merge(fakeplat))
    assert 201 == fakeplat.as_user("mia").post(f"{OPEN}/approve").status

    assert (("requested_changes", NOT_ALLOWED), "mergeable") == (blocked, get_status(fakeplat))


@pytest.mark.fakeplat(version="latest")
def test_the_diff_of_a_merge_request(fakeplat: Fakeplat) -> None:
    """The raw difference is what git writes; the parameter `unidiff` adds the names of files to each text."""
    (plain,) = get_json(fakeplat, f"{OPEN}/diffs")
    (unified,) = get_json(fakeplat, f"{OPEN}/diffs?unidiff=true")
    raw = fakeplat.as_user("dev").get(f"{OPEN}/raw_diffs")
    header = "/dev/null" if plain["new_file"] else f"a/{plain['old_path']}"

    assert f"--- {header}\n+++ b/{plain['new_path']}\n{plain['diff']}" == unified["diff"]
    assert (200, "text/plain; charset=utf-8") == (raw.status, raw.headers["Content-Type"])
    assert raw.text.startswith(f"diff --git a/{plain['old_path']} b/{plain['new_path']}\n")
    assert raw.text.endswith(plain["diff"])


@pytest.mark.fakeplat(version="latest")
def test_the_diff_of_a_hidden_merge_request(fakeplat: Fakeplat) -> None:
    """The raw difference needs a login and access to the project."""
    assert (401, {"message": "401 Unauthorized"}) == refusal(fakeplat, None, "GET", f"{OPEN}/raw_diffs")
    assert (404, {"message": "404 Project Not Found"}) == refusal(fakeplat, "eve", "GET", f"{OPEN}/raw_diffs")


@pytest.mark.fakeplat(version="latest")
def test_related_issues(fakeplat: Fakeplat) -> None:
    """Issues that the description and comments mention are related, each once, if the caller can see them."""
    numbers = [
        fakeplat.as_user("dev").post("projects/acme%2Fsite/issues", json={"title": title}).json()["iid"]
        for title in ("One", "Two", "Three")
    ]
    fakeplat.as_user("dev").put(OPEN, json={"title": "Plain", "description": f"See #{numbers[0]} and #99999"})
    fakeplat.as_user("dev").post(f"{OPEN}/notes", json={"body": f"Also #{numbers[1]}, #{numbers[0]}"})
    iids = [row["iid"] for row in get_json(fakeplat, f"{OPEN}/related_issues")]

    assert numbers[:2] == [iid for iid in iids if iid in numbers]


@pytest.mark.fakeplat(version="latest")
def test_fields_of_later_releases(fakeplat: Fakeplat) -> None:
    """A merge request tells that it was not imported, when it was prepared, and whether merging squashes it."""
    row = get_json(fakeplat)
    expected = {"imported": False, "imported_from": "none", "squash_on_merge": False, "merge_after": None}

    assert expected == {name: row[name] for name in expected}
    assert row["created_at"] == row["prepared_at"]


@pytest.mark.fakeplat(version="latest")
@pytest.mark.parametrize(
    ("option", "squash", "expected"),
    [
        pytest.param("always", False, True, id="always"),
        pytest.param("never", True, False, id="never"),
        pytest.param("default_on", True, True, id="chosen"),
    ],
)
def test_a_project_decides_about_squashing(fakeplat: Fakeplat, option: str, squash: bool, expected: bool) -> None:
    """A project may always squash, or never; otherwise the merge request says it."""
    load_project(fakeplat, squash_option=option)
    fakeplat.as_user("mia").put(OPEN, json={"squash": squash})
    row = get_json(fakeplat)

    assert (squash, expected) == (row["squash"], row["squash_on_merge"])


@pytest.mark.fakeplat(version="latest")
def test_internal_notes(fakeplat: Fakeplat) -> None:
    """The later name of a confidential note is that of an internal one."""
    notes = [
        fakeplat.as_user("dev").post(f"{OPEN}/notes", json={"body": "x", **attributes}).json()
        for attributes in ({"internal": True}, {"confidential": True}, {})
    ]

    assert [(True, True), (True, True), (False, False)] == [(note["internal"], note["confidential"]) for note in notes]
    assert [(False, "none")] * 3 == [(note["imported"], note["imported_from"]) for note in notes]


@pytest.mark.fakeplat(version="latest")
def test_merge_requests_of_a_commit_by_state(fakeplat: Fakeplat) -> None:
    """The merge requests of a commit are filtered by their state."""
    sha = get_json(fakeplat)["sha"]
    path = f"{SITE}/repository/commits/{sha}/merge_requests"
    found = {
        state: [row["iid"] for row in get_json(fakeplat, f"{path}?state={state}")]
        for state in ("opened", "merged", "all")
    }

    assert {"opened": [1], "merged": [], "all": [1]} == found
    expected = (400, {"error": "state does not have a valid value"})
    assert expected == refusal(fakeplat, "dev", "GET", f"{path}?state=some")


@by_release(TITLES_ARE_CHECKED, "expected", {"18.4": "mergeable", "18.5": "title_regex"})
@pytest.mark.fakeplat(tier="premium")
def test_titles_are_checked_in_later_releases(fakeplat: Fakeplat, expected: str) -> None:
    """The titles of merge requests are checked in later releases."""
    load_project(fakeplat, merge_request_title_regex="^JIRA-[0-9]+")
    assert expected == get_status(fakeplat)


@pytest.mark.fakeplat(version="latest", tier="premium")
def test_a_title_that_the_project_does_not_allow(fakeplat: Fakeplat) -> None:
    """A title that does not match the expression of the project forbids merging."""
    load_project(fakeplat, merge_request_title_regex="^JIRA-[0-9]+")
    forbidden = (get_status(fakeplat), merge(fakeplat))
    fakeplat.as_user("dev").put(OPEN, json={"title": "JIRA-1 Text"})

    assert ("title_regex", NOT_ALLOWED) == forbidden
    error = {"message": {"merge_request_title_regex": ["not valid RE2 syntax: missing ): ("]}}
    assert (400, error) == refusal(fakeplat, "ada", "PUT", SITE, json={"merge_request_title_regex": "("})
    assert ("mergeable", 200) == (get_status(fakeplat), merge(fakeplat))


SHA_NEEDED = (400, {"message": "SHA must be provided when merging"})
REQUIRED, FREE = {"require_sha_for_merge": True}, {"require_sha_for_merge": False}
LOCKED = {"lock_require_sha_for_merge": True}


@by_release(MERGES_MAY_NEED_A_SHA, "expected", {"19.1": 200, "19.2": SHA_NEEDED})
def test_a_group_requires_the_hash_of_what_is_merged(fakeplat: Fakeplat, expected: object) -> None:
    """From 19.2 on a group can require that merging by the API names the head of the source branch."""
    fakeplat.load({"groups": [{"full_path": "acme", **REQUIRED}]})

    assert expected == merge(fakeplat)


@pytest.mark.fakeplat(version="19.2")
def test_who_sends_the_hash_merges(fakeplat: Fakeplat) -> None:
    """The missing hash is refused before anything else; with it the merge succeeds."""
    fakeplat.load({"groups": [{"full_path": "acme", **REQUIRED}]})

    assert SHA_NEEDED == merge(fakeplat, by="rep")
    assert SHA_NEEDED == merge(fakeplat, sha="")
    assert 409 == merge(fakeplat, sha="0" * 40)[0]
    assert 200 == merge(fakeplat, sha=get_json(fakeplat, OPEN)["sha"])


@pytest.mark.fakeplat(version="19.2")
@pytest.mark.parametrize(
    ("settings", "group", "expected"),
    [
        (REQUIRED, {}, SHA_NEEDED),
        (REQUIRED, FREE, 200),
        ({**REQUIRED, **LOCKED}, FREE, SHA_NEEDED),
        (LOCKED, REQUIRED, 200),
        ({}, {**REQUIRED, **LOCKED}, SHA_NEEDED),
    ],
    ids=["instance", "group", "locked", "locked off", "group locks"],
)
def test_groups_inherit_whether_the_hash_is_required(
    fakeplat: Fakeplat, settings: dict[str, bool], group: dict[str, bool], expected: object
) -> None:
    """A group decides for itself, unless the instance or a group above locks it; else the instance does."""
    if settings:
        assert 200 == fakeplat.as_user("root").put("application/settings", json=settings).status
    fakeplat.load({"groups": [{"full_path": "acme", **group}]})

    assert expected == merge(fakeplat)


@pytest.mark.fakeplat(version="19.2")
def test_a_group_above_locks_the_requirement(fakeplat: Fakeplat) -> None:
    """What a group locks counts for its subgroups, whatever they say; otherwise the closest group decides."""
    for locks, expected in ((False, 200), (True, SHA_NEEDED)):
        fakeplat.reset()
        above = {"full_path": "above", **REQUIRED, "lock_require_sha_for_merge": locks}
        fakeplat.load({"groups": [above]})
        root = fakeplat.as_user("root")
        group = root.get("groups/above").json()["id"]
        assert 201 == root.post("groups/acme/transfer", json={"group_id": group}).status
        fakeplat.load({"groups": [{"full_path": "above/acme", **FREE}]})
        assert expected == merge(fakeplat, OPEN.replace("acme", "above%2Facme"))
