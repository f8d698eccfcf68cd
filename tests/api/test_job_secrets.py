"""The secrets of jobs: what a runner is told of them.

Source: ee/spec/presenters/ee/ci/build_runner_presenter_spec.rb, ee/lib/gitlab/ci/config/entry/**/secret.rb,
app/models/ci/secrets/integration.rb.
"""

from typing import Any

import pytest

from fakeplat.harness.fake import Fakeplat
from fakeplat.policy.behaviours import SECRETS_HAVE_PROVIDERS, VAULTS_HAVE_NAMESPACES
from tests.api.ci_files import commit_ci
from tests.api.test_runner_protocol import create_runner, request_job, take_job
from tests.by_release import by_release

pytestmark = [
    pytest.mark.fakeplat(scenario="starter", default_branch="main", tier="premium", version="latest"),
]
VAULT = "VAULT_SERVER_URL: https://vault.example.com, VAULT_AUTH_ROLE: site"
VAULT_SERVER: dict[str, Any] = {
    "url": "https://vault.example.com",
    "namespace": None,
    "auth": {"name": "jwt", "path": "jwt", "data": {"jwt": "$T", "role": "site"}},
}
AZURE = "AZURE_KEY_VAULT_SERVER_URL: https://azure.example.com, AZURE_CLIENT_ID: c, AZURE_TENANT_ID: t"
GCP = (
    "GCP_PROJECT_NUMBER: '12', GCP_WORKLOAD_IDENTITY_FEDERATION_POOL_ID: p, "
    "GCP_WORKLOAD_IDENTITY_FEDERATION_PROVIDER_ID: q"
)


def push(fake: Fakeplat, secret: str, variables: str, more: str = "") -> Any:
    """Push a configuration with a secret of a job, and return the answer to the runner that asks for a job."""
    runner = create_runner(fake)
    text = f"job: {{script: a, variables: {{{variables}}}, secrets: {{DB: {{{secret}}}}}{more}}}"
    commit_ci(fake, text, branch="main")
    return request_job(fake, runner)


@pytest.mark.parametrize(
    ("secret", "variables", "expected"),
    [
        (
            "vault: production/db/password@ops, token: $T, file: false",
            VAULT,
            {
                "vault": {
                    "engine": {"name": "kv-v2", "path": "ops"},
                    "path": "production/db",
                    "field": "password",
                    "server": VAULT_SERVER,
                },
                "token": "$T",
                "file": False,
            },
        ),
        (
            "vault: db/password",
            VAULT,
            {
                "vault": {
                    "engine": {"name": "kv-v2", "path": "kv-v2"},
                    "path": "db",
                    "field": "password",
                    "server": {
                        **VAULT_SERVER,
                        "auth": {"name": "jwt", "path": "jwt", "data": {"jwt": "${CI_JOB_JWT}", "role": "site"}},
                    },
                }
            },
        ),
        (
            "vault: {engine: {name: kv-v1, path: e}, path: a, field: b}, token: $T",
            f"{VAULT}, VAULT_NAMESPACE: team, VAULT_AUTH_PATH: other",
            {
                "vault": {
                    "engine": {"name": "kv-v1", "path": "e"},
                    "path": "a",
                    "field": "b",
                    "server": {
                        "url": "https://vault.example.com",
                        "namespace": "team",
                        "auth": {"name": "jwt", "path": "other", "data": {"jwt": "$T", "role": "site"}},
                    },
                },
                "token": "$T",
            },
        ),
        (
            "azure_key_vault: {name: a}",
            AZURE,
            {
                "azure_key_vault": {
                    "name": "a",
                    "version": None,
                    "server": {
                        "url": "https://azure.example.com",
                        "client_id": "c",
                        "tenant_id": "t",
                        "jwt": "${CI_JOB_JWT_V2}",
                    },
                }
            },
        ),
        (
            "gcp_secret_manager: {name: a, version: 2}, token: $T",
            GCP,
            {
                "gcp_secret_manager": {
                    "name": "a",
                    "version": "2",
                    "server": {
                        "project_number": "12",
                        "workload_identity_federation_pool_id": "p",
                        "workload_identity_federation_provider_id": "q",
                        "jwt": "$T",
                    },
                },
                "token": "$T",
            },
        ),
        (
            "aws_secrets_manager: a/b#field",
            "AWS_REGION: eu-1",
            {
                "aws_secrets_manager": {
                    "secret_id": "a/b",
                    "field": "field",
                    "server": {
                        "region": "eu-1",
                        "jwt": "$AWS_ID_TOKEN",
                        "role_arn": None,
                        "role_session_name": None,
                    },
                }
            },
        ),
    ],
    ids=["vault", "short", "long", "azure", "gcp", "aws"],
)
def test_a_runner_is_told_where_secrets_are(
    fakeplat: Fakeplat, secret: str, variables: str, expected: dict[str, Any]
) -> None:
    """A secret has the address of its server, and the token with which the runner signs in."""
    assert {"DB": expected} == push(fakeplat, secret, variables).json()["secrets"]


def test_the_first_token_of_a_job_is_that_of_its_secrets(fakeplat: Fakeplat) -> None:
    """A secret without a token uses the first one of id_tokens."""
    taken = push(fakeplat, "vault: a/b", VAULT, ", id_tokens: {MINE: {aud: x}, OTHER: {aud: y}}").json()

    assert "$MINE" == taken["secrets"]["DB"]["vault"]["server"]["auth"]["data"]["jwt"]


def test_a_job_without_secrets_has_none(fakeplat: Fakeplat) -> None:
    """The key is there in paid tiers, whether or not a job has secrets."""
    runner = create_runner(fakeplat)
    commit_ci(fakeplat, "job: {script: a}", branch="main")

    assert {} == take_job(fakeplat, runner)["secrets"]


@pytest.mark.fakeplat(tier="free")
def test_secrets_are_paid(fakeplat: Fakeplat) -> None:
    """In the free tier a runner is told nothing of secrets, and no provider is needed."""
    assert "secrets" not in push(fakeplat, "vault: a/b", "").json()


@pytest.mark.parametrize("variables", ["", AZURE, "VAULT_SERVER_URL: ''"])
def test_a_job_without_a_provider_of_its_secrets_fails(fakeplat: Fakeplat, variables: str) -> None:
    """A job whose variables do not name the server of its secrets fails when a runner asks for it."""
    assert 204 == push(fakeplat, "vault: a/b", variables).status
    (job,) = fakeplat.bench.platform.view.jobs.all()
    assert ("failed", "secrets_provider_not_found") == (job.status, job.failure_reason)
    (shown,) = fakeplat.as_user("ada").get("projects/acme%2Fsite/jobs").json()
    assert "secrets_provider_not_found" == shown["failure_reason"]


@by_release(SECRETS_HAVE_PROVIDERS, "status", {"18.10": 201, "18.11": 204})
def test_any_provider_was_enough_at_first(fakeplat: Fakeplat, status: int) -> None:
    """Earlier releases ask for the variables of any provider, later ones for those of the secret's."""
    assert status == push(fakeplat, "vault: a/b", AZURE).status


@by_release(VAULTS_HAVE_NAMESPACES, "expected", {"15.8": False, "15.9": True})
def test_vaults_have_namespaces_later(fakeplat: Fakeplat, *, expected: bool) -> None:
    """The namespace of a vault comes with the tokens of secrets."""
    assert expected == ("namespace" in push(fakeplat, "vault: a/b", VAULT).json()["secrets"]["DB"]["vault"]["server"])
