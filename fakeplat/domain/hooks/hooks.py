"""Webhooks: create, edit and find them. Source: docs/platform/webhooks.md."""

import re
from base64 import b64decode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal, Unpack

from attrs import evolve

from fakeplat.core.operations.errors import (
    InvalidParams,
    InvalidRecord,
    NotFound,
    RecordNotFound,
    Unprocessable,
    UnprocessableError,
    inspect_errors,
)
from fakeplat.core.store.frozen import frozen
from fakeplat.domain.outbound_urls import explain_blocked_receiver
from fakeplat.domain.people.members import source_of
from fakeplat.domain.validation import BLANK, ValidationErrors, explain_regex_error, join_words, too_long
from fakeplat.model.hooks import SYSTEM, Hook, HookChanges, HookFields, HookKind, HookVariable
from fakeplat.model.projects import Routable
from fakeplat.model.world import World
from fakeplat.policy.behaviours import HOOK_URLS_NEED_VARIABLES, HOOKS_ARE_CREATED_ALIKE, HOOKS_KEEP_VARIABLES
from fakeplat.policy.context import WriteContext
from fakeplat.policy.descriptions import describe

_URL_VARIABLE: Final = re.compile(r"\{(.+?)\}")
_LINE_BREAK: Final = re.compile(r"[\r\n]")
_MAX_FILTER_LENGTH: Final = 4000
_MAX_TEMPLATE: Final = 4096
_SIGNING_KEY_LENGTH: Final = 32
VariableAttribute = Literal["url_variables", "custom_headers"]
_VARIABLES: Final[Mapping[VariableAttribute, str]] = {
    "url_variables": "URL variable",
    "custom_headers": "Custom header",
}
_KEY: Final = re.compile(r"[A-Za-z]+[0-9]*(?:[._-][A-Za-z0-9]+)*")
_MAX_VALUE_LENGTH: Final = 2048
_MAX_VARIABLES: Final = 20
_NO_SCHEMA: Final = "must be a valid json schema"
_FULL_NAMES: Final = ("refs/heads/", "refs/remotes/")


@frozen
class _Kind:
    """What differs between the hooks of projects, groups and the instance; ``limit`` 0: there is none."""

    title: str
    words: str
    limit: int
    defaults: Mapping[str, Any]


_KINDS: Final[Mapping[HookKind, _Kind]] = {
    "project": _Kind("Project hook", "project hooks", 100, {}),
    "group": _Kind("Group hook", "group hooks", 50, {}),
    "system": _Kind("System hook", "system hooks", 0, {"push_events": False, "repository_update_events": True}),
}


def list_hooks(world: World, owner: Routable | None) -> Sequence[Hook]:
    """Return the webhooks of a project or group itself, or (None) the system hooks."""
    return world.hooks.where("source", SYSTEM if owner is None else source_of(owner))


def get_hook(world: World, owner: Routable | None, id_: int) -> Hook:
    """Return a webhook of a project, of a group, or (None) of the instance; 404 otherwise."""
    hook = world.hooks.get(id_)
    if hook is None or hook.source != _source_of(owner):
        place = "the instance" if owner is None else describe(world, owner)
        raise RecordNotFound(reason=f"{place} has no webhook {id_}")
    return hook


def _source_of(owner: Routable | None) -> tuple[str, int] | None:
    return None if owner is None else source_of(owner)


def create(ctx: WriteContext, owner: Routable | None, *, url: str, **fields: Unpack[HookFields]) -> Hook:
    """Add a webhook to a project, to a group, or (None) to the instance."""
    now = ctx.now_iso
    hook = Hook(ctx.world.hooks.next_id(), _source_of(owner), url.strip(), created_at=now, updated_at=now)
    hook = evolve(hook, **{**_KINDS[hook.kind].defaults, **_normalize(fields)})
    _refuse(ctx.world, hook, _list_errors(ctx.world, hook, is_new=True), is_new=True)
    return ctx.world.hooks.add(hook)


