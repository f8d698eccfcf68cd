"""Helpers for tests of packages: requests of package managers and their credentials."""

from base64 import b64encode
from hashlib import sha1
from typing import Any

from fakeplat.ci_config.jobs import PlannedJob
from fakeplat.domain.ci import job_actions
from fakeplat.harness.fake import Fakeplat
from tests.api.ci_jobs import create_pipeline, jobs_of, wait_for_runner

SITE, DOCS, KIT = "projects/acme%2Fsite", "projects/acme%2Fdocs", "projects/acme%2Ftools%2Fkit"
ROLES = (None, "eve", "ext", "gus", "rep", "dev", "mia", "ada", "root")
"""Callers: nobody, no member, an external user, then from Guest to Owner, and an administrator."""


def project_id(fake: Fakeplat, path: str) -> int:
    id_: int = fake.as_user("root").get(path).json()["id"]
    return id_


def list_statuses(fake: Fakeplat, method: str, path: str, **rest: Any) -> str:
    """The statuses that each role gets, each on the world as it was before."""
    fake.snapshot()
    statuses_by_role = []
    for role in ROLES:
        statuses_by_role.append(str(fake.as_user(role).request(method, path, **rest).status))
        fake.restore()
    return " ".join(statuses_by_role)


def basic(name: str, password: str) -> dict[str, str]:
    return {"Authorization": f"Basic {b64encode(f'{name}:{password}'.encode()).decode()}"}


def deploy_token(fake: Fakeplat, project: str = SITE, *scopes: str, **fields: Any) -> str:
    """Create a deploy token; return its value."""
    chosen = scopes or ("read_package_registry", "write_package_registry")
    reply = fake.as_user("root").post(f"{project}/deploy_tokens", json={"name": "ci", "scopes": chosen, **fields})
    value: str = reply.json()["token"]
    return value


def job_token(fake: Fakeplat, project: str = "acme/site") -> str:
    """Return the token of a running job of dev's."""
    wait_for_runner(fake, project)
    (job,) = jobs_of(fake, create_pipeline(fake, PlannedJob(name="publish"), project=project))
    with fake.bench.platform.acting() as ctx:
        job_actions.run(ctx, job)
    return fake.token("dev", "job", job=job.id)


def finish_jobs(fake: Fakeplat) -> None:
    with fake.bench.platform.acting() as ctx:
        for job in list(ctx.world.jobs.all()):
            job_actions.succeed(ctx, job)


def npm_document(name: str, version: str, content: bytes = b"tarball", tag: str = "latest", **manifest: Any) -> Any:
    """Return what npm sends to publish a version."""
    file_name = f"{name}-{version}.tgz"
    return {
        "_id": name,
        "name": name,
        "dist-tags": {tag: version},
        "versions": {
            version: {
                "name": name,
                "version": version,
                "dist": {"shasum": sha1(content).hexdigest(), "tarball": f"http://localhost/{file_name}"},
                **manifest,
            }
        },
        "_attachments": {
            file_name: {
                "content_type": "application/octet-stream",
                "data": b64encode(content).decode(),
                "length": len(content),
            }
        },
    }


def multipart(fields: dict[str, str], file: tuple[str, str, bytes] | None) -> dict[str, Any]:
    """Return the body and headers of a form with a file, given by the name of the field, its own name and content."""
    parts = [
        f'--cut\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
        for name, value in fields.items()
    ]
    if file is not None:
        name, file_name, content = file
        head = f'--cut\r\nContent-Disposition: form-data; name="{name}"; filename="{file_name}"\r\n\r\n'
        parts.append(head.encode() + content + b"\r\n")
    return {"data": b"".join(parts) + b"--cut--\r\n", "headers": {"Content-Type": "multipart/form-data; boundary=cut"}}
