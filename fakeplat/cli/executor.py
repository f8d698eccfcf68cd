"""`--execute`: jobs run their scripts on this machine, in a shell, instead of being played.

The executor is a runner of the instance that speaks the protocol of all runners (fakeplat/api/ci/runner_protocol.py).
It is no sandbox: scripts can do whatever the user who started fakeplat can. Images and services are left out.
"""

import asyncio
import os
import re
import shutil
import signal
import sys
import tempfile
from collections.abc import AsyncIterator, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import orjson

from fakeplat.cli.job_files import collect_files, extract_archive, pack_files
from fakeplat.cli.options import UsageError
from fakeplat.core.operations.http_messages import Request, Response
from fakeplat.domain.ci import runners
from fakeplat.http.server import RunningWorld

_POLL_INTERVAL: Final = 0.1
_MAX_JOBS: Final = 4
_AFTER_SCRIPT_LIMIT: Final = 300
_PIECE: Final = 64 * 1024
_INFO: Final = {"name": "fakeplat", "executor": "shell", "shell": "bash"}
_FEATURES: Final = (
    "variables",
    "artifacts",
    "cache",
    "fallback_cache_keys",
    "upload_multiple_artifacts",
    "upload_raw_artifacts",
    "refspecs",
    "return_exit_code",
)
_MASKED: Final = b"[MASKED]"
_BOUNDARY: Final = "fakeplat-artifacts"
_REFERENCE: Final = re.compile(r"\$(?:(\$)|\{(\w+)\}|(\w+))")
_INHERITED: Final = ("PATH", "LANG", "LC_ALL", "TMPDIR", "SSL_CERT_FILE", "GIT_SSL_CAINFO")
_ENDED: Final = frozenset({"canceled", "canceling", "failed", "success"})


class _Ended(Exception):
    """A job that was ended meanwhile: nothing more of it is run."""


