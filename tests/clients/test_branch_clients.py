"""Branches, tags and their protection as python-gitlab sees them, over real sockets."""

from typing import Any

import gitlab
import pytest

from fakeplat.harness.fake import Fakeplat

SITE = "acme/site"


def get_site(fakeplat: Fakeplat, username: str = "mia") -> Any:
    client = gitlab.Gitlab(fakeplat.url, private_token=fakeplat.token(username))
    return client.projects.get(SITE)


def list_branch_names(project: Any) -> list[str]:
    return [branch.name for branch in project.branches.list(iterator=True)]


def test_a_branch_from_its_making_to_its_end(fakeplat: Fakeplat) -> None:
    """A branch whose name has a slash is created, read and deleted."""
    project = get_site(fakeplat, "dev")
    before = list_branch_names(project)
    branch = project.branches.create({"branch": "work/on-it", "ref": "v1.0"})

    assert ("work/on-it", True, False) == (branch.name, branch.can_push, branch.default)
    assert sorted([*before, "work/on-it"]) == list_branch_names(project)
    assert branch.commit["id"] == project.branches.get("work/on-it").commit["id"]
    branch.delete()
    with pytest.raises(gitlab.GitlabGetError) as gone:
        project.branches.get("work/on-it")
    assert (404, "404 Branch Not Found") == (gone.value.response_code, gone.value.error_message)


def test_merged_branches_go_together(fakeplat: Fakeplat) -> None:
    """`delete_merged_branches` of a project deletes the merged branches only."""
    project = get_site(fakeplat)
    before = list_branch_names(project)
    project.branches.create({"branch": "done", "ref": "master"})
    assert sorted([*before, "done"]) == list_branch_names(project)
    project.delete_merged_branches()

    assert before == list_branch_names(project)


def test_a_tag_from_its_making_to_its_end(fakeplat: Fakeplat) -> None:
    """An annotated tag is created with its message, listed and deleted."""
    project = get_site(fakeplat)
    annotated_tag = project.tags.create({"tag_name": "v1.1", "ref": "master", "message": "Second release"})

    assert ("v1.1", "Second release") == (annotated_tag.name, annotated_tag.message)
    assert annotated_tag.target != annotated_tag.commit["id"]
    assert {"v1.0", "v1.1"} == {tag.name for tag in project.tags.list(get_all=True)}
    annotated_tag.delete()
    assert ["v1.0"] == [tag.name for tag in project.tags.list(get_all=True)]


def test_a_branch_is_protected_and_protected_no_more(fakeplat: Fakeplat) -> None:
    """A developer cannot push to a branch that a pattern protects until it is unprotected."""
    project = get_site(fakeplat)
    protected_branch = project.protectedbranches.create(
        {"name": "feat*", "push_access_level": gitlab.const.AccessLevel.MAINTAINER}
    )

    assert ["feat*", "master"] == sorted(branch.name for branch in project.protectedbranches.list(get_all=True))
    assert not get_site(fakeplat, "dev").branches.get("feature").can_push
    assert protected_branch.push_access_levels == project.protectedbranches.get("feat*").push_access_levels
    project.protectedbranches.delete("feat*")
    assert get_site(fakeplat, "dev").branches.get("feature").can_push


def test_a_tag_is_protected_and_protected_no_more(fakeplat: Fakeplat) -> None:
    """A developer gets 400 with the platform's text when creating a protected tag."""
    project = get_site(fakeplat)
    project.protectedtags.create({"name": "v*", "create_access_level": 40})
    with pytest.raises(gitlab.GitlabCreateError) as refused:
        get_site(fakeplat, "dev").tags.create({"tag_name": "v2", "ref": "master"})

    text = "You are not allowed to create this tag as it is protected."
    assert (400, text) == (refused.value.response_code, refused.value.error_message)
    project.protectedtags.delete("v*")
    assert "v2" == get_site(fakeplat, "dev").tags.create({"tag_name": "v2", "ref": "master"}).name


def test_the_default_branch_is_changed(fakeplat: Fakeplat) -> None:
    """Saving a project with another default_branch changes its default branch."""
    project = get_site(fakeplat)
    project.default_branch = "feature"
    project.save()

    assert "feature" == get_site(fakeplat).default_branch
    assert get_site(fakeplat).branches.get("feature").default
