"""Changelogs of repositories. Source: docs/platform/repository.md ('Changelogs')."""

from typing import Any
from urllib.parse import quote

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import CHANGELOGS_HAVE_PLAIN_TEXTS
from tests.api.merge_requests import MRS, SITE, commit, create_merge_request, merge
from tests.api.requests import FORBIDDEN, NO_ROUTE, invalid, outcome, refusal
from tests.by_release import by_release

CHANGELOG = f"{SITE}/repository/changelog"
pytestmark = pytest.mark.fakeplat(version="latest", clock="virtual")


def prepare(fake: Fakeplat) -> dict[str, str]:
    """Tag a first version and commit three changes, two of them with a trailer; return the hashes by file."""
    fake.as_user("mia").post(f"{SITE}/repository/tags", json={"tag_name": "v0.9.0", "ref": "main"})
    fake.as_user("mia").post(f"{SITE}/repository/tags", json={"tag_name": "v0.9.1-rc1", "ref": "main"})
    texts = {"one": "Add one\n\nChangelog: added", "two": "Fix two\n\nChangelog: fixed", "three": "Refactor"}
    return {name: commit(fake, "main", name, by="mia", commit_message=text) for name, text in texts.items()}


def get_notes(fake: Fakeplat, by: str = "rep", **params: Any) -> Any:
    """Return the section of a version."""
    reply = fake.as_user(by).get(CHANGELOG, params={"version": "1.0.0", "date": "2021-02-03T10:00:00Z", **params})
    return reply.json()["notes"] if reply.status == 200 else (reply.status, reply.json())


def read(fake: Fakeplat, path: str = "CHANGELOG.md", ref: str = "main") -> str:
    """Return the text of a file."""
    return fake.as_user("rep").get(f"{SITE}/repository/files/{quote(path, safe='')}/raw?ref={ref}").text


def test_a_section_lists_commits_with_a_trailer(fakeplat: Fakeplat) -> None:
    """A section lists the commits since the previous version that have the trailer, by category."""
    shas = prepare(fakeplat)
    expected = (
        "## 1.0.0 (2021-02-03)\n\n"
        f"### fixed (1 change)\n\n- [Fix two](acme/site@{shas['two']})\n\n"
        f"### added (1 change)\n\n- [Add one](acme/site@{shas['one']})\n\n"
    )

    assert expected == get_notes(fakeplat)
    assert "## 1.0.0 (2021-02-03)\n\nNo changes.\n\n" == get_notes(fakeplat, trailer="Unknown")
    assert "## 1.0.0 (2021-02-03)\n\nNo changes.\n\n" == get_notes(fakeplat, **{"from": shas["two"]})
    assert "Fix two" not in get_notes(fakeplat, to=shas["one"])


def test_entries_name_merge_requests_and_contributors(fakeplat: Fakeplat) -> None:
    """An entry names the merge request that brought its commit; reverted commits have none."""
    shas = prepare(fakeplat)
    commit(fakeplat, "topic", "topic.txt", start_branch="main", commit_message="Add topic\n\nChangelog: added")
    iid = create_merge_request(fakeplat, "topic", target_branch="main")["iid"]
    merge(fakeplat, f"{MRS}/{iid}")
    reverted = f"{SITE}/repository/commits/{shas['two']}/revert"
    assert 201 == fakeplat.as_user("mia").post(reverted, json={"branch": "main"}).status
    notes = get_notes(fakeplat)

    assert "### added (2 changes)" in notes
    assert f" ([merge request](acme/site!{iid}))" in notes
    assert "Fix two" not in notes


def test_the_configuration_of_the_repository(fakeplat: Fakeplat) -> None:
    """The file of the configuration changes categories, the format of the date, tags and the template."""
    prepare(fakeplat)
    config = (
        "categories:\n  added: Features\n  fixed: Bugs\ndate_format: '%d.%m.%Y'\ntag_regex: '^v(?P<major>\\d+)\\."
        "(?P<minor>\\d+)\\.(?P<patch>\\d+)$'\ntemplate: |\n  {% each categories %}\n  {{ title }}: {{ count }}\n"
        "  {% each entries %}\n  * {{ title }} {{ commit.trailers.Changelog }}\n  {% end %}\n  {% end %}\n"
    )
    commit(fakeplat, "main", ".gitlab/changelog_config.yml", by="mia", content=config)
    expected = "## 1.0.0 (03.02.2021)\n\nFeatures: 1\n* Add one added\nBugs: 1\n* Fix two fixed\n\n"

    assert expected == get_notes(fakeplat)
    assert expected != get_notes(fakeplat, config_file="other.yml")


