"""Redaction of structured bodies: JSON at any depth, forms and queries, multipart forms."""

import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple
from urllib.parse import unquote_plus

import orjson

from fakeplat.core.json_types import JsonObject, JsonValue
from fakeplat.core.secret_names import kind_of
from fakeplat.tape.redaction.registry import SecretRegistry, is_distinctive, is_placeholder, quote_around_placeholders
from fakeplat.tape.redaction.texts import redact_text

# Both separators count: ``a=1&b=2`` and the older ``a=1;b=2``.
_PAIR: Final = re.compile(r"([^&;=]*)=([^&;]*)")
_PUBLIC_KEY: Final = re.compile(r"(ssh-|ecdsa-|sk-ssh-|sk-ecdsa-)|\s*-----BEGIN PGP PUBLIC|\s*-----BEGIN PUBLIC")
# Identifiers such as ``apache-2.0`` are short, keys are not.
_MAX_IDENTIFIER_LENGTH: Final = 24
_VARIABLE: Final = re.compile(r"variables\[[^\]]+\]")
_ERROR_KEYS: Final = frozenset(("message", "error", "errors"))
_BOUNDARY: Final = re.compile(r"boundary=\"?([^\";,]+)", re.IGNORECASE)
_PART_NAME: Final = re.compile(rb"\bname=\"?([^\";\r\n]*)", re.IGNORECASE)


class FoundSecret(NamedTuple):
    """A secret in a JSON document: its container, key or index, kind and value."""

    holder: Any
    key: Any
    kind: str
    value: str


def redact_json(secrets: SecretRegistry, content: bytes, path: str = "") -> bytes:
    """Redact a JSON document, and keep all other bytes unchanged where possible; ``path`` is the request's path."""
    try:
        document = orjson.loads(content)
    except orjson.JSONDecodeError:
        return redact_plain(secrets, content)
    found_secrets = list(_find_secrets(document, path))
    for secret in found_secrets:
        secrets.learn(secret.kind, secret.value)
    hidden = secrets.hide_json(content)
    # Replacing in the text preserves formatting and key order. Only if a secret is left is the document rewritten.
    if found_secrets and not _all_hidden(found_secrets, hidden, path):
        for secret in found_secrets:
            secret.holder[secret.key] = secrets.learn(secret.kind, secret.value)
        hidden = secrets.hide_json(orjson.dumps(document))
    return secrets.hide_json(redact_text(secrets, hidden.decode()).encode())


def _all_hidden(found_secrets: list[FoundSecret], hidden: bytes, path: str) -> bool:
    """Whether replacement in the text found every secret; it skips short values and unusual escapes."""
    if not all(is_distinctive(secret.value) for secret in found_secrets):
        return False
    try:
        remaining = _find_secrets(orjson.loads(hidden), path)
    except orjson.JSONDecodeError:  # for example, a secret that ends in a backslash
        return False
    return all(is_placeholder(secret.value) for secret in remaining)


def _find_secrets(document: JsonValue, path: str) -> Iterator[FoundSecret]:
    # An explicit stack, because a document may be nested deeper than Python can recurse.
    stack: list[tuple[Any, str, bool]] = [(document, "", "/variables" in path)]
    while stack:
        holder, name, in_variables = stack.pop()
        if isinstance(holder, dict):
            value_kind = _kind_of_value(holder, in_variables=in_variables)
            are_trigger_variables = name == "variables" and "/trigger/" in path
            for key, value in holder.items():
                if isinstance(value, dict | list):
                    inner_name = "" if name in _ERROR_KEYS else key  # the error messages for a password are not secret
                    stack.append((value, inner_name, in_variables or key == "variables"))
                else:
                    kind = value_kind if key == "value" else _kind_of_key(holder, key)
                    yield from _secret_at(holder, key, "variable" if are_trigger_variables else kind, value)
        elif isinstance(holder, list):
            for index, value in enumerate(holder):
                if isinstance(value, dict | list):
                    stack.append((value, name, in_variables))
                else:
                    yield from _secret_at(holder, index, kind_of(name) if name != "key" else None, value)


