"""Job tokens as parameters, which the platform reads on every tier. Source: docs/decisions/rulings.md (19)."""

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.workbench.journal_entries import Reply
from tests.api.package_files import DOCS, SITE, finish_jobs, job_token, npm_document

pytestmark = pytest.mark.fakeplat(scenario="starter", clock="virtual", documented=False)


def send_all(fake: Fakeplat, token: str) -> list[Reply]:
    """Create a release, publish and read an npm package, upload and read a Maven file, with a token as parameter."""
    anonymous, params = fake.as_user(None), {"job_token": token}
    maven = f"{SITE}/packages/maven/com/acme/app/1.0/app-1.0.jar"
    return [
        anonymous.post(f"{SITE}/releases", json={"tag_name": "v1.0", **params}),
        anonymous.put(f"{SITE}/packages/npm/@acme%2fapp", json=npm_document("@acme/app", "1.0.0"), params=params),
        anonymous.get("packages/npm/@acme%2fapp", params=params),
        anonymous.put(maven, data=b"jar", params=params),
        anonymous.get(maven, params=params),
    ]


def test_the_token_of_a_running_job_is_enough(fakeplat: Fakeplat) -> None:
    """Releases and packages take the parameter on the free tier."""
    assert [201, 200, 200, 200, 200] == [reply.status for reply in send_all(fakeplat, job_token(fakeplat))]
    assert [] == fakeplat.requests.warnings


def test_the_token_of_a_finished_job_and_a_wrong_one_are_refused(fakeplat: Fakeplat) -> None:
    """A wrong or finished job's token answers 401 even where no login is needed."""
    token = job_token(fakeplat)
    finish_jobs(fakeplat)
    for value in (token, "wrong"):
        assert [401] * 5 == [reply.status for reply in send_all(fakeplat, value)]
    assert 200 == fakeplat.as_user("ada").put(DOCS, json={"description": "x"}).status
    assert 401 == fakeplat.as_user(None).get(f"{DOCS}/packages/npm/@acme%2fapp/-/a.tgz?job_token=wrong").status


@pytest.mark.fakeplat(documented=True)
def test_the_specification_ignores_the_parameter(fakeplat: Fakeplat) -> None:
    """By default on the free tier the parameter `job_token` is ignored."""
    nobody, job = (
        [(reply.status, reply.content) for reply in send_all(fakeplat, token)] for token in ("", job_token(fakeplat))
    )
    assert nobody == job