class _Failure(Exception):
    """A job that has failed: why, and with which exit code."""

    def __init__(self, reason: str, exit_code: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.exit_code = exit_code


@asynccontextmanager
async def execute_jobs(world: RunningWorld) -> AsyncIterator[None]:
    """Run the jobs of a world during the block; UsageError where that is not possible."""
    if sys.platform != "linux":
        raise UsageError("--execute runs jobs on Linux only")
    if world.bench.platform.clock.kind != "real":
        raise UsageError("--execute needs the real clock: jobs take the time that their scripts take")
    with tempfile.TemporaryDirectory(prefix="fakeplat-") as folder:
        executor = _Executor(world, Path(folder))
        task = asyncio.create_task(executor.run())
        try:
            yield
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


class _Executor:
    """Takes jobs and runs them, some at a time."""

    def __init__(self, world: RunningWorld, folder: Path) -> None:
        self._platform = world.bench.platform
        self._origin = world.url
        self._folder = folder
        self._platform.view.setup.endpoints.executes_jobs = True
        with self._platform.acting() as ctx:
            runner = runners.create(ctx, "instance_type", description="fakeplat --execute", run_untagged=True)
        self._runner_id, self._token = runner.id, runner.token
        self._seen: object = None
        self.processes: dict[int, asyncio.subprocess.Process] = {}
        """The running process of each job."""

    async def run(self) -> None:
        """Take jobs until this is cancelled, which ends the running ones."""
        async with asyncio.TaskGroup() as group:
            running: set[asyncio.Task[None]] = set()
            while True:
                with self._platform.lock:
                    self._platform.catch_up()  # no request may come that starts a delayed job
                while len(running) < _MAX_JOBS and (job := await self._take_job()) is not None:
                    task = group.create_task(_JobRun(self, job, self._folder).run())
                    running.add(task)
                    task.add_done_callback(running.discard)
                self._kill_ended()
                await asyncio.sleep(_POLL_INTERVAL)

    async def _take_job(self) -> Any:
        """Return the next job, or None; a world that has not changed has none."""
        if self._platform.view is self._seen:
            return None
        self._accept_tags()
        info = {**_INFO, "features": dict.fromkeys(_FEATURES, True)}
        response = await self.send("POST", "jobs/request", {"token": self._token, "info": info})
        if response.status == 201:
            return orjson.loads(response.body)
        self._seen = self._platform.view
        return None

    def _accept_tags(self) -> None:
        """Give the runner all tags that jobs ask for: jobs that are played wait for no special runner either."""
        view = self._platform.view
        asked = {tag for job in view.jobs.all() if job.status == "pending" for tag in job.tags}
        runner = view.runners[self._runner_id]
        if not asked <= {*runner.tag_list}:
            with self._platform.acting() as ctx:
                tags = tuple(sorted(asked.union(runner.tag_list)))
                runners.update(ctx, ctx.world.runners[self._runner_id], tag_list=tags)

    def _kill_ended(self) -> None:
        for job_id, process in self.processes.items():
            if self.has_ended(job_id):
                _kill(process)

    def has_ended(self, job_id: int) -> bool:
        """Return whether a job was cancelled, erased or ended by its time limit."""
        job = self._platform.view.jobs.get(job_id)
        return job is None or job.status in _ENDED

    async def send(
        self, method: str, path: str, body: object = None, headers: Mapping[str, str] | None = None
    ) -> Response:
        """Send a request to the API; a body that is no bytes is sent as JSON."""
        content = body if isinstance(body, bytes) else b"" if body is None else orjson.dumps(body)
        given = {"user-agent": "fakeplat --execute", "content-type": "application/json", **(headers or {})}
        request = Request(method, f"/api/v4/{path}", "", given, content, self._origin)
        handled = self._platform.handle_on_loop(request)
        return await handled if isinstance(handled, Coroutine) else handled


class _JobRun:
    """One job in a folder of its own."""

    def __init__(self, executor: _Executor, job: Any, folder: Path) -> None:
        self._executor = executor
        self._job = job
        self._id = job["id"]
        self._path = folder / f"job-{self._id}"
        self._project = self._path / "project"
        self._cache = folder / "cache" / str(job["job_info"]["project_id"])
        self._log_size = 0
        self._environment: dict[str, str] = {}
        self._secrets = [row["value"].encode() for row in job["variables"] if row["masked"] and row["value"]]

    async def run(self) -> None:
        """Run the job and report its result."""
        failure: _Failure | None = None
        try:
            await self._run_within_limit()
        except _Failure as error:
            failure = error
        except _Ended:
            pass  # nothing is reported of it
        except OSError as error:
            failure = _Failure("runner_system_failure")
            await self._write(f"ERROR: {error}\n".encode())
        finally:
            shutil.rmtree(self._path, ignore_errors=True)
        if not self._executor.has_ended(self._id):
            await self._report(failure)

    async def _report(self, failure: _Failure | None) -> None:
        result: dict[str, object] = {"state": "success"}
        if failure is not None:
            result = {"state": "failed", "failure_reason": failure.reason}
            if failure.exit_code is not None:
                result["exit_code"] = failure.exit_code
        await self._executor.send("PUT", f"jobs/{self._id}", {"token": self._job["token"], **result})

    async def _run_within_limit(self) -> None:
        limit = self._job["runner_info"]["timeout"]
        try:
            async with asyncio.timeout(limit):
                await self._run_steps()
        except TimeoutError:
            await self._write(
                f"ERROR: Job failed: execution took longer than {format_duration(limit)} seconds\n".encode()
            )
            raise _Failure("job_execution_timeout") from None

    async def _run_steps(self) -> None:
        self._prepare()
        await self._run_hooks("pre_get_sources_script")
        await self._fetch_sources()
        self._restore_caches()
        await self._download_dependencies()
        failure: _Failure | None = None
        for step in self._job["steps"]:
            if step["name"] == "after_script":
                await self._run_after_script(step["script"], failure)
            elif failure is None:
                failure = await self._run_script(step["script"])
            if self._executor.has_ended(self._id):
                raise _Ended
        await self._save_caches(failure)
        await self._upload_artifacts(failure)
        if failure is not None:
            raise failure
        await self._write(b"\x1b[32;1mJob succeeded\x1b[0;m\n")

    def _prepare(self) -> None:
        self._project.mkdir(parents=True)
        files = self._path / "files"
        files.mkdir(mode=0o700)
        values: dict[str, str] = {}
        for variable in self._job["variables"]:
            name, value = variable["key"], variable["value"]
            if variable.get("file"):
                (files / name).write_text(value, "utf-8")
                value = str(files / name)
            values[name] = value
        values |= {"CI_PROJECT_DIR": str(self._project), "CI_BUILDS_DIR": str(self._path), "CI_SERVER": "yes"}
        raw = {variable["key"] for variable in self._job["variables"] if variable.get("raw") or variable.get("file")}
        expanded = {name: value if name in raw else _expand(value, values) for name, value in values.items()}
        inherited = {name: os.environ[name] for name in _INHERITED if name in os.environ}
        self._environment = {**inherited, "HOME": str(self._path), **expanded}

    # Sources and files

    async def _fetch_sources(self) -> None:
        if self._environment.get("GIT_STRATEGY") in {"none", "empty"}:
            return
        git = self._job["git_info"]
        depth = ["--depth", str(git["depth"])] if git["depth"] else []
        await self._write(b"Fetching changes...\n")
        commands = [["init", "-q"], ["fetch", "-q", *depth, git["repo_url"], *git["refspecs"]]]
        if self._environment.get("GIT_CHECKOUT", "true") != "false":
            commands.append(["checkout", "-q", "--detach", git["sha"]])
        for command in commands:
            # What git says of a URL may contain the token of the job, which the log hides.
            if await self._run_process(["git", "-c", "advice.detachedHead=false", *command]):
                raise _Failure("runner_system_failure")

    async def _download_dependencies(self) -> None:
        for dependency in self._job["dependencies"]:
            if "artifacts_file" not in dependency:
                continue
            headers = {"job-token": dependency["token"]}
            response = await self._executor.send("GET", f"jobs/{dependency['id']}/artifacts", headers=headers)
            if response.status != 200:
                raise _Failure("missing_dependency_failure")
            extract_archive(response.body, self._project)

    async def _upload_artifacts(self, failure: _Failure | None) -> None:
        for artifact in self._job["artifacts"] or ():
            if not _is_due(artifact["when"], failure):
                continue
            paths, excluded = artifact["paths"] or (), artifact.get("exclude") or ()
            files = collect_files(self._project, paths, excluded, await self._list_untracked(artifact))
            if not files:
                await self._write(b"WARNING: no matching files. Artifacts will be uploaded only if there are any\n")
                continue
            name, content = pack_files(self._project, files, artifact["name"], artifact["artifact_format"])
            await self._upload(artifact, name, content)

    async def _upload(self, artifact: Any, name: str, content: bytes) -> None:
        fields = {key: artifact[key] for key in ("artifact_type", "artifact_format", "expire_in") if artifact[key]}
        content_type = f"multipart/form-data; boundary={_BOUNDARY}"
        headers = {"job-token": self._job["token"], "content-type": content_type}
        body = _encode_form(fields, name, content)
        response = await self._executor.send("POST", f"jobs/{self._id}/artifacts", body, headers)
        if response.status != 201:
            await self._write(f"ERROR: Uploading artifacts: {response.status}\n".encode())
            raise _Failure("script_failure")

    def _list_caches(self) -> list[tuple[Any, Path]]:
        caches = [cache for cache in self._job["cache"] or () if cache]
        return [(cache, self._cache / _file_name(_expand(cache["key"], self._environment))) for cache in caches]

    def _restore_caches(self) -> None:
        for cache, file in self._list_caches():
            if cache["policy"] != "push" and file.exists():
                extract_archive(file.read_bytes(), self._project)

    async def _save_caches(self, failure: _Failure | None) -> None:
        for cache, file in self._list_caches():
            if cache["policy"] == "pull" or not _is_due(cache["when"], failure):
                continue
            files = collect_files(self._project, cache["paths"] or (), (), await self._list_untracked(cache))
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(pack_files(self._project, files, "cache", "zip")[1])

    async def _list_untracked(self, spec: Any) -> list[str]:
        """Return the files that git does not know, if an artifact or cache is to have them."""
        if not spec["untracked"]:
            return []
        process = await asyncio.create_subprocess_exec(
            *("git", "ls-files", "-o", "-z"), cwd=self._project, stdout=asyncio.subprocess.PIPE
        )
        output, _errors = await process.communicate()
        return [os.fsdecode(name) for name in output.split(b"\0") if name]

    # Scripts

    async def _run_script(self, lines: Sequence[str]) -> _Failure | None:
        status = await self._run_shell(lines)
        if status == 0:
            return None
        await self._write(f"\x1b[31;1mERROR: Job failed: exit status {status}\n\x1b[0;m".encode())
        return _Failure("script_failure", status)

    async def _run_hooks(self, name: str) -> None:
        """Run the scripts that the job declares for a moment; a script that fails fails the job."""
        for hook in self._job.get("hooks") or ():
            if hook["name"] == name and (failure := await self._run_script(hook["script"])) is not None:
                raise failure

    async def _run_after_script(self, lines: Sequence[str], failure: _Failure | None) -> None:
        """Run what comes after the script, whose result does not matter, in a shell of its own."""
        self._environment["CI_JOB_STATUS"] = "success" if failure is None else "failed"
        try:
            async with asyncio.timeout(_AFTER_SCRIPT_LIMIT):
                await self._run_shell(lines)
        except TimeoutError:
            await self._write(b"WARNING: after_script timed out\n")

    async def _run_shell(self, lines: Sequence[str]) -> int:
        shell = shutil.which("bash") or "/bin/sh"
        text = "".join(f"printf '%s\\n' {_quote(_announce(line))}\n{line}\n" for line in lines)
        begin = "set -eo pipefail\nset +o noclobber\n" if shell.endswith("bash") else "set -e\n"
        script = self._path / "script.sh"
        script.write_text(begin + text, "utf-8")
        return await self._run_process([shell, str(script)])

    async def _run_process(self, command: Sequence[str]) -> int:
        """Run a process until it ends, or the job does; return its status. Its output goes to the log."""
        process = await asyncio.create_subprocess_exec(
            *command,
            cwd=self._project,
            env={**self._environment, "GIT_TERMINAL_PROMPT": "0"},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,
        )
        self._executor.processes[self._id] = process
        try:
            if process.stdout is not None:
                await self._copy_output(process.stdout)
            return await process.wait()
        finally:
            del self._executor.processes[self._id]
            _kill(process)

    async def _copy_output(self, output: asyncio.StreamReader) -> None:
        """Write output to the log in whole lines, so that what is to be masked is found."""
        rest = b""
        while part := await output.read(_PIECE):
            lines, end, rest = (rest + part).rpartition(b"\n")
            await self._write(lines + end)
        await self._write(rest)

    async def _write(self, part: bytes) -> None:
        for secret in self._secrets:
            part = part.replace(secret, _MASKED)
        if not part:
            return
        start, self._log_size = self._log_size, self._log_size + len(part)
        headers = {
            "job-token": self._job["token"],
            "content-type": "text/plain",
            "content-range": f"{start}-{self._log_size}",
        }
        response = await self._executor.send("PATCH", f"jobs/{self._id}/trace", part, headers)
        # The platform replaces secrets by texts of another length, and says how long the log is.
        size = dict(response.headers).get("Range", "").partition("-")[2]
        if size.isdecimal():
            self._log_size = int(size)


def _kill(process: asyncio.subprocess.Process) -> None:
    """End a process and all that it started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def format_duration(seconds: int) -> str:
    """Return a duration as the platform's own runner writes it, such as `1h0m0s`."""
    minutes, second = divmod(seconds, 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}h{minute}m{second}s" if hours else f"{minute}m{second}s" if minute else f"{second}s"


def _is_due(when: str | None, failure: _Failure | None) -> bool:
    return when == "always" or (when == "on_failure") == (failure is not None)


def _expand(value: str, values: Mapping[str, str]) -> str:
    """Replace references to variables; two dollar signs are one."""
    return _REFERENCE.sub(lambda match: "$" if match[1] else values.get(match[2] or match[3], ""), value)


def _file_name(key: str) -> str:
    return re.sub(r"[^\w.-]", "_", key) + ".zip"


def _quote(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _announce(line: str) -> str:
    first, *others = line.splitlines() or [""]
    return f"\x1b[32;1m$ {first}{' # collapsed multi-line command' if others else ''}\x1b[0;m"


def _encode_form(fields: Mapping[str, str], name: str, content: bytes) -> bytes:
    stream = BytesIO()
    for key, value in fields.items():
        head = f'--{_BOUNDARY}\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n'
        stream.write(f"{head}{value}\r\n".encode())
    disposition = f'form-data; name="file"; filename="{name}"'
    stream.write(f"--{_BOUNDARY}\r\nContent-Disposition: {disposition}\r\n\r\n".encode())
    stream.write(content)
    stream.write(f"\r\n--{_BOUNDARY}--\r\n".encode())
    return stream.getvalue()
