"""What chats are told about results of pipelines. Source: docs/platform/integrations.md."""

from collections.abc import Sequence
from typing import Final

from fakeplat.domain.integrations.events import Event
from fakeplat.domain.integrations.message_parts import ChatMessage, Data, build_link, format_text, parse_time
from fakeplat.domain.people import users

_HOUR: Final = 3600
_VISIBLE_JOBS: Final = 10


def build_pipeline_message(event: Event) -> ChatMessage:
    """Return the message about a pipeline."""
    return _PipelineReport(event).build()


class _PipelineReport:
    """The parts of a message about a pipeline. Its project has the short name."""

    def __init__(self, event: Event) -> None:
        self.event = event
        self.attributes = event.attributes
        self.user = event.payload.get("user") or {}
        self.failed = _find_failed_jobs(event.payload.get("builds") or ())
        self.page = f"{event.project_url}/-/pipelines/{self.attributes['id']}"
        if self.failed:
            self.page += "/failures"
        kind, folder = ("tag", "tags") if event.is_tag else ("branch", "commits")
        self.kind = kind
        self.ref_link = build_link(event.ref, f"{event.project_url}/-/{folder}/{event.ref}")

    def build(self) -> ChatMessage:
        event = self.event
        pipeline = build_link(f"#{self.attributes['id']}", self.page)
        action = f"Pipeline {pipeline} of {self.kind} {self.ref_link} by {self._author()} {self._outcome()}"
        text = f"{build_link(event.project.name, event.project_url)}: {action} in {self._duration()}"
        avatar = self.user.get("avatar_url")
        return ChatMessage(
            event.project_name,
            text,
            "",
            str(self.user.get("username") or "API"),
            avatar,
            (self._attachment(text),),
            text,
            {
                "title": action,
                "subtitle": f"in {build_link(event.project.name, event.project_url)}",
                "text": f"in {self._duration()}",
                "image": avatar or "",
            },
        )

    def _author(self) -> str:
        username = self.user.get("username") or "API"
        return f"{self.user['name']} ({username})" if self.user.get("name") else str(username)

    def _has_warnings(self) -> bool:
        return bool(self.attributes.get("detailed_status") == "passed with warnings")

    def _outcome(self) -> str:
        status = self.attributes["status"]
        if status == "success":
            return "has passed with warnings" if self._has_warnings() else "has passed"
        return "has failed" if status == "failed" else str(status)

    def _color(self) -> str:
        if self.attributes["status"] != "success":
            return "danger"
        return "warning" if self._has_warnings() else "good"

    def _duration(self) -> str:
        seconds = int(self.attributes.get("duration") or 0)
        minutes = f"{seconds % _HOUR // 60:02}:{seconds % 60:02}"
        return minutes if seconds < _HOUR else f"{seconds // _HOUR % 24:02}:{minutes}"

    def _attachment(self, text: str) -> Data:
        event, finished = self.event, self.attributes.get("finished_at")
        return {
            "fallback": format_text(text, event.project_url),
            "color": self._color(),
            "author_name": self._author(),
            "author_icon": self.user.get("avatar_url"),
            "author_link": self._author_link(),
            "title": f"Pipeline #{self.attributes['id']} {self._outcome()} in {self._duration()}",
            "title_link": self.page,
            "fields": self._fields(),
            "footer": event.project.name,
            "footer_icon": event.payload["project"].get("avatar_url"),
            "ts": int(parse_time(finished).timestamp()) if finished else None,
        }

    def _author_link(self) -> str | None:
        commit = self.event.payload.get("commit")
        if not self.user or not commit:
            return None
        committer = users.find_by_any_email(self.event.ctx.world, commit["author"]["email"])
        return f"{self.event.ctx.origin}/{committer.username}" if committer else None

    def _fields(self) -> list[Data]:
        commit = self.event.payload.get("commit") or {"title": "", "url": ""}
        fields = [
            self._field("Tag" if self.event.is_tag else "Branch", self.ref_link),
            self._field("Commit", build_link(commit["title"], commit["url"])),
        ]
        if self.failed:
            stages = [build_link(stage, self.page) for stage in dict.fromkeys(job["stage"] for job in self.failed)]
            fields += [
                self._field("Failed stages" if len(stages) > 1 else "Failed stage", ", ".join(stages)),
                self._field("Failed jobs" if len(self.failed) > 1 else "Failed job", self._describe_jobs()),
            ]
        pipeline = self.event.ctx.world.pipelines.get(self.attributes["id"])
        if pipeline is not None and pipeline.yaml_errors:
            fields.append({"title": "Invalid CI config YAML file", "value": pipeline.yaml_errors, "short": False})
        return fields

    def _field(self, title: str, text: str) -> Data:
        return {"title": title, "value": format_text(text, self.event.project_url), "short": True}

    def _describe_jobs(self) -> str:
        jobs = f"{self.event.project_url}/-/jobs"
        links = [build_link(job["name"], f"{jobs}/{job['id']}") for job in self.failed[:_VISIBLE_JOBS]]
        hidden = len(self.failed) - _VISIBLE_JOBS
        return ", ".join([*links, f"and {build_link(f'{hidden} more', self.page)}"] if hidden > 0 else links)


def _find_failed_jobs(builds: Sequence[Data]) -> list[Data]:
    """Return the failed jobs that no retry with success follows, each name once, the last first."""
    succeeded = {job["name"] for job in builds if job["status"] == "success"}
    failed: dict[str, Data] = {}
    for job in builds:
        if job["status"] == "failed" and job["name"] not in succeeded:
            failed.setdefault(job["name"], job)
    return list(reversed(failed.values()))
