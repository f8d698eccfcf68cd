"""Lists, groups and fields in later releases. Source: docs/platform/later-releases.md."""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import (
    ADMINISTRATORS_BLOCK_OTHERS,
    EMAILS_ARE_ENABLED,
    INITIAL_PUSHES_ARE_PROTECTED,
    MARKED_PROJECTS_ARE_REFUSED,
    PROJECTS_BY_STARS,
    STATISTICS_HAVE_MORE_PARTS,
)
from tests.api.company import COMPANY
from tests.api.requests import FORBIDDEN, Outcome, outcome, paths, refusal
from tests.api.review_company import MR, REVIEW_COMPANY
from tests.by_release import by_release

pytestmark = pytest.mark.fakeplat(scenario=COMPANY)
SITE = "projects/acme%2Fsite"
LATER_PARTS = {"pipeline_artifacts_size", "uploads_size"}


@by_release(PROJECTS_BY_STARS, "expected", {"17.10": 400, "17.11": 200})
@pytest.mark.parametrize("path", ["projects", "groups/acme/projects"])
def test_lists_by_stars(fakeplat: Fakeplat, expected: int, path: str) -> None:
    """Lists of projects are ordered by the number of stars in 17.11 at the latest."""
    fakeplat.as_user("dev").post("projects/acme%2Fdocs/star")
    answer = fakeplat.as_user("dev").get(f"{path}?order_by=star_count")

    assert expected == answer.status
    assert expected == 400 or "acme/docs" == paths(answer)[0]


@pytest.mark.fakeplat(version="14.1")
def test_projects_by_similarity(fakeplat: Fakeplat) -> None:
    """A search among projects is ordered by similarity from 14.1 on, among those whose member the caller is."""
    dev = fakeplat.as_user("dev")
    assert ["acme/site"] == paths(dev.get("projects?order_by=similarity&search=site"))
    assert [] == paths(fakeplat.as_user("eve").get("projects?order_by=similarity&search=docs"))
    assert ["acme/docs"] == paths(fakeplat.as_user(None).get("projects?order_by=similarity&search=docs"))


@pytest.mark.parametrize(("order_by", "expected"), [("packages_size", 200), ("similarity", 400), ("star_count", 400)])
@pytest.mark.fakeplat(version="13.6")
def test_orders_begin_with_releases(fakeplat: Fakeplat, order_by: str, expected: int) -> None:
    """The order by the size of packages begins with 13.6; later ones are refused there."""
    assert expected == fakeplat.as_user("dev").get(f"projects?order_by={order_by}").status


@by_release(INITIAL_PUSHES_ARE_PROTECTED, "expected", {"18.8": 400, "18.9": 200})
def test_protection_after_the_initial_push(fakeplat: Fakeplat, expected: int) -> None:
    """Groups protect default branches fully after the initial push (4) in 18.9 at the latest."""
    assert expected == fakeplat.as_user("ada").put("groups/acme", json={"default_branch_protection": 4}).status


@pytest.mark.parametrize(
    ("version", "expected"), [("15.1", (400, {"error": "url is missing"})), ("15.2", (200, "http://example.test/x"))]
)
@pytest.mark.parametrize("container", [SITE, "groups/acme"])
def test_urls_of_hooks_stay(version: str, expected: Outcome, container: str, fakeplat_factory: Any) -> None:
    """Changes of a webhook name its URL up to 15.1; from 15.2 on, one that is not sent stays."""
    fake = fakeplat_factory(version=version, scenario=COMPANY, tier="premium")
    ada = fake.as_user("ada")
    id_ = ada.post(f"{container}/hooks", json={"url": "http://example.test/x"}).json()["id"]
    answer = ada.put(f"{container}/hooks/{id_}", json={"push_events": False})

    assert expected == (outcome(answer) if answer.status == 400 else (answer.status, answer.json()["url"]))


@by_release(
    STATISTICS_HAVE_MORE_PARTS, "expected", {"15.11": set(), "16.0": {"pipeline_artifacts_size", "uploads_size"}}
)
def test_parts_of_the_statistics(fakeplat: Fakeplat, expected: set[str]) -> None:
    """Statistics of groups and projects list further parts in 16.0 at the latest; only projects store images."""
    root = fakeplat.as_user("root")
    group = root.get("groups?statistics=true").json()[0]["statistics"]
    project = root.get(f"{SITE}?statistics=true").json()["statistics"]
    names = {"pipeline_artifacts_size", "uploads_size", "container_registry_size"}

    assert expected == names & set(group)
    assert (expected | {"container_registry_size"} if expected else set()) == names & set(project)


@by_release(EMAILS_ARE_ENABLED, "expected", {"16.4": None, "16.5": False})
def test_disabled_emails(fakeplat: Fakeplat, expected: bool | None) -> None:
    """Whether e-mails of a group or project are disabled is null until it is set, and false from 16.5 on."""
    for path in ("groups/acme", SITE):
        assert expected == fakeplat.as_user("ada").get(path).json()["emails_disabled"]


