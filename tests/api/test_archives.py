"""Archives of repositories.

Source: docs/platform/repository.md ('archive'), docs/decisions/rulings.md (22). `git archive`.
"""

import tarfile
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.company import COMPANY
from tests.api.histories import copy_repository, set_repository
from tests.api.requests import NO_ROUTE, refusal, resource_not_found
from tests.git.command import Git

pytestmark = pytest.mark.fakeplat(scenario=COMPANY)

ARCHIVE = "projects/acme%2Fsite/repository/archive"
ENDINGS = {
    "": "tar.gz",
    ".tar.gz": "tar.gz",
    ".tgz": "tar.gz",
    ".gz": "tar.gz",
    ".tar": "tar",
    ".zip": "zip",
    ".tar.bz2": "tar.bz2",
    ".tbz": "tar.bz2",
    ".tbz2": "tar.bz2",
    ".tb2": "tar.bz2",
    ".bz2": "tar.bz2",
}


def unpack(form: str, packed: bytes) -> dict[str, bytes]:
    """The files of an archive by their names."""
    if form == "zip":
        with ZipFile(BytesIO(packed)) as archive:
            return {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}
    with tarfile.open(fileobj=BytesIO(packed)) as opened:
        files = [(member.name, opened.extractfile(member)) for member in opened if member.isfile()]
        return {name: file.read() for name, file in files if file}


@pytest.mark.parametrize("ending", ENDINGS)
def test_every_format_holds_what_git_packs(fakeplat: Fakeplat, site: Git, ending: str) -> None:
    """Each archive format contains what git packs, in a folder named after project, ref and commit."""
    reply = fakeplat.as_user("rep").get(f"{ARCHIVE}{ending}")
    name, form = f"site-master-{site.sha()}", ENDINGS[ending]
    packed = site.raw("archive", f"--prefix={name}/", "--format", "zip" if form == "zip" else "tar", "master")
    files = {path: content for path, content in unpack(form, reply.content).items() if not path.endswith("/link")}

    assert 200 == reply.status
    assert f'attachment; filename="{name}.{form}"' == reply.headers["Content-Disposition"]
    assert ("application/zip" if form == "zip" else "application/octet-stream") == reply.headers["Content-Type"]
    assert "binary" == reply.headers["Content-Transfer-Encoding"]
    assert {path: content for path, content in unpack(form, packed).items() if path in files} == files
    assert f"{name}/src/moved.py" in files


@pytest.mark.parametrize("ref", ["feature", "v1.0", "team/topic", "{sha}", "master~1"])
def test_the_file_name_contains_the_requested_ref(fakeplat: Fakeplat, rich_git: Git, tmp_path: Path, ref: str) -> None:
    """The file name of an archive contains the requested ref with dashes and the commit's hash."""
    git = copy_repository(rich_git, tmp_path)
    git("update-ref", "refs/heads/team/topic", "side")
    set_repository(fakeplat, git)
    ref = ref.format(sha=git.sha("side"))
    commit = git.sha(f"{ref}^{{commit}}")
    reply = fakeplat.as_user("rep").get(ARCHIVE, params={"sha": ref})

    assert (
        f'attachment; filename="site-{ref.replace("/", "-")}-{commit}.tar.gz"' == reply.headers["Content-Disposition"]
    )
    assert all(path.startswith(f"site-{ref.replace('/', '-')}-{commit}/") for path in unpack("tar.gz", reply.content))


@pytest.mark.usefixtures("site")
def test_the_format_as_a_parameter(fakeplat: Fakeplat) -> None:
    """The format of an archive may be sent as a parameter."""
    assert "application/zip" == fakeplat.as_user("rep").get(f"{ARCHIVE}?format=zip").headers["Content-Type"]


def test_unknown_archives_are_not_found(fakeplat: Fakeplat, rich_git: Git) -> None:
    """Archives of empty repositories, unknown revisions and formats are not found."""
    assert resource_not_found("File") == refusal(fakeplat, "rep", "GET", ARCHIVE)
    set_repository(fakeplat, rich_git)

    assert resource_not_found("File") == refusal(fakeplat, "rep", "GET", f"{ARCHIVE}.zip?sha=nowhere")
    assert NO_ROUTE == refusal(fakeplat, "rep", "GET", f"{ARCHIVE}.rar")


@pytest.mark.parametrize("headers", [{"Sec-Fetch-Mode": "no-cors"}, {"Accept": "image/png,*/*"}])
@pytest.mark.usefixtures("site")
def test_a_page_that_embeds_an_archive_is_refused(fakeplat: Fakeplat, headers: dict[str, str]) -> None:
    """An archive requested by another page answers 406, except for followed links."""
    calls = fakeplat.as_user("rep")
    assert 200 == calls.get(ARCHIVE, headers={"Sec-Fetch-Mode": "navigate"}).status

    assert (406, {"message": "406 Not Acceptable"}) == refusal(fakeplat, "rep", "GET", ARCHIVE, headers=headers)


@pytest.mark.fakeplat(hosted=True)
@pytest.mark.usefixtures("site")
def test_five_a_minute_on_the_hosted_offering(fakeplat: Fakeplat) -> None:
    """The hosted offering serves each user five archives of a project per minute."""
    statuses = [fakeplat.as_user("rep").get(ARCHIVE).status for _ in range(5)]
    refused = fakeplat.as_user("rep").get(ARCHIVE)

    assert [200] * 5 == statuses
    text = "This archive has been requested too many times. Try again later."
    assert (429, {"message": {"error": text}}) == (refused.status, refused.json())
    assert 200 == fakeplat.as_user("dev").get(ARCHIVE).status
    fakeplat.clock.advance("61s")
    assert 200 == fakeplat.as_user("rep").get(ARCHIVE).status


@pytest.mark.usefixtures("site")
def test_no_limit_elsewhere(fakeplat: Fakeplat) -> None:
    """An installation of one's own serves all."""
    assert {200} == {fakeplat.as_user("rep").get(ARCHIVE).status for _ in range(7)}