@pytest.mark.parametrize(
    ("config", "error"),
    [
        ("a: [", ".gitlab/changelog_config.yml does not contain valid YAML"),
        ("categories: [a]", 'The "categories" configuration key must be a Hash'),
        ("template: '{% if x %}'", "Failed to parse the template: "),
        ("tag_regex: '('", "The regular expression to use for finding the previous tag for a version is invalid: "),
        ("template: '" + "{% each categories %}" * 5 + "{% end %}" * 5 + "'", ""),
    ],
)
def test_a_wrong_configuration(fakeplat: Fakeplat, config: str, error: str) -> None:
    """A configuration that cannot be read is 422 with the reason."""
    prepare(fakeplat)
    commit(fakeplat, "main", ".gitlab/changelog_config.yml", by="mia", content=config)
    answer = get_notes(fakeplat)

    if not error:
        # The loop is entered only as deep as there are lists.
        assert "## 1.0.0 (2021-02-03)\n\n\n\n" == answer
    else:
        status, body = answer
        assert (422, True) == (status, body["message"].startswith(f"Failed to generate the changelog: {error}"))


def test_a_section_is_committed(fakeplat: Fakeplat) -> None:
    """A committed section comes before those of older versions; what the file has already is not committed again."""
    prepare(fakeplat)
    body = {"version": "1.0.0", "date": "2021-02-03"}
    answers = [fakeplat.as_user("mia").post(CHANGELOG, json=body) for _ in range(2)]
    commits = fakeplat.as_user("rep").get(f"{SITE}/repository/commits?path=CHANGELOG.md").json()

    assert [(200, 200), (200, 200)] == [(answer.status, answer.json()) for answer in answers]
    assert ["Add changelog for version 1.0.0"] == [row["title"] for row in commits]
    assert get_notes(fakeplat).rstrip() + "\n" == read(fakeplat)
    newer = {"version": "1.1.0", "date": "2021-03-01", "from": "v0.9.0", "message": "Log", "trailer": "None"}
    assert 200 == fakeplat.as_user("mia").post(CHANGELOG, json=newer).status
    assert "## 1.1.0 (2021-03-01)\n\nNo changes.\n\n" + get_notes(fakeplat).rstrip() + "\n" == read(fakeplat)
    older = {"version": "0.9.5", "date": "2021-01-01", "from": "v0.9.0", "trailer": "None"}
    assert 200 == fakeplat.as_user("mia").post(CHANGELOG, json=older).status
    assert read(fakeplat).endswith("\n\n## 0.9.5 (2021-01-01)\n\nNo changes.\n")


def test_another_branch_and_file(fakeplat: Fakeplat) -> None:
    """A section can be committed to another branch and file."""
    prepare(fakeplat)
    body = {"version": "1.0.0", "date": "2021-02-03", "branch": "feature", "file": "docs/LOG.md", "from": "v0.9.0"}
    assert 200 == fakeplat.as_user("dev").post(CHANGELOG, json=body).status
    assert read(fakeplat, "docs/LOG.md", "feature").startswith("## 1.0.0 (2021-02-03)\n")


@by_release(CHANGELOGS_HAVE_PLAIN_TEXTS, "is_plain", {"19.0": False, "19.1": True})
def test_a_section_as_plain_text(fakeplat: Fakeplat, is_plain: bool) -> None:
    """From 19.1 on, a section is also to be had as plain text; there is no other ending."""
    prepare(fakeplat)
    params = {"version": "1.0.0", "date": "2021-02-03T10:00:00Z"}
    reply = fakeplat.as_user("rep").get(f"{CHANGELOG}.txt", params=params)

    assert is_plain == (get_notes(fakeplat) == reply.text)
    assert is_plain == (reply.headers["Content-Type"].partition(";")[0] == "text/plain")
    assert is_plain or NO_ROUTE == outcome(reply)
    assert NO_ROUTE == refusal(fakeplat, "rep", "GET", f"{CHANGELOG}.zip?version=1.0.0")
    missing = refusal(fakeplat, "rep", "GET", f"{CHANGELOG}.txt")
    assert (invalid("version is missing, version is empty") if is_plain else missing) == missing


def test_refusals(fakeplat: Fakeplat) -> None:
    """A section needs a version and a start; committing it needs the right to push."""
    path = f"{CHANGELOG}?version=1.0.0"
    assert FORBIDDEN == refusal(fakeplat, "gus", "GET", path)
    assert invalid("version is missing, version is empty") == refusal(fakeplat, "rep", "GET", CHANGELOG)
    assert invalid("version is invalid") == refusal(fakeplat, "rep", "GET", f"{CHANGELOG}?version=1")
    fakeplat.as_user("mia").delete(f"{SITE}/repository/tags/v1.0.0")
    no_start = "The commit start range is unspecified, and no previous tag could be found to use instead"
    expected = (422, {"message": f"Failed to generate the changelog: {no_start}"})
    assert expected == refusal(fakeplat, "rep", "GET", f"{CHANGELOG}?version=0.0.0")
    forbidden = (403, {"message": "403 Forbidden - You are not allowed to commit a changelog on this branch"})
    assert forbidden == refusal(fakeplat, "dev", "POST", CHANGELOG, json={"version": "1.0.0"})
