"""The records of `fakeplat.world`: the page that lists their fields, and their types for editors and type checkers."""

from collections.abc import Container, Iterator, Mapping
from keyword import iskeyword
from types import UnionType
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin

from fakeplat.core.operations.entity import Entity
from fakeplat.workbench.inspected.declaration import Part, Parts
from fakeplat.workbench.inspected.instance import INSTANCE_PARTS
from fakeplat.workbench.inspected.kinds import RECORD_KINDS
from fakeplat.workbench.inspected.look_up import singular
from tools.tables import table

_NAMES = {"ProjectCommit": "Commit", "ProjectTag": "Tag", "RepositoryFile": "File", "DiffOfFile": "Diff"}
_FIRST = ("Project", "Group", "User", "Issue", "MergeRequest")


class Shown(NamedTuple):
    """A kind of record as the view shows it: its fields with their types, and the records that belong to it."""

    view: type[Entity[Any]]
    parts: Parts


def list_shown() -> dict[str, Shown]:
    """Return what the view shows, by the name of the kind: those that tests use most first."""
    views = list(_walk(INSTANCE_PARTS))
    counts: dict[str, set[type]] = {}
    for view in views:
        counts.setdefault(_class_name(view), set()).add(view)
    shown = {}
    for view in dict.fromkeys(views):
        name = _class_name(view)
        kind = RECORD_KINDS.get(_record_name(view))
        shown[_kind_name(view, counts[name])] = Shown(view, kind.parts if kind else {})
    order = [*_FIRST, *sorted(shown.keys() - {*_FIRST})]
    return {name: shown[name] for name in order}


def _walk(parts: Parts, seen: tuple[str, ...] = ()) -> Iterator[type[Entity[Any]]]:
    for part in parts.values():
        yield part.view
        name = _record_name(part.view)
        if name in RECORD_KINDS and name not in seen:
            yield RECORD_KINDS[name].view
            seen = (*seen, name)
            yield from _walk(RECORD_KINDS[name].parts, seen)


def _record_name(view: type[Entity[Any]]) -> str:
    # A view that is made from other declarations, as that of the settings, names no class.
    return view.record_class.__name__ if view.record_class else view.__name__.removesuffix("View")


def _class_name(view: type[Entity[Any]]) -> str:
    name = _record_name(view)
    return _NAMES.get(name, name)


def _kind_name(view: type[Entity[Any]], views: set[type]) -> str:
    """Return the name of the record's class; where several views show it, all but the usual one have their own."""
    name = _record_name(view)
    is_usual = name in RECORD_KINDS and RECORD_KINDS[name].view is view
    if len(views) == 1 or is_usual:
        return _class_name(view)
    return view.__name__.removesuffix("View")


# the page


def records_page() -> str:
    """All kinds of records in `fakeplat.world`, with their fields and lists."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    shown = list_shown()
    names = {kind.view: name for name, kind in shown.items()}
    yield from (_HEAD, "", "## world", "", "Lists and look-ups of `fakeplat.world`, besides `project(path or id)`,")
    yield from ("`group(path or id)` and `user(username or id)`:", "")
    yield from _part_lines(INSTANCE_PARTS, names)
    for name, kind in shown.items():
        yield from (f"## {name}", "", _summary(kind.view), "")
        if kind.parts:
            yield from _part_lines(_reachable(kind), names)
        fields = kind.view.field_types().items()
        yield from table(("field", "type"), ((f"`{field}`", f"`{_type_text(type_)}`") for field, type_ in fields))


def _reachable(kind: Shown) -> Parts:
    return {name: part for name, part in kind.parts.items() if name not in kind.view.fields}


def _summary(view: type[Entity[Any]]) -> str:
    return " ".join(str(view.__doc__).partition("\n\n")[0].split())


def _part_lines(parts: Parts, names: Mapping[type, str]) -> Iterator[str]:
    rows = ((f"`{name}`", f"`{singular(name)}(…)`", _link(part, names)) for name, part in parts.items())
    yield from table(("list", "one of them", "records"), rows)


def _link(part: Part, names: Mapping[type, str]) -> str:
    return f"[{names[part.view]}](#{names[part.view].lower()})"


_HEAD = """# Records

What `fakeplat.world` shows, in the names and shapes of the API's responses to an administrator. A record has its
fields as attributes, and lists of the records that belong to it. One of these is looked up by its number or name:
`project.issue(1)` (iid, or id), `project.label("bug")`, `group.member("ada")`, or with fields,
`project.package("tool", version="1.0.0")`. Editors and type checkers know all names; a misspelt one is an error with
the closest that exists. Some fields depend on the release, the tier or the record.

```python
site = fakeplat.world.project("acme/site")
assert site.issue(1).author["username"] == "rep"
assert "# Site" in site.file("README.md").text
assert [branch.name for branch in site.branches if branch.default] == ["master"]
```"""


# the types


def record_types() -> str:
    """The stub with the types of all records."""
    return "\n".join([*_type_lines()]) + "\n"


def _type_lines() -> Iterator[str]:
    shown = list_shown()
    names = {kind.view: name for name, kind in shown.items()}
    yield "# The types of the records in a view of a world, for editors and type checkers (tools/generate.py)."
    yield from ("", "from typing import Any, Literal", "", "from fakeplat.workbench.inspection import RecordView", "")
    yield from ("class Instance:", *_part_types(INSTANCE_PARTS, names, skip=("project", "group", "user")), "")
    for name, kind in shown.items():
        fields = kind.view.field_types().items()
        usable = [(field, type_) for field, type_ in fields if field.isidentifier() and not iskeyword(field)]
        lines = [f"    {field}: {_annotation(type_)}" for field, type_ in usable if not hasattr(dict, field)]
        yield from (f"class {name}(RecordView):", *lines)
        yield from (*_part_types(_reachable(kind), names, skip=kind.view.fields), "")


def _part_types(parts: Parts, names: Mapping[type, str], skip: Container[str]) -> Iterator[str]:
    for name, part in parts.items():
        kind, one = names[part.view], singular(name)
        yield f"    {name}: list[{kind}]"
        if one != name and one not in skip:
            yield f"    def {one}(self, name: int | str | None = ..., **fields: Any) -> {kind}: ..."


def _annotation(kind: Any) -> str:
    """Return a type for an attribute. That a map may be missing is left out: tests know whether it is there."""
    text = _type_text(kind)
    return "Any" if "dict[str, Any]" in text and " | " in text else text


def _type_text(kind: Any) -> str:
    """Return a type as it is written in code, where maps stand for nested views."""
    origin = get_origin(kind)
    if origin in (Union, UnionType):
        return " | ".join(dict.fromkeys(_type_text(part) for part in get_args(kind)))
    if origin is Literal:
        return f"Literal[{', '.join(map(repr, get_args(kind)))}]"
    if origin in (list, tuple):
        item = get_args(kind)[0] if get_args(kind) else Any
        return f"list[{_type_text(item)}]"
    if kind in (str, int, bool, float):
        return str(kind.__name__)
    if kind is type(None):
        return "None"
    return "dict[str, Any]" if origin is dict or (isinstance(kind, type) and issubclass(kind, Entity)) else "Any"