def update(ctx: WriteContext, hook: Hook, **fields: Unpack[HookChanges]) -> Hook:
    """Edit a webhook; variables and headers are added, or replace those of the same name."""
    values = _normalize(fields)
    if not fields and ctx.profile.has(HOOKS_KEEP_VARIABLES):
        raise InvalidParams("No parameters provided")
    for attribute in _VARIABLES:
        if attribute in values:
            values[attribute] = _merge_variables(getattr(hook, attribute), values[attribute])
    changed = evolve(hook, **values)
    _refuse(ctx.world, changed, _list_errors(ctx.world, changed), is_new=False)
    return hook if changed == hook else ctx.world.hooks.replace(hook, evolve(changed, updated_at=ctx.now_iso))


def _merge_variables(kept: Iterable[HookVariable], sent: Iterable[HookVariable]) -> tuple[HookVariable, ...]:
    return tuple({variable.key: variable for variable in (*kept, *sent)}.values())


_NULLABLE: Final = (
    "name",
    "description",
    "token",
    "signing_token",
    "push_events_branch_filter",
    "confidential_note_events",
)


def _normalize(fields: HookFields) -> dict[str, Any]:
    """Return fields as they are stored; a null for a flag that cannot be null changes nothing."""
    values: dict[str, Any] = {name: value for name, value in fields.items() if value is not None or name in _NULLABLE}
    if values.get("push_events_branch_filter") is not None:
        values["push_events_branch_filter"] = " ".join(values["push_events_branch_filter"].split())
    return {**values, **({"url": values["url"].strip()} if "url" in values else {})}


def set_variable(ctx: WriteContext, hook: Hook, attribute: VariableAttribute, key: str, value: str) -> Hook:
    """Set a variable of a webhook's URL, or a header. 422 for a name or a value that is not possible."""
    if not _is_possible(key, value):
        raise UnprocessableError("Illegal key or value", reason=f"{key!r} is not a name, or the value has no length")
    return _change_variables(
        ctx, hook, attribute, _merge_variables(getattr(hook, attribute), [HookVariable(key, value)])
    )


def delete_variable(ctx: WriteContext, hook: Hook, attribute: VariableAttribute, key: str) -> Hook:
    """Delete a variable of a webhook's URL, or a header. 404 without it, 422 if the URL has the variable."""
    variables = {variable.key: variable for variable in getattr(hook, attribute)}
    if key not in variables:
        raise NotFound(_VARIABLES[attribute], reason=f"the webhook has {', '.join(variables) or 'none'}")
    if attribute == "url_variables" and f"{{{key}}}" in hook.url:
        raise UnprocessableError("Could not unset variable", reason=f"the URL {hook.url!r} has the variable")
    del variables[key]
    return _change_variables(ctx, hook, attribute, tuple(variables.values()))


def _change_variables(
    ctx: WriteContext, hook: Hook, attribute: VariableAttribute, variables: tuple[HookVariable, ...]
) -> Hook:
    return ctx.world.hooks.change(hook, **{attribute: variables}, updated_at=ctx.now_iso)


def explain_blocked_url(world: World, hook: Hook) -> str:
    """Return why the settings do not allow requests to the URL of a webhook; empty if they do."""
    return explain_blocked_receiver(world.settings, hook.url, is_system=hook.kind == "system")


