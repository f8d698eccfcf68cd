"""Receivers that record audit events of releases and feature flags, in the platform's wording."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from fakeplat.domain.audit import audit_events
from fakeplat.domain.validation import join_words
from fakeplat.model.releases import Release
from fakeplat.policy.context import WriteContext

if TYPE_CHECKING:
    from fakeplat.model.deployments import FeatureFlag, LegacyScope

_FLAG_FIELDS: Final = ("name", "description", "active")


def record_release(ctx: WriteContext, release: Release) -> None:
    """Record that a release was created."""
    titles = _list_titles(ctx, release)
    word = "Milestone" if len(titles) == 1 else "Milestones"
    milestones = f" with {word} {join_words(titles)}" if titles else ""
    _record_for_release(ctx, release, f"Created Release {release.tag_name}{milestones}")


def record_release_update(ctx: WriteContext, before: Release, after: Release) -> None:
    """Record that a release was updated, and apart from that if it has other milestones now."""
    _record_for_release(ctx, after, f"Updated Release {after.tag_name}")
    if before.milestone_ids != after.milestone_ids:
        titles = join_words(_list_titles(ctx, after)) or "[none]"
        _record_for_release(ctx, after, f"Milestones associated with release changed to {titles}")


def _list_titles(ctx: WriteContext, release: Release) -> list[str]:
    return [ctx.world.milestones[id_].title for id_ in release.milestone_ids]


def _record_for_release(ctx: WriteContext, release: Release, text: str) -> None:
    target = {"target_id": release.id, "target_type": "Release", "target_details": release.name}
    audit_events.record(ctx, ctx.world.projects[release.project_id], {"custom_message": text}, target)


def record_feature_flag(ctx: WriteContext, flag: FeatureFlag) -> None:
    """Record that a feature flag was created."""
    description = flag.description or ""
    created = f'Created feature flag {_strong(flag.name)} with description <strong>"{description}"</strong>.'
    _record_for_flag(ctx, flag, [created, *map(_describe_scope, flag.scopes)])


def record_feature_flag_change(ctx: WriteContext, before: FeatureFlag, after: FeatureFlag) -> None:
    """Record changes of a feature flag itself; those of its strategies are not recorded."""
    changes = list(_list_flag_changes(before, after))
    if changes:
        _record_for_flag(ctx, after, [f"Updated feature flag {_strong(after.name)}.", *changes])


def record_feature_flag_removal(ctx: WriteContext, flag: FeatureFlag) -> None:
    """Record that a feature flag was deleted."""
    _record_for_flag(ctx, flag, [f"Deleted feature flag {_strong(flag.name)}."])


def _describe_scope(scope: LegacyScope) -> str:
    state = "active" if scope.active else "inactive"
    # As Ruby shows arrays of hashes.
    strategies = json.dumps(scope.strategies, separators=(", ", "=>"))
    return (
        f"Created rule {_strong(scope.environment_scope)} and set it as {_strong(state)} "
        f"with strategies {_strong(strategies)}."
    )


def _list_flag_changes(before: FeatureFlag, after: FeatureFlag) -> Iterator[str]:
    for name in _FLAG_FIELDS:
        old, new = (_show(getattr(flag, name)) for flag in (before, after))
        if old != new:
            yield f'Updated {name} from <strong>"{old}"</strong> to <strong>"{new}"</strong>.'


def _show(value: object) -> str:
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _strong(text: str) -> str:
    return f"<strong>{text}</strong>"


def _record_for_flag(ctx: WriteContext, flag: FeatureFlag, sentences: Iterable[str]) -> None:
    target = {"target_id": flag.id, "target_type": "Operations::FeatureFlag", "target_details": flag.name}
    project = ctx.world.projects[flag.project_id]
    audit_events.record(ctx, project, {"custom_message": " ".join(sentences)}, target)
