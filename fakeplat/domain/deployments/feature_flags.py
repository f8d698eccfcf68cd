"""Feature flags of projects. Source: docs/platform/feature-flags.md."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any, Final, TypedDict, TypeVar, Unpack, cast, get_args

from attrs import evolve

from fakeplat.core.json_types import JsonObject
from fakeplat.core.operations.errors import BadRequest, NotFound, RecordNotFound, Unprocessable
from fakeplat.domain import signals
from fakeplat.domain.deployments.environment_scopes import EVERYWHERE, add_scope_errors
from fakeplat.domain.deployments.feature_flag_strategies import (
    USER_LIST,
    explain_name_error,
    find_parameter_errors,
)
from fakeplat.domain.validation import BLANK, TAKEN, ValidationErrors, too_long
from fakeplat.model.deployments import FeatureFlag, FlagVersion, LegacyScope, Strategy, StrategyScope
from fakeplat.model.projects import Project
from fakeplat.model.world import World
from fakeplat.policy.behaviours import LEGACY_FEATURE_FLAGS
from fakeplat.policy.context import WriteContext
from fakeplat.policy.descriptions import describe

Change = Mapping[str, Any]
"""The attributes of a strategy or scope; with an ``id`` those of an existing one, with ``destroy`` its removal."""
_Item = TypeVar("_Item", Strategy, StrategyScope)

_COUNTER: Final = "feature_flag"
_STRATEGY_IDS: Final = 9_410_000
_STRATEGY_SCOPE_IDS: Final = 9_415_000
_LEGACY_SCOPE_IDS: Final = 9_420_000
_MIN_NAME, _MAX_NAME = 2, 63
_NAME: Final = re.compile(r"[a-z]([-_a-z0-9]*[a-z0-9])?")
_NAME_TEXT: Final = (
    "can contain only lowercase letters, digits, '_' and '-'. Must start with a letter, and cannot end with '-' or '_'"
)


def list_feature_flags(world: World, project: Project, *, active: bool | None = None) -> Sequence[FeatureFlag]:
    """Return the feature flags of a project by name; with ``active``, only those that are on, or off."""
    flags = world.feature_flags.where("project", project.id)
    shown = [flag for flag in flags if active in (None, flag.active) and _is_shown(world, flag)]
    return sorted(shown, key=attrgetter("name"))


def _is_shown(world: World, flag: FeatureFlag) -> bool:
    return flag.version == "new_version_flag" or world.profile.has(LEGACY_FEATURE_FLAGS)


def get_shown_flag(world: World, project: Project, name: str) -> FeatureFlag:
    """Return the feature flag of a project with a name; 404 for a flag of the first version, where there are none."""
    flag = get_feature_flag(world, project, name)
    if not _is_shown(world, flag):
        raise NotFound(reason=f"{name!r} is a flag of the first version, which this release does not show")
    return flag


def get_feature_flag(world: World, project: Project, name: str) -> FeatureFlag:
    """Return the feature flag of a project with a name, or refuse with 404."""
    flag = world.feature_flags.find("name", (project.id, name))
    if flag is None:
        raise RecordNotFound(reason=lambda: f"{describe(world, project)} has no feature flag {name!r}")
    return flag


class FlagFields(TypedDict, total=False):
    """Further fields of a new feature flag."""

    created_at: str
    updated_at: str
    description: str | None
    active: bool


def create(
    ctx: WriteContext,
    project: Project,
    *,
    name: str,
    version: str | None = None,
    scopes: Sequence[Change] = (),
    strategies: Sequence[Change] = (),
    iid: int | None = None,
    **fields: Unpack[FlagFields],
) -> FeatureFlag:
    """Create a feature flag; one of the first version is by default on or off everywhere, as ``active`` says."""
    world = ctx.world
    if version is not None and version not in _list_versions(ctx):
        raise BadRequest("Version is invalid")
    # A scenario may choose iids; the counter follows, so that later ones do not collide.
    iid = iid or world.get_counter(_COUNTER, project.id) + 1
    values: FlagFields = {"created_at": ctx.now_iso, "updated_at": ctx.now_iso, **fields}
    flag = FeatureFlag(
        id=world.feature_flags.next_id(),
        project_id=project.id,
        iid=iid,
        name=name,
        scopes=tuple(build_scope(ctx, scope) for scope in scopes),
        version=cast(FlagVersion, version or _default_version(ctx)),
        **values,
    )
    flag = evolve(flag, strategies=_assign_strategies(ctx, flag, strategies))
    validate(ctx, flag, is_new=True)
    if flag.version == "legacy_flag" and not flag.scopes:
        scope = build_scope(ctx, {"environment_scope": EVERYWHERE, "active": flag.active})
        flag = evolve(flag, scopes=(scope,))
    world.raise_counter(iid, _COUNTER, project.id)
    world.feature_flags.add(flag)
    signals.post_create.send(ctx, flag)
    return flag


class FlagChanges(TypedDict, total=False):
    """Changes of a feature flag."""

    name: str
    description: str | None
    active: bool


def update(
    ctx: WriteContext, flag: FeatureFlag, *, strategies: Sequence[Change] = (), **changes: Unpack[FlagChanges]
) -> FeatureFlag:
    """Change a feature flag of the second version and its strategies; 422 for one of the first version."""
    if flag.version == "legacy_flag":
        raise Unprocessable("PUT operations are not supported for legacy feature flags")
    table = ctx.world.feature_flags
    changed = evolve(flag, **changes)
    # As in the platform's database, a change of a strategy is not one of the flag.
    updated_at = flag.updated_at if changed == flag else ctx.now_iso
    changed = evolve(changed, updated_at=updated_at, strategies=_assign_strategies(ctx, flag, strategies))
    validate(ctx, changed)
    stored = table.change(flag, **{name: getattr(changed, name) for name in ("updated_at", "strategies", *changes)})
    signals.post_change.send(ctx, flag, stored)
    if stored.active != flag.active:
        signals.feature_flag_switched.send(ctx, stored)
    return stored


def _list_versions(ctx: WriteContext) -> Sequence[str]:
    # Scenarios declare what a world still has from earlier releases.
    has_first = ctx.is_loading or ctx.profile.has(LEGACY_FEATURE_FLAGS)
    return get_args(FlagVersion) if has_first else ("new_version_flag",)


def _default_version(ctx: WriteContext) -> FlagVersion:
    return "legacy_flag" if ctx.profile.has(LEGACY_FEATURE_FLAGS) else "new_version_flag"


def _next_id(ctx: WriteContext, first_id: int) -> int:
    # Scopes and strategies are parts of their flag's record, but have ids of their own.
    return first_id + ctx.world.next("feature flag part", first_id)


def build_scope(ctx: WriteContext, values: Change) -> LegacyScope:
    """Return a new scope of a flag of the first version."""
    times = {"created_at": ctx.now_iso, "updated_at": ctx.now_iso}
    return LegacyScope(_next_id(ctx, _LEGACY_SCOPE_IDS), **times | _read_strategies(values))


def change_scope(ctx: WriteContext, scope: LegacyScope, changes: Change) -> LegacyScope:
    """Return a changed scope of a flag of the first version."""
    return evolve(scope, **{"updated_at": ctx.now_iso, **_read_strategies(changes)})


def _read_strategies(values: Change) -> dict[str, Any]:
    strategies = values.get("strategies")
    if strategies is None:
        return dict(values)
    # Anything else than an array of hashes is refused by the validation.
    return {**values, "strategies": tuple(strategies) if isinstance(strategies, list | tuple) else (None,)}


def _assign_strategies(ctx: WriteContext, flag: FeatureFlag, changes: Iterable[Change]) -> tuple[Strategy, ...]:
    def apply(strategy: Strategy, change: Change) -> Strategy:
        scopes = _assign(strategy.scopes, change.get("scopes", ()), new_scope, evolve_scope)
        fields = {name: change[name] for name in ("name", "parameters", "user_list_id") if name in change}
        _check_user_list(ctx.world, fields.get("user_list_id"))
        # A strategy that no longer is for the users of a list loses the list.
        was_for_list = strategy.name == USER_LIST and fields.get("name", USER_LIST) != USER_LIST
        return evolve(strategy, scopes=scopes, **({"user_list_id": None} if was_for_list else {}) | fields)

    def new_scope() -> StrategyScope:
        return StrategyScope(_next_id(ctx, _STRATEGY_SCOPE_IDS))

    def evolve_scope(scope: StrategyScope, change: Change) -> StrategyScope:
        return evolve(scope, environment_scope=change.get("environment_scope", scope.environment_scope))

    return _assign(flag.strategies, changes, lambda: Strategy(_next_id(ctx, _STRATEGY_IDS)), apply)


def _check_user_list(world: World, id_: int | None) -> None:
    if id_ is not None and world.feature_flag_user_lists.get(id_) is None:
        raise RecordNotFound(reason=f"there is no user list {id_}")


def _assign(
    items: Iterable[_Item],
    changes: Iterable[Change],
    new: Callable[[], _Item],
    apply: Callable[[_Item, Change], _Item],
) -> tuple[_Item, ...]:
    """Add, change and remove items as nested attributes say; 404 for an id that is not among them."""
    by_id = {item.id: item for item in items}
    for change in changes:
        id_ = change.get("id")
        item = new() if id_ is None else by_id.get(id_)
        if item is None:
            raise RecordNotFound(reason=f"the feature flag has no strategy or scope {id_}")
        if change.get("destroy"):
            by_id.pop(item.id, None)
        else:
            by_id[item.id] = apply(item, change)
    return tuple(by_id.values())


def validate(ctx: WriteContext, flag: FeatureFlag, *, is_new: bool = False) -> None:
    """Refuse a flag with invalid attributes with 400."""
    errors = ValidationErrors()
    _add_scope_errors(ctx, errors, flag)
    for strategy in flag.strategies:
        _add_strategy_errors(ctx, errors, flag, strategy)
    _add_name_errors(ctx, errors, flag)
    too_long(errors, "description", flag.description)
    is_default_first = not flag.scopes or flag.scopes[0].environment_scope == EVERYWHERE
    errors.when(is_new and not is_default_first, "default_scope", "has to be the first element")
    is_legacy = flag.version == "legacy_flag"
    wrong_parts = (is_legacy and flag.strategies and "version 1 feature flags may not have strategies") or (
        not is_legacy and flag.scopes and "version 2 feature flags may not have scopes"
    )
    errors.when(wrong_parts, "version_associations", str(wrong_parts))
    if errors:
        raise BadRequest(errors.full_messages())


def _add_name_errors(ctx: WriteContext, errors: ValidationErrors, flag: FeatureFlag) -> None:
    name = flag.name
    errors.when(not name.strip(), "name", BLANK)
    errors.when(len(name) < _MIN_NAME, "name", f"is too short (minimum is {_MIN_NAME} characters)")
    too_long(errors, "name", name, _MAX_NAME)
    errors.when(not _NAME.fullmatch(name), "name", _NAME_TEXT)
    same = ctx.world.feature_flags.find("name", (flag.project_id, name))
    errors.when(same is not None and same.id != flag.id, "name", TAKEN)


def _add_scope_errors(ctx: WriteContext, errors: ValidationErrors, flag: FeatureFlag) -> None:
    """Add the errors of the scopes of a flag of the first version."""
    seen: set[str] = set()
    for scope in flag.scopes:
        name = scope.environment_scope
        add_scope_errors(errors, "scopes.environment_scope", name)
        errors.when(name in seen, "scopes.environment_scope", f"({name}) {TAKEN}")
        seen.add(name)
        for text in _list_legacy_errors(ctx, scope.strategies):
            errors.add("scopes.strategies", text)


def _list_legacy_errors(ctx: WriteContext, strategies: object) -> Sequence[str]:
    rows = strategies if isinstance(strategies, list | tuple) else [None]
    hashes = [strategy for strategy in rows if isinstance(strategy, Mapping)]
    if len(hashes) < len(rows):
        return ["must be an array of strategy hashes"]
    return [text for strategy in hashes for text in _legacy_strategy_errors(ctx, strategy)]


def _legacy_strategy_errors(ctx: WriteContext, strategy: JsonObject) -> Sequence[str]:
    name = strategy.get("name")
    # Lists of users exist only in the second version.
    name_error = explain_name_error(None if name == USER_LIST else name)
    if name_error:
        return [name_error]
    return find_parameter_errors(ctx.instance, str(name), strategy.get("parameters"))


def _add_strategy_errors(ctx: WriteContext, errors: ValidationErrors, flag: FeatureFlag, strategy: Strategy) -> None:
    name_error = explain_name_error(strategy.name)
    errors.when(name_error, "strategies.name", name_error)
    for text in () if name_error else find_parameter_errors(ctx.instance, strategy.name, strategy.parameters):
        errors.add("strategies.parameters", text)
    user_list = ctx.world.feature_flag_user_lists.get(strategy.user_list_id or 0)
    is_for_list = strategy.name == USER_LIST
    errors.when(is_for_list and user_list is None, "strategies.user_list", BLANK)
    errors.when(not is_for_list and user_list is not None, "strategies.user_list", "must be blank")
    is_foreign = user_list is not None and user_list.project_id != flag.project_id
    errors.when(is_foreign, "strategies.user_list", "must belong to the same project")
    scopes = [scope.environment_scope for scope in strategy.scopes]
    for number, scope in enumerate(scopes):
        add_scope_errors(errors, "strategies.scopes.environment_scope", scope)
        errors.when(scope in scopes[:number], "strategies.scopes.environment_scope", TAKEN)
