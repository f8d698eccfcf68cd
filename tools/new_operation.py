"""Write the skeletons of an operation: `python tools/new_operation.py METHOD PATH`, as in `POST /projects/:id/releases`.

The operation's name comes from fakeplat/api/known.csv, everything else from its path. What a skeleton cannot know is marked
with ``FILL IN``, and `make test` fails by name until no mark is left. docs/adding-an-operation.md goes through it.
"""

import argparse
import csv
import re
import subprocess
import sys
from pathlib import Path
from string import Template
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).parents[1]
PREFIX: Final = "/api/v4"
_CONTAINERS: Final = {"projects/:id": "project", "groups/:id": "group"}
_FIRST_ID: Final = re.compile(r"first_id=([\d_]+)")


class Names(NamedTuple):
    """What the skeletons are filled with: ``create_badge`` of ``badges``, whose record is ``Badge``."""

    operation: str
    method: str
    tail: str
    area: str
    noun: str
    record: str
    container: str
    key: str

    @property
    def words(self) -> str:
        """Return the area in words: ``broadcast messages``."""
        return self.area.replace("_", " ")

    @property
    def action(self) -> str:
        """Return list, get, create, update or delete; or custom."""
        verb = self.operation.split("_")[0]
        return verb if verb in _OPERATIONS else "custom"


def names_of(method: str, path: str, record: str = "") -> Names:
    """Look an operation up in the table of known operations. SystemExit if the platform has none there."""
    path = PREFIX + "/" + path.removeprefix(PREFIX).strip("/")
    with (ROOT / "fakeplat/api/known.csv").open(encoding="utf-8", newline="") as table:
        known = {(row["method"], row["path"]): row["name"] for row in csv.DictReader(table)}
    if (method, path) not in known:
        raise SystemExit(f"{method} {path} is not in fakeplat/api/known.csv")
    inner = path.removeprefix(f"{PREFIX}/")
    prefix = next((prefix for prefix in _CONTAINERS if inner.startswith(f"{prefix}/")), "")
    tail = inner.removeprefix(prefix).strip("/")
    area = tail.split("/")[0]
    noun = re.sub(r"(?<=[^s])s$", "", re.sub(r"ies$", "y", area))
    key = next((part[1:] for part in tail.split("/") if part.startswith(":")), "")
    title = record or "".join(word.capitalize() for word in noun.split("_"))
    return Names(known[method, path], method, tail, area, noun, title, _CONTAINERS.get(prefix, ""), key)