@pytest.mark.fakeplat(version="18.9")
def test_an_empty_default_branch(fakeplat: Fakeplat) -> None:
    """An empty name removes the default branch of new projects in a group."""
    ada = fakeplat.as_user("ada")
    assert "trunk" == ada.put("groups/acme", json={"default_branch": "trunk"}).json()["default_branch"]
    assert None is ada.put("groups/acme", json={"default_branch": ""}).json()["default_branch"]


@pytest.mark.fakeplat(version="18.9")
def test_sizes_of_artifacts_are_for_administrators(fakeplat: Fakeplat) -> None:
    """Only administrators limit the size of a group's artifacts; owners' limits are ignored."""
    for by, size in (("root", 5), ("ada", 9)):
        answer = fakeplat.as_user(by).put("groups/acme", json={"max_artifacts_size": size})
        assert (200, 5) == (answer.status, answer.json()["max_artifacts_size"])


@pytest.mark.fakeplat(version="18.9")
def test_what_new_groups_ignore(fakeplat: Fakeplat) -> None:
    """Settings of runners and protocols that are sent with a new group have no effect."""
    sent = {"shared_runners_setting": "disabled_and_overridable", "enabled_git_access_protocol": "ssh"}
    created = fakeplat.as_user("ada").post("groups", json={"name": "New", "path": "new", **sent}).json()

    assert ("enabled", "all") == (created["shared_runners_setting"], created["enabled_git_access_protocol"])


@pytest.mark.fakeplat(version="18.9")
def test_archived_groups_are_not_transferred(fakeplat: Fakeplat) -> None:
    """An archived group cannot be transferred."""
    fakeplat.as_user("ada").post("groups/acme%2Ftools/archive")

    assert FORBIDDEN == refusal(fakeplat, "ada", "POST", "groups/acme%2Ftools/transfer")


@pytest.mark.fakeplat(version="18.9")
def test_subgroups_go_with_the_group_above(fakeplat: Fakeplat) -> None:
    """Deleting a subgroup of a group that is marked for deletion succeeds, and leaves the subgroup unmarked."""
    ada = fakeplat.as_user("ada")
    ada.delete("groups/acme")
    above = next(row["full_path"] for row in ada.get("groups?all_available=true").json() if "tools" in row["full_path"])

    assert 202 == ada.delete(f"groups/{above.replace('/', '%2F')}").status
    assert None is ada.get(f"groups/{above.replace('/', '%2F')}").json()["marked_for_deletion_on"]


@pytest.mark.fakeplat(version="18.9", scenario=REVIEW_COMPANY, default_branch="master")
def test_times_of_approvals_and_addresses_of_emoji(fakeplat: Fakeplat) -> None:
    """An approval says when it was given; an emoji of the platform has no address."""
    mia = fakeplat.as_user("mia")
    approval = mia.post(f"{MR}/approve").json()["approved_by"][0]

    assert approval["approved_at"].startswith("2020-11-20T")
    assert None is mia.post(f"{MR}/award_emoji", json={"name": "tada"}).json()["url"]


@by_release(ADMINISTRATORS_BLOCK_OTHERS, "expected", {"16.10": 201, "16.11": 403})
def test_administrators_do_not_block_themselves(fakeplat: Fakeplat, expected: int) -> None:
    """Administrators cannot block themselves by the API, in 16.11 at the latest."""
    assert expected == fakeplat.as_user("root").post("users/1/block").status


@by_release(MARKED_PROJECTS_ARE_REFUSED, "expected", {"18.8": 202, "18.9": 400})
def test_projects_are_marked_for_deletion_once(fakeplat: Fakeplat, expected: int) -> None:
    """Deleting a project that is marked for deletion is refused in 18.9 at the latest."""
    ada, id_ = fakeplat.as_user("ada"), fakeplat.world.project("acme/site").id
    ada.delete(f"projects/{id_}")
    answer = ada.delete(f"projects/{id_}")

    assert expected == answer.status
    assert expected == 202 or {"message": "Project has been already marked for deletion"} == answer.json()


_COUNTS = ["merge_requests"]
_REVIEWS = ["assigned_merge_requests", "review_requested_merge_requests"]


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("13.7", _COUNTS),
        ("13.8", [*_COUNTS, *_REVIEWS]),
        ("14.2", [*_COUNTS, "assigned_issues", *_REVIEWS, "todos"]),
    ],
)
def test_counts_of_a_user(version: str, expected: list[str], fakeplat_factory: Any) -> None:
    """Users count their merge requests; reviews since 13.8, issues and to-dos since 14.2."""
    dev = fakeplat_factory(version=version, scenario=COMPANY).as_user("dev")
    if "todos" in expected:
        dev.post(f"{SITE}/issues", json={"title": "Mine", "assignee_id": 4})
        dev.post(f"{SITE}/issues/1/todo")
    counts = dev.get("user_counts").json()

    assert expected == list(counts)
    assert {1 if name in ("assigned_issues", "todos") else 0 for name in expected} == set(counts.values())
