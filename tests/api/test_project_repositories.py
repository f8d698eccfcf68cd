"""Fields of projects about their repository.

Source: docs/platform/projects.md.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.requests import Outcome, invalid_record, outcome, paths, refusal

SITE, KIT, DOCS = "projects/acme%2Fsite", "projects/acme%2Ftools%2Fkit", "projects/acme%2Fdocs"
NO_SIZES = dict.fromkeys(("wiki_size", "lfs_objects_size", "job_artifacts_size", "packages_size", "snippets_size"), 0)


def create_project(fake: Fakeplat, **body: Any) -> dict[str, Any]:
    reply = fake.as_user("ada").post("projects", json={"name": "Fresh", **body})
    assert 201 == reply.status, reply.text
    project: dict[str, Any] = reply.json()
    return project


def get_repository(fake: Fakeplat, project: dict[str, Any], path: str) -> Any:
    return fake.as_user("ada").get(f"projects/{project['id']}/repository/{path}").json()


def test_a_project_with_a_repository(fakeplat: Fakeplat) -> None:
    """A project with a repository shows its default branch and README."""
    project = fakeplat.as_user("dev").get(SITE).json()

    assert ("master", False) == (project["default_branch"], project["empty_repo"])
    assert f"{project['web_url']}/-/blob/master/README.md" == project["readme_url"]
    assert project["readme_url"] == fakeplat.as_user("dev").get(f"{SITE}?simple=true").json()["readme_url"]


def test_a_project_without_commits(fakeplat: Fakeplat) -> None:
    """A project without commits has no branches."""
    project = create_project(fakeplat, default_branch="main")

    assert (None, True, None) == (project["default_branch"], project["empty_repo"], project["readme_url"])
    sizes = fakeplat.as_user("ada").get(f"projects/{project['id']}?statistics=true&license=true").json()
    assert {"commit_count": 0, "storage_size": 0, "repository_size": 0, **NO_SIZES} == sizes["statistics"]
    assert (None, None) == (sizes["license"], sizes["license_url"])
    assert {} == fakeplat.as_user("ada").get(f"projects/{project['id']}/languages").json()


@pytest.mark.parametrize(
    ("body", "branch", "readme"),
    [
        ({}, "master", "# Fresh\n\n"),
        ({"description": "All new"}, "master", "# Fresh\n\nAll new"),
        ({"default_branch": "main"}, "main", "# Fresh\n\n"),
    ],
)
def test_a_project_may_begin_with_a_readme(fakeplat: Fakeplat, body: dict[str, Any], branch: str, readme: str) -> None:
    """A project with a README begins with one commit by its creator."""
    project = create_project(fakeplat, initialize_with_readme=True, **body)

    assert (branch, False) == (project["default_branch"], project["empty_repo"])
    assert f"{project['web_url']}/-/blob/{branch}/README.md" == project["readme_url"]
    (commit,) = get_repository(fakeplat, project, "commits")
    assert ("Initial commit", "Ada Example") == (commit["message"], commit["author_name"])
    reply = fakeplat.as_user("ada").get(f"projects/{project['id']}/repository/files/README.md/raw?ref={branch}")
    assert readme == reply.content.decode()


def test_a_project_does_not_begin_on_a_branch_that_git_does_not_take(fakeplat: Fakeplat) -> None:
    """A project whose default branch has an invalid name is not created."""
    body = {"name": "Fresh", "initialize_with_readme": True, "default_branch": "a..b"}
    assert invalid_record(base=["Could not set the default branch"]) == refusal(
        fakeplat, "ada", "POST", "projects", json=body
    )


def test_another_default_branch(fakeplat: Fakeplat) -> None:
    """HEAD follows; the branch that was the default may be deleted once it is protected no more."""
    ada = fakeplat.as_user("ada")
    reply = ada.put(SITE, json={"default_branch": "feature"})

    assert (200, "feature") == (reply.status, reply.json()["default_branch"])
    assert ada.get(f"{SITE}/repository/branches/feature").json()["default"]
    assert "Search by name" == ada.get(f"{SITE}/repository/commits").json()[0]["title"]
    assert 204 == ada.delete(f"{SITE}/protected_branches/master").status
    assert 204 == ada.delete(f"{SITE}/repository/branches/master").status


@pytest.mark.parametrize(
    ("path", "branch", "expected"),
    [
        (SITE, "gone", invalid_record(base=["Could not set the default branch"])),
        (SITE, "v1.0", invalid_record(base=["Could not set the default branch"])),
    ],
)
def test_a_default_branch_must_be_there(fakeplat: Fakeplat, path: str, branch: str, expected: Outcome) -> None:
    """The default branch must be an existing branch; a tag is refused."""
    assert expected == refusal(fakeplat, "ada", "PUT", path, json={"default_branch": branch})


def test_the_sizes_of_a_repository(fakeplat: Fakeplat) -> None:
    """The statistics count commits of the default branch and bytes of all refs."""
    dev = fakeplat.as_user("dev")

    def sizes() -> dict[str, int]:
        statistics: dict[str, int] = dev.get(f"{SITE}?statistics=true").json()["statistics"]
        return statistics

    before = sizes()
    fakeplat.as_user("mia").post(
        f"{SITE}/repository/files/big.txt",
        json={"branch": "master", "commit_message": "x", "content": "x" * 5000},
    )
    after = sizes()

    assert 4 == before["commit_count"]
    assert 5 == after["commit_count"]
    assert 5000 < after["repository_size"] - before["repository_size"] < 7000
    assert after["storage_size"] == after["repository_size"]
    assert NO_SIZES.items() <= after.items()


def test_languages_are_those_of_the_default_branch(fakeplat: Fakeplat) -> None:
    """Languages are percentages of the default branch, and filter lists of projects."""
    languages = fakeplat.as_user("dev").get(f"{KIT}/languages").json()

    assert ["Go", "Shell"] == list(languages)
    assert 100 == pytest.approx(sum(languages.values()), abs=0.01)
    assert ["acme/tools/kit"] == paths(fakeplat.as_user("dev").get("projects?with_programming_language=go"))


TEXTS = [
    ("MIT License\n\nPermission is hereby granted, free of charge, to any person obtaining a copy\nof", "mit"),
    ("                    GNU GENERAL PUBLIC LICENSE\n                       Version 3, 29 June 2007", "gpl-3.0"),
    ("GNU GENERAL PUBLIC LICENSE\n Version 2, June 1991", "gpl-2.0"),
    ("GNU GENERAL PUBLIC LICENSE\nVersion 3\n" + "x " * 400 + "GNU Affero General Public License", "gpl-3.0"),
    ("                 Apache License\n           Version 2.0, January 2004", "apache-2.0"),
    ("Redistributions of source code must retain ... Neither the name of", "bsd-3-clause"),
    ("Redistributions of source code must retain", "bsd-2-clause"),
    ("Do what you like.", "other"),
]


@pytest.mark.parametrize(("text", "key"), TEXTS)
def test_the_licence_is_detected_by_its_text(fakeplat: Fakeplat, text: str, key: str) -> None:
    """The licence is detected from the file at the root of the default branch."""
    project = create_project(fakeplat)
    ada = fakeplat.as_user("ada")
    body = {"branch": "master", "commit_message": "x", "content": text}
    assert 201 == ada.post(f"projects/{project['id']}/repository/files/COPYING.txt", json=body).status
    shown_project = ada.get(f"projects/{project['id']}?license=true").json()

    assert f"{project['web_url']}/-/blob/master/COPYING.txt" == shown_project["license_url"]
    assert {"key", "name", "nickname", "html_url", "source_url"} == set(shown_project["license"])
    assert key == shown_project["license"]["key"]
    assert "license" not in ada.get(f"projects/{project['id']}").json()


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["README", "readme.md"], "readme.md"),
        (["README", "README.txt"], "README"),
        (["README.rst", "docs/README.md"], "README.rst"),
        (["docs/README.md", "READMEs"], None),
    ],
)
def test_which_file_is_the_readme(fakeplat: Fakeplat, names: list[str], expected: str | None) -> None:
    """The README is a file at the root in any case, rendered formats first."""
    project = create_project(fakeplat)
    actions = [{"action": "create", "file_path": name, "content": name} for name in names]
    body = {"branch": "master", "commit_message": "x", "actions": actions}
    assert 201 == fakeplat.as_user("ada").post(f"projects/{project['id']}/repository/commits", json=body).status
    readme_url = fakeplat.as_user("ada").get(f"projects/{project['id']}").json()["readme_url"]

    assert readme_url == (None if expected is None else f"{project['web_url']}/-/blob/master/{expected}")


def test_a_project_that_moves_keeps_its_repository(fakeplat: Fakeplat) -> None:
    """A moved project keeps all branches and tags."""
    ada = fakeplat.as_user("ada")
    before = [branch["commit"]["id"] for branch in ada.get(f"{SITE}/repository/branches").json()]
    assert 200 == ada.put(f"{SITE}/transfer", json={"namespace": "acme/tools"}).status

    moved = ada.get("projects/acme%2Ftools%2Fsite/repository/branches").json()
    assert before == [branch["commit"]["id"] for branch in moved]
    assert moved[0]["web_url"].endswith("/acme/tools/site/-/tree/feature")


def test_a_project_at_an_old_path_has_an_empty_repository(fakeplat: Fakeplat) -> None:
    """A new project at the path of a deleted one has an empty repository."""
    ada = fakeplat.as_user("ada")
    ada.delete(DOCS)
    acme = fakeplat.world.group("acme").id
    project = ada.post("projects", json={"name": "Docs", "path": "docs", "namespace_id": acme})

    assert (201, True, None) == (project.status, project.json()["empty_repo"], project.json()["default_branch"])
    assert (200, []) == outcome(ada.get(f"{DOCS}/repository/branches"))


def test_pushed_refs_have_natural_keys(fakeplat: Fakeplat) -> None:
    """A branch that is deleted is a record of its project; the refs that the platform keeps for itself are none."""
    dev = fakeplat.as_user("dev")
    dev.post(f"{SITE}/repository/branches", json={"branch": "x", "ref": "master"})
    with fakeplat.changes() as c:
        dev.delete(f"{SITE}/repository/branches/x")
    assert ({}, {}, {"branches": ["acme/site: x"]}) == (c.created, c.changed, c.deleted)
