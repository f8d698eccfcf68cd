"""Releases and artifacts of jobs as python-gitlab sees them, over real sockets."""

from io import BytesIO
from typing import Any
from zipfile import ZipFile

import gitlab
import pytest

from fakeplat.harness.fake import Fakeplat

SITE = "acme/site"
JOB = {"name": "build", "status": "success", "artifact_files": [{"files": {"out/a.txt": "A"}}]}
PIPELINE = {"ref": "feature", "status": "success", "jobs": [JOB]}


def get_site(fakeplat: Fakeplat, username: str = "mia") -> Any:
    client = gitlab.Gitlab(fakeplat.url, private_token=fakeplat.token(username))
    return client.projects.get(SITE)


def test_a_release_from_its_creation_to_its_deletion(fakeplat: Fakeplat) -> None:
    """A release is created with a new tag, links and milestones, and deleted."""
    project = get_site(fakeplat)
    link = {"name": "Binary", "url": "https://files.example.com/a", "filepath": "/a"}
    created = project.releases.create(
        {"tag_name": "v2.0", "ref": "master", "milestones": ["v1.1"], "assets": {"links": [link]}}
    )
    assert ("v2.0", 5) == (created.tag_name, created.assets["count"])
    release = project.releases.get("v2.0")
    assert ["v2.0"] == [row.tag_name for row in project.releases.list(get_all=True)]
    other = release.links.create({"name": "Page", "url": "https://files.example.com/b", "link_type": "runbook"})
    assert ["Page", "Binary"] == [row.name for row in release.links.list(get_all=True)]
    other.delete()
    release.description = "Notes"
    release.save()
    assert "Notes" == project.releases.get("v2.0").description
    project.releases.delete("v2.0")
    assert [] == project.releases.list(get_all=True)
    with pytest.raises(gitlab.GitlabGetError) as refused:
        project.releases.get("v2.0")
    assert 403 == refused.value.response_code


def test_a_second_release_of_a_tag_is_a_conflict(fakeplat: Fakeplat) -> None:
    """A second release of a tag gets 409 with the platform's text."""
    project = get_site(fakeplat)
    project.releases.create({"tag_name": "v1.0"})
    with pytest.raises(gitlab.GitlabCreateError) as refused:
        project.releases.create({"tag_name": "v1.0"})
    assert (409, "Release already exists") == (refused.value.response_code, refused.value.error_message)


def test_artifacts_are_downloaded_kept_and_deleted(fakeplat: Fakeplat) -> None:
    """Artifacts are downloaded by job and by branch, kept, and deleted."""
    fakeplat.load({"projects": [{"path_with_namespace": SITE, "pipelines": [PIPELINE]}]})
    project = get_site(fakeplat)
    (job,) = project.jobs.list(get_all=True)
    archives = (job.artifacts(), project.artifacts.download("feature", "build"))
    for archive in archives:
        assert b"A" == ZipFile(BytesIO(archive)).read("out/a.txt")
    assert b"A" == job.artifact("out/a.txt") == project.artifacts.raw("feature", "out/a.txt", "build")
    job.keep_artifacts()
    assert None is project.jobs.get(job.id).artifacts_expire_at
    job.delete_artifacts()
    with pytest.raises(gitlab.GitlabGetError) as missing:
        job.artifacts()
    assert 404 == missing.value.response_code