_MODEL: Final = '''"""FILL IN: what $words are."""

from fakeplat.core.store.frozen import frozen


@frozen
class $record:
    """FILL IN: what a record holds, and in which units."""

    id: int
$owner_field    name: str  # FILL IN: the fields, those with defaults last
    created_at: str
    updated_at: str
'''
_TABLE: Final = """    $area = TableOf(
        $record,
$owner_index        first_id=$first_id,
    )
"""
_DOMAIN: Final = '''"""$title. Source: FILL IN: a page of docs/platform."""

from collections.abc import Sequence
from typing import Any

from fakeplat.core.operations.errors import RecordNotFound
from fakeplat.model.$area import $record
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext
$owner_import

def list_$area(world: World$owner_parameter) -> Sequence[$record]:
    """Return the $words$of_owner, the oldest first."""
    return $rows


def find_$noun(world: World$owner_parameter, id_: int) -> $record:
    """Return the record with an id, or refuse with 404."""
    $noun = world.$area.get(id_)
    if $noun is None$other_owner:
        raise RecordNotFound(reason=f"there is no $noun {id_}$here")
    return $noun


def create(ctx: WriteContext$owner_parameter, name: str, **fields: Any) -> $record:
    """Create a record from its fields."""
    now = ctx.now_iso  # FILL IN: the model's own validation, collected in ValidationErrors
    usual = {"created_at": now, "updated_at": now}
    return ctx.world.$area.add($record(id=ctx.world.$area.next_id(), $owner_argument"name"=name, **{**usual, **fields}))


def update(ctx: WriteContext, $noun: $record, **changes: Any) -> $record:
    """Change fields of a record."""
    return ctx.world.$area.change($noun, **changes, updated_at=ctx.now_iso)
'''.replace('"name"=name', "name=name")
_VIEW: Final = '''"""Views of $words. Source: FILL IN: a page of docs/platform."""

from fakeplat.core.operations.entity import Entity, attr
from fakeplat.model.$area import $record


class ${record}View(Entity[$record]):
    """FILL IN: what is shown, and to whom."""

    id = attr()
    name = attr()
    created_at = attr()
'''
_API: Final = '''"""$title. Source: FILL IN: a page of docs/platform."""

from typing import Final

from fakeplat.core.operations.operation import Area, Login

area: Final = Area("$title", login=Login.ALWAYS)  # FILL IN: who needs a login
'''
_API_IMPORTS: Final = """from collections.abc import Sequence
from fakeplat.api.scopes import GROUP, PROJECT
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import Params
from fakeplat.domain.$area import $area
from fakeplat.domain.purging import purge
from fakeplat.entities.$area import ${record}View
from fakeplat.model.$area import $record
from fakeplat.model.namespaces import Group
from fakeplat.model.projects import Project
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext
"""
_GATE: Final = "    # FILL IN: the ability\n"
_OPERATIONS: Final = {
    "list": '''

@area.operation("GET", "$tail", ${scope}params=Paged, view=${record}View, many=True)
def $operation(ctx: ReadContext$owner_parameter) -> Sequence[$record]:
    """List $words."""
    return $area.list_$area(ctx.world$owner_value)
''',
    "get": '''

@area.operation("GET", "$tail", ${scope}view=${record}View, refusals=(404,))
def $operation(ctx: ReadContext$owner_parameter, $key: int) -> $record:
    """Get a $noun_words."""
    return $area.find_$noun(ctx.world$owner_value, $key)
''',
    "create": '''

class Create$record(Params):
    """The parameters of a new $noun_words."""

    name: str  # FILL IN: the parameters


@area.operation("POST", "$tail", ${scope}params=Create$record, view=${record}View, refusals=(400, 403))  # FILL IN: ability=
def $operation(ctx: WriteContext$owner_parameter, p: Create$record) -> $record:
    """Create a $noun_words."""
    return $area.create(ctx$owner_value, **p.given())
''',
    "update": '''

class Update$record(Params):
    """Changes of a $noun_words."""

    name: str | None = None  # FILL IN: the parameters


@area.operation("PUT", "$tail", ${scope}params=Update$record, view=${record}View, refusals=(400, 403, 404))  # FILL IN: ability=
def $operation(ctx: WriteContext$owner_parameter, $key: int, p: Update$record) -> $record:
    """Update a $noun_words."""
    return $area.update(ctx, $area.find_$noun(ctx.world$owner_value, $key), **p.given())
''',
    "delete": '''

@area.operation("DELETE", "$tail", ${scope}refusals=(403, 404))  # FILL IN: ability=
def $operation(ctx: WriteContext$owner_parameter, $key: int) -> None:
    """Delete a $noun_words."""
    purge(ctx, $area.find_$noun(ctx.world$owner_value, $key))
''',
    "custom": '''

@area.operation("$method", "$tail", ${scope}view=${record}View)  # FILL IN: ability=, params=, refusals=
def $operation(ctx: WriteContext$owner_parameter$key_parameter) -> $record:
    """FILL IN: an imperative, such as "Star a project."."""
    raise NotImplementedError("$operation")  # FILL IN
''',
}
_SECTION: Final = '''"""$title in scenarios."""

from collections.abc import Iterable
from typing import Any, Final

from fakeplat.core.schema.records import fields
from fakeplat.core.schema.shapes import Object
from fakeplat.domain.$area import $area
from fakeplat.model.$area import $record
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.section import FURTHER, SCENARIO, Section, Told
from fakeplat.scenario.sections import serialization

_FIELDS: Final = fields($record, without=("id"$owner_left_out))


def _create(entry: Entry) -> $record:
    times = {"created_at": entry.created_at, "updated_at": entry.created_at}
    return $area.create(entry.ctx$section_owner, **{**times, **entry.given(_FIELDS)})


def _export(world: World, container: Any) -> Iterable[tuple[$record, Told]] | None:
    $unused_container
    return [
        (row, serialization.remove_defaults(serialization.non_default_fields(row, _FIELDS), updated_at=row.created_at))
        for row in $area.list_$area(world$section_container)
    ] or None


SECTION: Final = Section(
    "$area",
    under=($section_parent,),
    rank=FURTHER,
    keys=Object(_FIELDS, required=("name",)),  # FILL IN: descriptions=, and what is required
    make=_create,
    tell=_export,
)
'''
_TEST: Final = '''"""$title. FILL IN: the page of docs/platform, and what the platform's request specs expect."""

import pytest

from fakeplat.harness.fake import Fakeplat
'''
_TEST_FUNCTION: Final = '''

def test_$operation(fakeplat: Fakeplat) -> None:
    """FILL IN: the answer field by field, each refusal with its exact body, and that a refusal changes nothing."""
    pytest.fail(f"FILL IN: $operation at {fakeplat.api_url}; its row of roles goes into tests/api/role_rows.py")
'''


