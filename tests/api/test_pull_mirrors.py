"""Pull mirrors. Source: docs/platform/projects.md ('Pull mirrors')."""

import pytest

from fakeplat.harness.fake import Fakeplat
from tests.api.requests import FORBIDDEN, UNAUTHORIZED, outcome, refusal

PATH, SITE = "projects/acme%2Fsite/mirror/pull", "projects/acme%2Fsite"
MIRROR = {"path_with_namespace": "acme/site", "mirror": True, "import_url": "https://git.example.test/site.git"}
pytestmark = pytest.mark.fakeplat(
    scenario={"extends": "starter", "projects": [MIRROR]}, tier="premium", clock="virtual"
)


def get_import_status(fake: Fakeplat) -> str:
    return str(fake.as_user("mia").get(SITE).json()["import_status"])


def test_an_update_of_a_mirror_goes_through_its_states(fakeplat: Fakeplat) -> None:
    """Maintainers start it; a second one changes nothing while the first is in progress."""
    mia = fakeplat.as_user("mia")
    assert (200, 200) == outcome(mia.post(PATH))
    seen = [get_import_status(fakeplat)]
    assert (200, 200) == outcome(mia.post(PATH))
    for _ in range(2):
        fakeplat.clock.advance("1s")
        seen.append(get_import_status(fakeplat))
    assert ["scheduled", "started", "finished"] == seen
    assert (200, 200) == outcome(mia.post(PATH))
    assert "scheduled" == get_import_status(fakeplat)


def test_refused_updates_of_a_mirror(fakeplat: Fakeplat) -> None:
    """Developers are 403, nobody is 401."""
    assert FORBIDDEN == refusal(fakeplat, "dev", "POST", PATH)
    assert UNAUTHORIZED == refusal(fakeplat, None, "POST", PATH)


def test_a_project_that_is_no_mirror(fakeplat: Fakeplat) -> None:
    """Updating a project that is no mirror answers 400, also to its owner."""
    expected = (400, {"message": "The project is not mirrored"})
    assert expected == refusal(fakeplat, "ada", "POST", "projects/acme%2Fdocs/mirror/pull")


@pytest.mark.fakeplat(tier="free")
def test_pull_mirrors_are_paid(fakeplat: Fakeplat) -> None:
    """Below premium pull mirrors are not found."""
    assert (404, {"message": "404 Not Found"}) == refusal(fakeplat, "ada", "POST", PATH)


@pytest.mark.fakeplat(version="latest")
def test_mirrors_of_some_branches(fakeplat: Fakeplat) -> None:
    """A pull mirror can be one of protected branches, or of those that an expression matches."""
    mia = fakeplat.as_user("mia")
    assert 200 == mia.put(PATH, json={"mirror_branch_regex": "^stable"}).status
    project = mia.get(SITE).json()["id"]
    assert "^stable" == fakeplat.bench.platform.view.projects[project].mirror_branch_regex
    assert mia.put(PATH, json={"only_protected_branches": True}).json()["only_mirror_protected_branches"]