def _list_errors(world: World, hook: Hook, *, is_new: bool = False) -> ValidationErrors:
    errors, kind = ValidationErrors(), _KINDS[hook.kind]
    reason = explain_blocked_url(world, hook)
    errors.when(not hook.url, "url", BLANK)
    errors.when(reason and hook.url, "url", f"is blocked: {reason}")
    if world.profile.has(HOOK_URLS_NEED_VARIABLES):
        missing = set(_URL_VARIABLE.findall(hook.url)) - {variable.key for variable in hook.url_variables}
        errors.when(bool(missing), "url", f"Invalid URL template. Missing keys: {', '.join(sorted(missing))}")
    errors.when(hook.token is not None and _LINE_BREAK.search(hook.token), "token", "is invalid")
    errors.when(not _is_signing_token(hook.signing_token), "signing_token", "must be in the format whsec_<base64>")
    for attribute in _VARIABLES:
        errors.when(not _are_possible(getattr(hook, attribute)), attribute, _NO_SCHEMA)
    too_long(errors, "custom_webhook_template", hook.custom_webhook_template, _MAX_TEMPLATE)
    for text in _find_filter_errors(hook):
        errors.add("push_events_branch_filter", text)
    is_full = is_new and kind.limit and len(world.hooks.ids("source", hook.source or SYSTEM)) >= kind.limit
    errors.when(is_full, "base", f"Maximum number of {kind.words} ({kind.limit}) exceeded")
    return errors


def _are_possible(variables: Sequence[HookVariable]) -> bool:
    return len(variables) <= _MAX_VARIABLES and all(
        _is_possible(variable.key, variable.value) for variable in variables
    )


def _is_possible(key: str, value: str) -> bool:
    return _KEY.fullmatch(key) is not None and 0 < len(value) <= _MAX_VALUE_LENGTH


def _is_signing_token(token: str | None) -> bool:
    """Return whether a token, if there is one, is ``whsec_`` and the Base64 of a key of 32 bytes."""
    if not token:
        return True
    prefix, _, encoded = token.partition("_")
    try:
        return prefix == "whsec" and len(b64decode(encoded, validate=True)) == _SIGNING_KEY_LENGTH
    except ValueError:
        return False


def _find_filter_errors(hook: Hook) -> Iterator[str]:
    pattern = hook.push_events_branch_filter or ""
    if hook.branch_filter_strategy == "regex":
        error = explain_regex_error(pattern)
        yield from [f"not valid RE2 syntax: {error}"] if error else []
    elif hook.branch_filter_strategy == "wildcard":
        yield from _find_wildcard_errors(pattern)


def _find_wildcard_errors(pattern: str) -> Iterator[str]:
    """Yield what is wrong with a branch filter, in which ``*`` stands for any text; an empty one is valid."""
    from fakeplat.git.errors import BadName
    from fakeplat.git.name_checks import check_branch

    if not pattern:
        return
    try:
        check_branch(pattern.replace("*", "x"))
        is_name = not pattern.startswith(_FULL_NAMES)
    except BadName:
        is_name = False
    if not is_name:
        yield "is not a valid branch name"
    if len(pattern) > _MAX_FILTER_LENGTH:
        yield f"is longer than the allowed length of {_MAX_FILTER_LENGTH} characters."


def _refuse(world: World, hook: Hook, errors: ValidationErrors, *, is_new: bool) -> None:
    """Raise the refusal for errors, whose form depends on the kind of webhook and on the release."""
    if not errors:
        return
    fields, sentences = {name: errors.texts(name) for name in errors}, errors.full_messages()
    reason = f"{hook.url!r}: {', '.join(sentences)}"
    are_alike = world.profile.has(HOOKS_ARE_CREATED_ALIKE)
    if hook.kind == "system" and not are_alike:
        raise InvalidRecord(fields, reason=reason)
    for name, text in _SHORT_ERRORS.items():
        if name in fields:
            raise UnprocessableError(text, reason=reason)
    if "custom_headers" in fields:
        start = "Custom headers" if is_new else "Custom headers validation failed:"
        raise UnprocessableError(f"{start} {_NO_SCHEMA}", reason=reason)
    if is_new and are_alike:
        raise UnprocessableError(join_words(sentences), reason=reason)
    title = _KINDS[hook.kind].title
    has_fields = world.profile.has(HOOKS_KEEP_VARIABLES)
    raise Unprocessable(fields if has_fields else f"{title} {inspect_errors(fields)}", reason=reason)


_SHORT_ERRORS: Final = {"url": "Invalid url given", "push_events_branch_filter": "Invalid branch filter given"}