def _secret_at(holder: JsonValue, key: str | int, kind: str | None, value: JsonValue) -> Iterator[FoundSecret]:
    if (
        kind is not None
        and value not in (None, "")
        and isinstance(value, str | int | float)
        and not isinstance(value, bool)
    ):
        yield FoundSecret(holder, key, kind, str(value))


def _kind_of_key(holder: JsonObject, key: str) -> str | None:
    kind = kind_of(key)
    return None if key == "key" and _is_identifier(holder) else kind


def _is_identifier(holder: JsonObject) -> bool:
    """Whether ``key`` is not secret: a public key, a variable's name, or the identifier of a license or template."""
    key = str(holder["key"])
    identifies = "name" in holder and len(key) <= _MAX_IDENTIFIER_LENGTH
    return "value" in holder or identifies or is_public_key(key)


def _kind_of_value(holder: JsonObject, *, in_variables: bool) -> str | None:
    """Return the kind of the secret in ``value``: a CI variable, or an object whose name is that of a secret."""
    # Runners are told of each variable whether it is public; the platform's own ones, such as the ref's name, are.
    if in_variables and holder.get("public") is not True:
        return "variable"
    return kind_of(str(holder.get("key") or holder.get("name") or ""))


def is_public_key(value: str) -> bool:
    """Whether a key is a public key: SSH, PGP or PEM."""
    return _PUBLIC_KEY.match(value) is not None


def redact_form(secrets: SecretRegistry, text: str, path: str = "") -> str:
    """Redact a query or form; pairs without secrets stay unchanged."""

    def redact_pair(match: re.Match[str]) -> str:
        name, value = unquote_plus(match[1]), unquote_plus(match[2])
        kind = _kind_in_form(name, text, path)
        if kind is None or (kind == "key" and is_public_key(value)):
            return f"{secrets.hide_encoded(match[1])}={_redact_value(secrets, match[2], value)}"
        return f"{match[1]}={secrets.learn(kind, value)}"

    return _PAIR.sub(redact_pair, text) if "=" in text else secrets.hide_encoded(text)


def _kind_in_form(name: str, text: str, path: str) -> str | None:
    # The innermost name: ``value`` of ``variables[][value]``.
    last = name.replace("]", "").rpartition("[")[2]
    # As in JSON, "value" is secret for CI variables, and "key" is a variable's name if there is a value beside it.
    if _VARIABLE.fullmatch(name) or (last == "value" and ("/variables" in path or name.startswith("variables["))):
        return "variable"
    return None if last == "key" and "value" in text else kind_of(name)


def _redact_value(secrets: SecretRegistry, value: str, plain: str) -> str:
    redacted = redact_text(secrets, plain)
    if redacted == plain:
        return secrets.hide_encoded(value)
    return secrets.hide_encoded(quote_around_placeholders(redacted))


def redact_multipart(secrets: SecretRegistry, content: bytes, content_type: str, path: str = "") -> bytes:
    """Redact the secret fields of a multipart form."""
    boundary = _BOUNDARY.search(content_type)
    if boundary is None:
        return redact_plain(secrets, content)
    mark = b"--" + boundary[1].strip().encode("utf-8", "surrogateescape")
    return mark.join(_redact_part(secrets, part, path) for part in content.split(mark))


def _redact_part(secrets: SecretRegistry, part: bytes, path: str) -> bytes:
    # Some clients end the lines of the head with a bare line feed.
    empty_line = b"\r\n\r\n" if b"\r\n\r\n" in part else b"\n\n"
    head, empty_line, value = part.partition(empty_line)
    name_match = _PART_NAME.search(head)
    kind = None if name_match is None else _kind_in_form(name_match[1].decode("utf-8", "replace"), "", path)
    # The line break before the next boundary belongs to the boundary, not to the value.
    plain = value.rstrip(b"\r\n")
    text = plain.decode("utf-8", "replace")
    if kind is None or (kind == "key" and is_public_key(text)):
        return head + empty_line + redact_plain(secrets, value)
    return head + empty_line + secrets.learn(kind, text).encode() + value[len(plain) :]


def redact_plain(secrets: SecretRegistry, content: bytes) -> bytes:
    """Redact content of any type: search text for secrets, and other content for known secrets only."""
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return secrets.hide(content)
    hidden = redact_text(secrets, text)
    return secrets.hide(content if hidden is text else hidden.encode())