def values_of(names: Names, first_id: int) -> dict[str, str]:
    """Return what stands for the placeholders of the templates."""
    owner = names.container
    owner_class = owner.capitalize()
    return {
        **names._asdict(),
        "words": names.words,
        "title": names.words.capitalize(),
        "noun_words": names.noun.replace("_", " "),
        "first_id": f"{first_id:_}",
        "scope": f"scope={owner.upper()}, " if owner else "",
        "key_parameter": f", {names.key}: int" if names.key else "",
        "owner_field": f"    {owner}_id: int\n" if owner else "",
        "owner_index": f'        many("{owner}", lambda row: row.{owner}_id),\n'
        f'        cascade("{owner}_id", "{"projects" if owner == "project" else "namespaces"}"),\n'
        if owner
        else "",
        "owner_import": "" if not owner else f"from fakeplat.model.{_MODULES[owner]} import {owner_class}\n",
        "owner_parameter": f", {owner}: {owner_class}" if owner else "",
        "owner_value": f", {owner}" if owner else "",
        "owner_argument": f"{owner}_id={owner}.id, " if owner else "",
        "owner_left_out": f', "{owner}_id"' if owner else ",",
        "of_owner": f" of a {owner}" if owner else "",
        "rows": f'world.{names.area}.where("{owner}", {owner}.id)' if owner else f"world.{names.area}.all()",
        "other_owner": f" or {names.noun}.{owner}_id != {owner}.id" if owner else "",
        "here": f" in {owner} {{{owner}.id}}" if owner else "",
        "section_owner": ", entry.owner" if owner else "",
        "section_container": ", container" if owner else "",
        "section_parent": f'"{owner}"' if owner else "SCENARIO",
        "unused_container": "" if owner else "del container",
    }


_MODULES: Final = {"project": "projects", "group": "namespaces"}


class Skeletons:
    """Writes what is missing of an operation."""

    def __init__(self, names: Names, root: Path = ROOT) -> None:
        self.names = names
        self.root = root
        self.written: list[str] = []
        world = (root / "fakeplat/model/world.py").read_text("utf-8")
        last = max(int(number.replace("_", "")) for number in _FIRST_ID.findall(world))
        self._values = values_of(names, (last // 100_000 + 1) * 100_000 + 1)

    def write(self) -> list[str]:
        """Write the parts and return their paths."""
        area = self.names.area
        if self._create(f"fakeplat/model/{area}.py", _MODEL):
            self._declare_table()
        self._create(f"fakeplat/domain/{area}/__init__.py", '"""$title."""\n')
        self._create(f"fakeplat/domain/{area}/{area}.py", _DOMAIN)
        self._create(f"fakeplat/entities/{area}.py", _VIEW)
        self._create(f"fakeplat/api/{area}.py", _API)
        self._append(f"fakeplat/api/{area}.py", _OPERATIONS[self.names.action], imports=_API_IMPORTS)
        if self._create(f"fakeplat/scenario/sections/{area}.py", _SECTION):
            self._register_section()
        self._create(f"tests/api/test_{area}.py", _TEST)
        self._append(f"tests/api/test_{area}.py", _TEST_FUNCTION)
        return list(dict.fromkeys(self.written))

    def _filled(self, template: str) -> str:
        return Template(template).substitute(self._values)

    def _create(self, path: str, template: str) -> bool:
        file = self.root / path
        if file.exists():
            return False
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(self._filled(template), "utf-8")
        self.written.append(path)
        return True

    def _append(self, path: str, template: str, imports: str = "") -> None:
        file = self.root / path
        text = file.read_text("utf-8") + self._filled(template)
        # ruff merges and sorts the imports and removes those that the operation does not need.
        first_import = re.search(r"^(?:from|import) ", text, re.MULTILINE)
        if imports and first_import:
            text = text[: first_import.start()] + self._filled(imports) + text[first_import.start() :]
        file.write_text(text, "utf-8")
        self.written.append(path)

    def _replace(self, path: str, old: str, new: str) -> None:
        file = self.root / path
        text = file.read_text("utf-8")
        if old not in text:
            raise SystemExit(f"{path} has changed its form: {old!r} is not there; add the part by hand")
        file.write_text(text.replace(old, new, 1), "utf-8")
        self.written.append(path)

    def _declare_table(self) -> None:
        end = "\n    @classmethod\n    def table_name("
        self._replace("fakeplat/model/world.py", end, self._filled(_TABLE) + end)
        import_ = "from fakeplat.model.access_requests"
        self._replace(
            "fakeplat/model/world.py", import_, self._filled("from fakeplat.model.$area import $record\n") + import_
        )

    def _register_section(self) -> None:
        path = "fakeplat/scenario/sections/__init__.py"
        self._replace(
            path,
            "from fakeplat.scenario.sections import (\n",
            self._filled("from fakeplat.scenario.sections import (\n    $area,\n"),
        )
        self._replace(path, "    generate,\n):", self._filled("    $area,\n    generate,\n):"))


def main() -> None:
    """Write the skeletons of the operation that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("method")
    parser.add_argument("path")
    parser.add_argument("--record", default="", help="the record's class, if not the path's noun (BroadcastMessage)")
    arguments = parser.parse_args()
    names = names_of(arguments.method.upper(), arguments.path, arguments.record)
    written = Skeletons(names).write()
    python_files = [path for path in written if path.endswith(".py")]
    for command in (["check", "--fix", "--quiet", "--select", "I,F401"], ["format", "--quiet"]):
        subprocess.run([sys.executable, "-m", "ruff", *command, *python_files], cwd=ROOT, check=False)
    print(f"{names.operation}:", *written, sep="\n  ")
    print(
        "Fill in what is marked, then: make test ARGS='-k architecture or role or", f"{names.area}'", "&& make generate"
    )


if __name__ == "__main__":
    main()
