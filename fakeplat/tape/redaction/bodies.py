"""Secrets in what is structured: JSON at any depth, forms and queries, multipart forms."""

import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple
from urllib.parse import unquote_plus

import orjson

from fakeplat.core.secret_names import kind_of
from fakeplat.tape.redaction.registry import SecretRegistry, is_distinctive, is_placeholder, quote_around_placeholders
from fakeplat.tape.redaction.texts import redact_text

_PAIR: Final = re.compile(r"([^&;=]*)=([^&;]*)")
_PUBLIC_KEY: Final = re.compile(r"(ssh-|ecdsa-|sk-ssh-|sk-ecdsa-)|\s*-----BEGIN PGP PUBLIC|\s*-----BEGIN PUBLIC")
_LONGEST_IDENTIFIER: Final = 24
_VARIABLE: Final = re.compile(r"variables\[[^\]]+\]")
_COMPLAINTS: Final = frozenset(("message", "error", "errors"))
_BOUNDARY: Final = re.compile(r"boundary=\"?([^\";,]+)", re.IGNORECASE)
_PART_NAME: Final = re.compile(rb"\bname=\"?([^\";\r\n]*)", re.IGNORECASE)


class FoundSecret(NamedTuple):
    """A secret in a JSON document: where it stands, its kind, its value."""

    holder: Any
    place: Any
    kind: str
    value: str


def redact_json(secrets: SecretRegistry, content: bytes, path: str = "") -> bytes:
    """A JSON document with placeholders, else byte for byte as it was; ``path`` is the request's."""
    try:
        document = orjson.loads(content)
    except orjson.JSONDecodeError:
        return redact_plain(secrets, content)
    found = list(_found(document, path))
    for one in found:
        secrets.learn(one.kind, one.value)
    hidden = secrets.hide_json(content)
    if found and not _all_hidden(found, hidden, path):
        for one in found:
            one.holder[one.place] = secrets.learn(one.kind, one.value)
        hidden = secrets.hide_json(orjson.dumps(document))
    return secrets.hide_json(redact_text(secrets, hidden.decode()).encode())


def _all_hidden(found: list[FoundSecret], hidden: bytes, path: str) -> bool:
    """Whether replacing in the text caught all; it passes over short values and odd ways of writing."""
    if not all(is_distinctive(one.value) for one in found):
        return False
    try:
        left = _found(orjson.loads(hidden), path)
    except orjson.JSONDecodeError:  # a secret that ends in a backslash, say
        return False
    return all(is_placeholder(one.value) for one in left)


def _found(document: Any, path: str) -> Iterator[FoundSecret]:
    waiting: list[tuple[Any, str, bool]] = [(document, "", "/variables" in path)]
    while waiting:
        holder, name, variables = waiting.pop()
        if isinstance(holder, dict):
            own = _kind_of_value(holder, of_variables=variables)
            is_of_trigger = name == "variables" and "/trigger/" in path
            for key, value in holder.items():
                if isinstance(value, dict | list):
                    of_whom = "" if name in _COMPLAINTS else key  # what is said of a password is none
                    waiting.append((value, of_whom, variables or key == "variables"))
                else:
                    kind = own if key == "value" else _kind(holder, key)
                    yield from _secret(holder, key, "variable" if is_of_trigger else kind, value)
        elif isinstance(holder, list):
            for place, value in enumerate(holder):
                if isinstance(value, dict | list):
                    waiting.append((value, name, variables))
                else:
                    yield from _secret(holder, place, kind_of(name) if name != "key" else None, value)


def _secret(holder: Any, place: Any, kind: str | None, value: Any) -> Iterator[FoundSecret]:
    if (
        kind is not None
        and value not in (None, "")
        and isinstance(value, str | int | float)
        and not isinstance(value, bool)
    ):
        yield FoundSecret(holder, place, kind, str(value))


def _kind(holder: dict[str, Any], key: str) -> str | None:
    kind = kind_of(key)
    return None if key == "key" and _names_something(holder) else kind


def _names_something(holder: dict[str, Any]) -> bool:
    """Whether a ``key`` is no secret: a public key, a variable's name, or the identifier of a licence or template."""
    key = str(holder["key"])
    identifies = "name" in holder and len(key) <= _LONGEST_IDENTIFIER
    return "value" in holder or identifies or is_public_key(key)


def _kind_of_value(holder: dict[str, Any], *, of_variables: bool) -> str | None:
    """What a ``value`` is: that of a CI variable, or of something whose name is a secret's."""
    if of_variables:
        return "variable"
    return kind_of(str(holder.get("key") or holder.get("name") or ""))


def is_public_key(value: str) -> bool:
    """Whether a key is meant to be seen: SSH, PGP or PEM."""
    return _PUBLIC_KEY.match(value) is not None


def redact_form(secrets: SecretRegistry, text: str, path: str = "") -> str:
    """A query or form with placeholders; pairs without secrets stay as they were."""

    def pair(found: re.Match[str]) -> str:
        name, value = unquote_plus(found[1]), unquote_plus(found[2])
        kind = _kind_in_form(name, text, path)
        if kind is None or (kind == "key" and is_public_key(value)):
            return f"{secrets.hide_encoded(found[1])}={_hide_value(secrets, found[2], value)}"
        return f"{found[1]}={secrets.learn(kind, value)}"

    return _PAIR.sub(pair, text) if "=" in text else secrets.hide_encoded(text)


def _kind_in_form(name: str, text: str, path: str) -> str | None:
    last = name.replace("]", "").rpartition("[")[2]
    if _VARIABLE.fullmatch(name) or (last == "value" and ("/variables" in path or name.startswith("variables["))):
        return "variable"
    return None if last == "key" and "value" in text else kind_of(name)


def _hide_value(secrets: SecretRegistry, value: str, plain: str) -> str:
    shown = redact_text(secrets, plain)
    if shown == plain:
        return secrets.hide_encoded(value)
    return secrets.hide_encoded(quote_around_placeholders(shown))


def redact_multipart(secrets: SecretRegistry, content: bytes, content_type: str, path: str = "") -> bytes:
    """A multipart form with placeholders for its secret fields."""
    boundary = _BOUNDARY.search(content_type)
    if boundary is None:
        return redact_plain(secrets, content)
    mark = b"--" + boundary[1].strip().encode("utf-8", "surrogateescape")
    return mark.join(_part(secrets, part, path) for part in content.split(mark))


def _part(secrets: SecretRegistry, part: bytes, path: str) -> bytes:
    empty_line = b"\r\n\r\n" if b"\r\n\r\n" in part else b"\n\n"
    head, empty_line, value = part.partition(empty_line)
    named = _PART_NAME.search(head)
    kind = None if named is None else _kind_in_form(named[1].decode("utf-8", "replace"), "", path)
    plain = value.rstrip(b"\r\n")
    text = plain.decode("utf-8", "replace")
    if kind is None or (kind == "key" and is_public_key(text)):
        return head + empty_line + redact_plain(secrets, value)
    return head + empty_line + secrets.learn(kind, text).encode() + value[len(plain) :]


def redact_plain(secrets: SecretRegistry, content: bytes) -> bytes:
    """Any content with placeholders: text is searched, anything else is looked through for what is known."""
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return secrets.hide(content)
    hidden = redact_text(secrets, text)
    return secrets.hide(content if hidden is text else hidden.encode())
