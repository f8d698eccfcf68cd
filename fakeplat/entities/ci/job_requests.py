"""What a runner gets of the job that it takes. Source: docs/platform/runner-protocol.md."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import orjson

from fakeplat.ci_config.building import build_variables
from fakeplat.core.operations.entity import Entity, attr, computed, computed_if
from fakeplat.core.release import Profile
from fakeplat.core.timestamps import SECOND, from_iso
from fakeplat.domain.ci import (
    job_artifacts,
    job_dependencies,
    job_inputs,
    job_secrets,
    job_tokens,
    job_variables,
    jobs,
    pipeline_refs,
    runner_reports,
    runners,
)
from fakeplat.domain.people import namespaces
from fakeplat.domain.repository import protection
from fakeplat.entities import urls
from fakeplat.entities.ci.release_commands import build_script
from fakeplat.model.ci import FORMATS, REPORT_NAMES, Job, Pipeline
from fakeplat.model.projects import Project
from fakeplat.policy.behaviours import (
    ARTIFACTS_LEAVE_OUT_UNTRACKED,
    EXECUTOR_OPTIONS,
    FAILURE_REASONS_FOR_RUNNERS,
    FALLBACK_KEYS,
    IMAGES_ARE_PULLED_BY_PROXY,
    JOB_IDS_FOR_RUNNERS,
    JOB_QUEUES_FOR_RUNNERS,
    OBJECT_FORMATS_FOR_RUNNERS,
    PLACES_FOR_RUNNERS,
    PROTECTION_FOR_RUNNERS,
    PULL_POLICIES,
    RUNNING_JOBS_GET_ARTIFACTS,
    SEPARATE_CACHES,
    SERVICES_HAVE_VARIABLES,
    SEVERAL_CACHES,
    STEPS_REPLACE_SCRIPTS,
)
from fakeplat.policy.context import ReadContext
from fakeplat.policy.credentials import JOB_NAME

Json = dict[str, Any]
_MAX_COUNT: Final = 5

_EXECUTORS: Final = ("docker", "kubernetes")


class JobRequest(Entity[Job]):
    """A job as its runner gets it."""

    ctx: ReadContext

    id = attr()

    @computed
    def token(self) -> str:
        return _token_of(self.ctx, self.record)

    @computed
    def allow_git_fetch(self) -> bool:
        return self._project.build_git_strategy == "fetch"

    @computed
    def job_info(self) -> Json:
        has = self.ctx.profile.has
        return {
            **({"id": self.record.id} if has(JOB_IDS_FOR_RUNNERS) else {}),
            "name": self.record.name,
            "stage": self.record.stage,
            "project_id": self._project.id,
            "project_name": self._project.name,
            **(self._describe_place() if has(PLACES_FOR_RUNNERS) else {}),
            **(self._describe_queue() if has(JOB_QUEUES_FOR_RUNNERS) else {}),
        }

    def _describe_place(self) -> Json:
        world, namespace_id = self.ctx.world, self._project.namespace_id
        return {
            "project_full_path": namespaces.project_path(world, self._project),
            "namespace_id": namespace_id,
            "root_namespace_id": namespaces.root_of(world, world.namespaces[namespace_id]).id,
            # There is one organization, and no job runs for two users.
            "organization_id": 1,
            "user_id": self.record.user_id,
            "scoped_user_id": None,
        }

    def _describe_queue(self) -> Json:
        return {
            "time_in_queue_seconds": self._measure_wait(),
            "project_jobs_running_on_instance_runners_count": self._count_running(),
        }

    def _measure_wait(self) -> int | None:
        queued_at = self.record.queued_at
        return None if queued_at is None else (self.ctx.now() - from_iso(queued_at)) // SECOND

    def _count_running(self) -> str:
        """Return how many other jobs of the project run on runners of the instance, for which only these care."""
        runner = self.ctx.world.runners.get(self.record.runner_id or 0)
        if runner is None or runner.runner_type != "instance_type":
            return "+Inf"
        count = runners.count_running_on_instance(self.ctx.world, self._project) - 1
        return f"{_MAX_COUNT}+" if count >= _MAX_COUNT else str(count)

    @computed
    def git_info(self) -> Json:
        pipeline, depth = self._pipeline, self._get_depth()
        shown = {
            "repo_url": job_variables.repository_url(self.ctx, self.record),
            "ref": self.record.ref,
            "sha": pipeline.sha,
            "before_sha": pipeline.before_sha,
            "ref_type": "tag" if self.record.tag else "branch",
            "refspecs": list(self._list_refspecs(depth)),
            "depth": depth,
        }
        if self.ctx.profile.has(OBJECT_FORMATS_FOR_RUNNERS):
            shown["repo_object_format"] = "sha1"
        if self.ctx.profile.has(PROTECTION_FOR_RUNNERS):
            shown["protected"] = pipeline.protected
        return shown

    @computed
    def runner_info(self) -> Json:
        return {"timeout": self._get_timeout(), "runner_session_url": self.record.session_url}

    @computed
    def variables(self) -> list[Json]:
        return [_render_variable(row) for row in job_variables.list_for_runner(self.ctx, self.record)]

    @computed_if(since="18.10")
    def inputs(self) -> list[Json]:
        return [
            {"key": name, "value": {"type": kind, "content": value, "sensitive": False}}
            for name, (kind, value) in job_inputs.list_values(self.ctx, self.record).items()
        ]

    @computed_if(since="17.5", when=lambda view: bool(view.record.options.get("run")))
    def run(self) -> str:
        """The steps as JSON."""
        return orjson.dumps(self.record.options["run"]).decode()

    @computed
    def steps(self) -> list[Json] | None:
        options, timeout = self.record.options, self._get_timeout()
        if options.get("run") and self.ctx.profile.has(STEPS_REPLACE_SCRIPTS):
            return None
        script = [*_lines(options.get("before_script")), *_lines(options.get("script"))]
        steps = [_step("script", script, timeout)]
        if options.get("release"):
            is_published = self._project.catalog_resource_at is not None
            command = build_script(self.ctx.profile, options["release"], is_published=is_published)
            steps.append(_step("release", command, timeout))
        if options.get("after_script"):
            last = _step("after_script", _lines(options["after_script"]), timeout)
            steps.append({**last, "when": "always", "allow_failure": True})
        return steps

    @computed_if(since="15.10")
    def hooks(self) -> list[Json]:
        hooks = self.record.options.get("hooks") or {}
        return [{"name": name, "script": _lines(script)} for name, script in hooks.items()]

    @computed
    def image(self) -> Json | None:
        image = self.record.options.get("image")
        return _render_image(self.ctx.profile, image) if image else None

    @computed
    def services(self) -> list[Json]:
        services = self.record.options.get("services") or ()
        return [_render_service(self.ctx.profile, service) for service in services]

    @computed
    def artifacts(self) -> list[Json] | None:
        if self.record.artifacts is None:
            return None
        uploads = _list_uploads(self.record)
        if not self.ctx.profile.has(ARTIFACTS_LEAVE_OUT_UNTRACKED):
            return list(uploads)
        return [
            {name: value for name, value in upload.items() if name != "untracked" or value is not None}
            for upload in uploads
        ]

    @computed
    def cache(self) -> list[Json | None]:
        cache = self.record.options.get("cache")
        # Without a cache, the list of older releases has a null instead.
        if cache is None:
            return [] if self.ctx.profile.has(SEVERAL_CACHES) else [None]
        return [self._render_cache(item) for item in (cache if isinstance(cache, list) else [cache])]

    def _render_cache(self, cache: Mapping[str, Any]) -> Json:
        is_separate = self.ctx.profile.has(SEPARATE_CACHES) and self._project.ci_separated_caches
        suffix = self._suffix_of(cache) if is_separate else ""
        index = self._project.jobs_cache_index
        shown = {name: cache.get(name) for name in ("key", "untracked", "paths", "policy", "when")}
        # The number changes when the caches of the project are cleared.
        shown["key"] = f"{shown['key']}{'' if index is None else f'-{index}'}{suffix}"
        if self.ctx.profile.has(FALLBACK_KEYS):
            shown["fallback_keys"] = [f"{key}{suffix}" for key in cache.get("fallback_keys") or ()]
        return shown

    def _suffix_of(self, cache: Mapping[str, Any]) -> str:
        """Return what keeps caches of protected refs apart from others."""
        is_protected = protection.is_protected(self.ctx.world, self._project, self.record.ref, tag=self.record.tag)
        return "-protected" if is_protected and not cache.get("unprotect") else "-non_protected"

    @computed
    def credentials(self) -> list[Json]:
        """The registries from which the runner pulls images, that of the instance and its proxy for others."""
        servers = [urls.host_of(self.ctx.origin)]
        if self.ctx.profile.has(IMAGES_ARE_PULLED_BY_PROXY):
            servers.append(urls.host_with_port(self.ctx.origin))
        password = _token_of(self.ctx, self.record)
        return [{"type": "registry", "url": server, "username": JOB_NAME, "password": password} for server in servers]

    @computed
    def dependencies(self) -> list[Json]:
        earlier = job_dependencies.list_dependencies(self.ctx.world, self.record)
        token = _token_of(self.ctx, self.record) if self.ctx.profile.has(RUNNING_JOBS_GET_ARTIFACTS) else None
        return [_render_dependency(self.ctx, job, token or _token_of(self.ctx, job)) for job in earlier]

    @computed
    def features(self) -> Json:
        if not self.ctx.profile.has(FAILURE_REASONS_FOR_RUNNERS):
            return {"trace_sections": True}
        return {"trace_sections": True, "failure_reasons": runner_reports.list_failure_reasons(self.ctx.profile)}

    @computed_if(when=lambda view: job_secrets.are_managed(view.ctx, view.record))
    def secrets(self) -> Json:
        return job_secrets.describe(self.ctx, self.record)

    @property
    def _project(self) -> Project:
        return self.ctx.world.projects[self.record.project_id]

    @property
    def _pipeline(self) -> Pipeline:
        return self.ctx.world.pipelines[self.record.pipeline_id]

    def _get_timeout(self) -> int:
        return jobs.time_limit(self.ctx.world, self.record)

    def _get_depth(self) -> int:
        variables = job_variables.as_dict(job_variables.list_variables(self.ctx, self.record))
        depth = variables.get("GIT_DEPTH", str(self._project.ci_default_git_depth or 0))
        return int(depth) if depth.isdecimal() else 0

    def _list_refspecs(self, depth: int) -> Iterator[str]:
        """Yield what the runner fetches: the commit of the pipeline and, without a depth, all branches and tags."""
        name = pipeline_refs.name_of(self._pipeline)
        if pipeline_refs.find_sha(self.ctx.world, self._pipeline) is not None:
            yield f"+{name}:{name}"
        ref = self.record.ref if depth else "*"
        is_for_merge_request = self._pipeline.merge_request_id is not None and ref.startswith("refs/")
        if not depth or not (self.record.tag or is_for_merge_request):
            yield f"+refs/heads/{ref}:refs/remotes/origin/{ref}"
        if not depth or self.record.tag:
            yield f"+refs/tags/{ref}:refs/tags/{ref}"


def _token_of(ctx: ReadContext, job: Job) -> str:
    token = job_tokens.find(ctx.world, job)
    return token.value if token else ""


def _render_variable(variable: job_variables.JobVariable) -> Json:
    shown = {"key": variable.key, "value": variable.value, "public": variable.public, "masked": variable.masked}
    return {**shown, **({"file": True} if variable.file else {}), **({"raw": True} if variable.raw else {})}


def _lines(script: object) -> list[str]:
    return (
        [script] if isinstance(script, str) else [str(line) for line in script] if isinstance(script, Sequence) else []
    )


def _step(name: str, script: list[str], timeout: int) -> Json:
    return {"name": name, "script": script, "timeout": timeout, "when": "on_success", "allow_failure": False}


def _render_image(profile: Profile, image: object) -> Json:
    values: Mapping[str, Any] = image if isinstance(image, Mapping) else {"name": image}
    ports = [_render_port(port) for port in values.get("ports") or ()]
    shown = {"name": values.get("name"), "entrypoint": values.get("entrypoint"), "ports": ports}
    if profile.has(EXECUTOR_OPTIONS):
        shown["executor_opts"] = {name: values[name] for name in _EXECUTORS if name in values}
    if profile.has(PULL_POLICIES):
        policy = values.get("pull_policy")
        shown["pull_policy"] = [policy] if isinstance(policy, str) else policy
    return shown


def _render_service(profile: Profile, service: object) -> Json:
    values: Mapping[str, Any] = service if isinstance(service, Mapping) else {}
    shown = {**_render_image(profile, service), "alias": values.get("alias"), "command": values.get("command")}
    if profile.has(SERVICES_HAVE_VARIABLES):
        variables = build_variables(values.get("variables"))
        shown["variables"] = [{"key": key, "value": value} for key, value in variables]
    return shown


def _render_port(port: object) -> Json:
    values = port if isinstance(port, Mapping) else {"number": port}
    defaults = {"protocol": "http", "name": "default_port"}
    return {name: values.get(name, defaults.get(name)) for name in ("number", "protocol", "name")}


def _list_uploads(job: Job) -> Iterator[Json]:
    """Yield what the runner is to upload: the archive, and each report."""
    spec = job.artifacts
    if spec is None:
        return
    if spec.untracked or spec.paths is not None:
        yield {
            "name": spec.name,
            "untracked": spec.untracked,
            "paths": None if spec.paths is None else list(spec.paths),
            **({"exclude": list(spec.exclude)} if spec.exclude else {}),
            "when": spec.when,
            "expire_in": spec.expire_in,
            "artifact_type": "archive",
            "artifact_format": FORMATS["archive"],
        }
    for kind, paths in spec.reports.items():
        if kind in REPORT_NAMES:
            yield {
                "name": REPORT_NAMES[kind],
                "untracked": None,
                "paths": list(paths),
                "when": "always",
                "expire_in": spec.expire_in,
                "artifact_type": kind,
                "artifact_format": FORMATS[kind],
            }


def _render_dependency(ctx: ReadContext, job: Job, token: str) -> Json:
    shown: Json = {"id": job.id, "name": job.name, "token": token}
    archive = job_artifacts.find(ctx, job)
    if archive is not None:
        shown["artifacts_file"] = {"filename": archive.filename, "size": archive.size}
    return shown
