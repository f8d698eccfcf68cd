"""The usage data of the instance: what is counted, and how. Source: docs/platform/version-and-metadata.md."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from fakeplat.core.store.frozen import frozen
from fakeplat.core.timestamps import to_iso
from fakeplat.domain.people import users
from fakeplat.model.people import Group
from fakeplat.model.world import World
from fakeplat.policy.context import ReadContext

INSTALLATION: Final = "omnibus-gitlab"
_EDITIONS: Final = {"free": "CE", "premium": "EEP", "ultimate": "EEU"}
_OF_SQL: Final = -3
"""What stands in the place of a number that a query counts, where only the others are asked for."""


@frozen
class Metric:
    """A number of the usage data: of the rows of a table, or of those of them that count."""

    key_path: str
    description: str
    query: str
    count: Callable[[World], int]

    def define(self) -> Mapping[str, Any]:
        """Return the definition of the metric, as the platform's dictionary of metrics has it."""
        return {
            "key_path": self.key_path,
            "description": self.description,
            "product_group": "analytics_instrumentation",
            "value_type": "number",
            "status": "active",
            "time_frame": "all",
            "data_source": "database",
            "tier": ["free", "premium", "ultimate"],
        }


def _count_all(name: str, what: str, table: str = "") -> Metric:
    """Return the metric that counts the records of a table; ``table`` is the platform's name for it."""
    table = table or name
    query = f'SELECT COUNT("{table}"."id") FROM "{table}"'  # noqa: S608  # it is shown, not executed
    return Metric(f"counts.{name}", f"Count of {what}", query, lambda world: len(getattr(world, name)))


def _count_some(name: str, what: str, query: str, count: Callable[[World], int]) -> Metric:
    return Metric(f"counts.{name}", f"Count of {what}", query, count)


ACTIVE_USERS: Final = Metric(
    "active_user_count",
    "Number of users that are active",
    'SELECT COUNT("users"."id") FROM "users" WHERE ("users"."state" IN (\'active\'))',
    users.count_active,
)
METRICS: Final = (
    ACTIVE_USERS,
    _count_all("boards", "boards"),
    _count_some(
        "ci_builds",
        "jobs",
        'SELECT COUNT("ci_builds"."id") FROM "ci_builds" WHERE "ci_builds"."type" = \'Ci::Build\'',
        lambda world: len(world.jobs),
    ),
    _count_some(
        "ci_internal_pipelines",
        "pipelines of the platform",
        'SELECT COUNT("ci_pipelines"."id") FROM "ci_pipelines" WHERE "ci_pipelines"."source" != 6',
        lambda world: sum(pipeline.source != "external" for pipeline in world.pipelines.all()),
    ),
    _count_some(
        "ci_external_pipelines",
        "pipelines of an external CI",
        'SELECT COUNT("ci_pipelines"."id") FROM "ci_pipelines" WHERE "ci_pipelines"."source" = 6',
        lambda world: sum(pipeline.source == "external" for pipeline in world.pipelines.all()),
    ),
    _count_some(
        "ci_runners",
        "runners",
        'SELECT COUNT("ci_runners"."id") FROM "ci_runners"',
        lambda world: len(world.runners),
    ),
    _count_some(
        "ci_triggers",
        "pipeline triggers",
        'SELECT COUNT("ci_triggers"."id") FROM "ci_triggers"',
        lambda world: len(world.triggers),
    ),
    _count_some(
        "ci_pipeline_schedules",
        "pipeline schedules",
        'SELECT COUNT("ci_pipeline_schedules"."id") FROM "ci_pipeline_schedules"',
        lambda world: len(world.pipeline_schedules),
    ),
    _count_all("clusters", "clusters"),
    _count_all("deploy_keys", "deploy keys", "keys"),
    _count_all("deployments", "deployments"),
    _count_all("environments", "environments"),
    _count_all("feature_flags", "feature flags", "operations_feature_flags"),
    _count_some(
        "groups",
        "groups",
        'SELECT COUNT("namespaces"."id") FROM "namespaces" WHERE "namespaces"."type" = \'Group\'',
        lambda world: sum(isinstance(namespace, Group) for namespace in world.namespaces.all()),
    ),
    _count_all("issues", "issues"),
    _count_some("keys", "SSH keys", 'SELECT COUNT("keys"."id") FROM "keys"', lambda world: len(world.ssh_keys)),
    _count_all("labels", "labels"),
    _count_all("lfs_objects", "files in LFS"),
    _count_all("merge_requests", "merge requests"),
    _count_all("milestones", "milestones"),
    _count_all("notes", "notes"),
    _count_all("pages_domains", "domains of pages"),
    _count_all("projects", "projects"),
    _count_all("protected_branches", "protected branches"),
    _count_all("releases", "releases"),
    _count_all("remote_mirrors", "remote mirrors"),
    _count_all("snippets", "snippets"),
    _count_all("todos", "to-do items"),
    _count_some("web_hooks", "webhooks", 'SELECT COUNT("web_hooks"."id") FROM "web_hooks"', lambda w: len(w.hooks)),
)


def build_payload(ctx: ReadContext) -> dict[str, Any]:
    """Return the usage data: the instance, its settings and all numbers."""
    return _build(ctx, lambda metric: metric.count(ctx.world))


def build_queries(ctx: ReadContext) -> dict[str, Any]:
    """Return the usage data with the query of each number in its place."""
    return _build(ctx, lambda metric: metric.query)


def build_non_sql_metrics(ctx: ReadContext) -> dict[str, Any]:
    """Return the usage data without the numbers that queries count."""
    return _build(ctx, lambda _metric: _OF_SQL)


def _build(ctx: ReadContext, value_of: Callable[[Metric], Any]) -> dict[str, Any]:
    data: dict[str, Any] = {
        "recorded_at": to_iso(ctx.now()),
        "uuid": None,
        "hostname": ctx.hostname,
        "version": ctx.instance.version,
        "installation_type": INSTALLATION,
        ACTIVE_USERS.key_path: value_of(ACTIVE_USERS),
        "edition": _EDITIONS[ctx.instance.tier],
        "license": {},
        "settings": {"ldap_encrypted_secrets_enabled": False, "smtp_encrypted_secrets_enabled": False},
    }
    for metric in METRICS:
        group, _, name = metric.key_path.partition(".")
        if name:
            data.setdefault(group, {})[name] = value_of(metric)
    return data


def write_definitions() -> str:
    """Return the definitions of all metrics as YAML."""
    lines = ["---"]
    for metric in METRICS:
        for index, (key, value) in enumerate(metric.define().items()):
            start = "- " if index == 0 else "  "
            if isinstance(value, list):
                lines += [f"{start}{key}:", *(f"  - {item}" for item in value)]
            else:
                lines.append(f"{start}{key}: {value}")
    return "\n".join((*lines, ""))
