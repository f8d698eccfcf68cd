"""Settings of a project in an archive that are relations of their own: cleanup of tags, push rule and others."""

from typing import Any, Final

from fakeplat.core.schema import records
from fakeplat.core.timestamps import from_iso
from fakeplat.domain.deployments import protected_environments
from fakeplat.domain.import_export import serialization
from fakeplat.domain.import_export.reading import Resolver, Row, read_fields, rows_in, text_in
from fakeplat.domain.projects import custom_attributes
from fakeplat.domain.registry import cleanup_policies
from fakeplat.domain.repository import push_rules
from fakeplat.domain.validation import ValidationErrors
from fakeplat.model.people import Level
from fakeplat.model.projects import Project
from fakeplat.model.repository import Access, PushRule
from fakeplat.model.world import World
from fakeplat.policy.features import has_feature

Rows = list[dict[str, Any]]
_AUTO_DEVOPS: Final = {"enabled": "auto_devops_enabled", "deploy_strategy": "auto_devops_deploy_strategy"}
_NEXT_RUN: Final = "next_run_at"
_PUSH_RULE: Final = records.fields(PushRule, without=("id", "source"))


def setting_relations(world: World, project: Project) -> dict[str, Rows]:
    """Return the relations with settings of a project."""
    policy, rule = project.container_expiration_policy, push_rules.find_rule(world, project)
    attributes = custom_attributes.list_attributes(world, ("project", project.id))
    return {
        "auto_devops": [{name: getattr(project, field) for name, field in _AUTO_DEVOPS.items()}],
        "container_expiration_policy": [] if policy is None else [dict(policy)],
        "custom_attributes": [{"key": attribute.key, "value": attribute.value} for attribute in attributes],
        "protected_environments": [
            {"name": protected.name, "deploy_access_levels": access_rows(protected.deploy)}
            for protected in world.protected_environments.where("project", project.id)
        ],
        "push_rule": [] if rule is None else [serialization.plain_fields(rule)],
    }


def access_rows(accesses: tuple[Access, ...]) -> list[dict[str, int]]:
    """Return who has access, by level: single users and groups mean nothing on another instance."""
    return [{"access_level": access.level} for access in accesses if access.level is not None]


def read_accesses(row: Row, name: str) -> tuple[Access, ...]:
    """Return the levels that have access; Maintainers if there are none."""
    levels = [level for access in rows_in(row, name) if isinstance(level := access.get("access_level"), int)]
    return tuple(Access(level) for level in levels) or (Access(Level.MAINTAINER),)


def import_auto_devops(resolver: Resolver, project: Project, row: Row) -> None:
    """Import the settings of automatic pipelines."""
    named = {field: row[name] for name, field in _AUTO_DEVOPS.items() if name in row}
    resolver.ctx.world.projects.change(project, **read_fields(Project, named, [*named]))


def import_cleanup_policy(resolver: Resolver, project: Project, row: Row) -> None:
    """Import the cleanup of tags in the container registry."""
    policy = {name: row.get(name, default) for name, default in cleanup_policies.DEFAULT_POLICY.items()}
    errors = ValidationErrors()
    cleanup_policies.check_policy(errors, policy)
    errors.refuse()
    next_run = row.get(_NEXT_RUN)
    timed = {_NEXT_RUN: next_run} if isinstance(next_run, str) and from_iso(next_run) else {}
    changed = resolver.ctx.world.projects.change(project, container_expiration_policy={**timed, **policy})
    cleanup_policies.schedule_run(resolver.ctx, changed)


def import_push_rule(resolver: Resolver, project: Project, row: Row) -> None:
    """Import the push rule, in place of one of the groups above; only on tiers that have them."""
    if not has_feature(resolver.ctx.world, "premium", project):
        return
    fields, rule = read_fields(PushRule, row, _PUSH_RULE), push_rules.find_rule(resolver.ctx.world, project)
    if rule is None:
        push_rules.create(resolver.ctx, project, **fields)
    else:
        push_rules.update(resolver.ctx, rule, **fields)


def import_protected_environment(resolver: Resolver, project: Project, row: Row) -> None:
    """Import a protected environment; only on tiers that have them."""
    if has_feature(resolver.ctx.world, "premium", project):
        accesses = read_accesses(row, "deploy_access_levels")
        protected_environments.protect(resolver.ctx, project, text_in(row, "name"), accesses, {})


def import_custom_attribute(resolver: Resolver, project: Project, row: Row) -> None:
    """Import a custom attribute."""
    custom_attributes.set_attribute(resolver.ctx, ("project", project.id), text_in(row, "key"), text_in(row, "value"))
