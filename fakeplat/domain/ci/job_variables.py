"""Variables of jobs that names of environments and resource groups may contain.

Source: docs/platform/deployments.md.
"""

import re
from typing import Final

from fakeplat.domain.people.namespaces import project_path
from fakeplat.model.environments import Environment
from fakeplat.model.jobs import Job
from fakeplat.model.world import World

_MAX_REF_SLUG: Final = 63


def variables_of(world: World, job: Job, environment: Environment | None = None) -> dict[str, str]:
    """Return the variables of a job that names of environments and resource groups may contain."""
    pipeline, project = world.pipelines[job.pipeline_id], world.projects[job.project_id]
    return {
        "CI_COMMIT_REF_NAME": job.ref,
        "CI_COMMIT_REF_SLUG": _slugify(job.ref),
        "CI_COMMIT_SHA": pipeline.sha,
        "CI_COMMIT_SHORT_SHA": pipeline.sha[:8],
        "CI_COMMIT_TAG" if job.tag else "CI_COMMIT_BRANCH": job.ref,
        "CI_JOB_NAME": job.name,
        "CI_JOB_STAGE": job.stage,
        "CI_PIPELINE_ID": str(pipeline.id),
        "CI_PIPELINE_IID": str(pipeline.iid),
        "CI_PIPELINE_SOURCE": pipeline.source,
        "CI_PROJECT_ID": str(project.id),
        "CI_PROJECT_NAME": project.path,
        "CI_PROJECT_PATH": (path := project_path(world, project)),
        "CI_PROJECT_PATH_SLUG": _slugify(path),
        **({"CI_ENVIRONMENT_NAME": environment.name, "CI_ENVIRONMENT_SLUG": environment.slug} if environment else {}),
        **dict(job.variables),
        **{variable.key: variable.value for variable in pipeline.variables},
    }


def _slugify(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "-", text.lower())[:_MAX_REF_SLUG].strip("-")
