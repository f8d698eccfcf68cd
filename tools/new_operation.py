"""Write the skeletons of an operation: `python tools/new_operation.py POST /projects/:id/releases`.

The operation's name comes from fakeplat/releases/unbuilt/operations.csv, whose row is removed, everything else from its
path. What a skeleton cannot know is marked with ``FILL IN``, and `make test` fails by name until no mark is left.
Source: docs/adding-an-operation.md.
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
_SKELETONS: Final = Path(__file__).parent / "skeletons"
PREFIX: Final = "/api/v4"
_CONTAINERS: Final = {"projects/:id": "project", "groups/:id": "group"}
_MODULES: Final = {"project": "projects", "group": "namespaces"}
_ACTIONS: Final = ("list", "get", "create", "update", "delete")
_TABLE: Final = "fakeplat/releases/unbuilt/operations.csv"
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
    since: str = ""
    until: str = ""
    tier: str = ""

    @property
    def words(self) -> str:
        """Return the area in words: ``broadcast messages``."""
        return self.area.replace("_", " ")

    @property
    def action(self) -> str:
        """Return list, get, create, update or delete; or custom."""
        verb = self.operation.split("_")[0]
        return verb if verb in _ACTIONS else "custom"


def names_of(method: str, path: str, record: str = "") -> Names:
    """Look an operation up in the table of unbuilt operations. SystemExit if the platform has none there."""
    path = PREFIX + "/" + path.removeprefix(PREFIX).strip("/")
    with (ROOT / _TABLE).open(encoding="utf-8", newline="") as table:
        row = next((row for row in csv.DictReader(table) if (row["method"], row["path"]) == (method, path)), None)
    if row is None:
        raise SystemExit(f"{method} {path} is not in {_TABLE}")
    inner = path.removeprefix(f"{PREFIX}/")
    prefix = next((prefix for prefix in _CONTAINERS if inner.startswith(f"{prefix}/")), "")
    tail = inner.removeprefix(prefix).strip("/")
    area = tail.split("/")[0]
    noun = re.sub(r"(?<=[^s])s$", "", re.sub(r"ies$", "y", area))
    key = next((part[1:] for part in tail.split("/") if part.startswith(":")), "")
    title = record or "".join(word.capitalize() for word in noun.split("_"))
    container, limits = _CONTAINERS.get(prefix, ""), (row["since"], row["until"], row["tier"])
    return Names(row["name"], method, tail, area, noun, title, container, key, *limits)


def remove_row(name: str) -> None:
    """Remove an operation from the table of unbuilt operations."""
    text = (ROOT / _TABLE).read_text("utf-8")
    (ROOT / _TABLE).write_text(re.sub(rf"^{name},.*\n", "", text, flags=re.MULTILINE), "utf-8")


def module_of(root: Path, layer: str, area: str, new: str) -> str:
    """Return the path of an area's module in a layer, wherever its package is; ``new`` if there is none yet."""
    module = next(iter(sorted((root / layer).rglob(f"{area}.py"))), None)
    return new if module is None else module.relative_to(root).as_posix()


def values_of(names: Names, first_id: int) -> dict[str, str]:
    """Return what stands for the placeholders of the skeletons."""
    owner = names.container
    owner_class = owner.capitalize()
    limits = {"since": names.since, "until": names.until, "tier": names.tier}
    return {
        **names._asdict(),
        "words": names.words,
        "title": names.words.capitalize(),
        "noun_words": names.noun.replace("_", " "),
        "first_id": f"{first_id:_}",
        "limits": "".join(f', {option}="{value}"' for option, value in limits.items() if value),
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
        "of_owner": f" of a {owner}" if owner else "",
        "rows": f'world.{names.area}.where("{owner}", {owner}.id)' if owner else f"world.{names.area}.all()",
        "other_owner": f" or {names.noun}.{owner}_id != {owner}.id" if owner else "",
        "here": f" in {owner} {{{owner}.id}}" if owner else "",
        "section_parent": f'"{owner}"' if owner else "SCENARIO",
    }


class Skeletons:
    """Writes what is missing of an operation."""

    def __init__(self, names: Names, root: Path = ROOT) -> None:
        self.names = names
        self.root = root
        self.written: list[str] = []
        world = (root / "fakeplat/model/world.py").read_text("utf-8")
        last = max(int(number.replace("_", "")) for number in _FIRST_ID.findall(world))
        area = names.area
        self._api = module_of(root, "fakeplat/api", area, f"fakeplat/api/{area}.py")
        self._domain = module_of(root, "fakeplat/domain", area, f"fakeplat/domain/{area}/{area}.py")
        self._view = module_of(root, "fakeplat/entities", area, f"fakeplat/entities/{area}.py")
        self._section = module_of(root, "fakeplat/scenario/sections", area, f"fakeplat/scenario/sections/{area}.py")
        self._values = {
            **values_of(names, (last // 100_000 + 1) * 100_000 + 1),
            "domain_package": self._domain.rpartition("/")[0].replace("/", "."),
            "view_module": self._view.removesuffix(".py").replace("/", "."),
        }

    def write(self) -> list[str]:
        """Write the parts and return their paths."""
        area = self.names.area
        if self._create(f"fakeplat/model/{area}.py", "model"):
            self._declare_table()
        self._create(self._domain.replace(f"{area}.py", "__init__.py"), "package")
        self._create(self._domain, "domain")
        self._create(self._view, "view")
        self._create(self._api, "api")
        self._append(self._api, f"operations/{self.names.action}", imports="api_imports")
        self._create(self._section, "section")
        self._create(f"tests/api/test_{area}.py", "test")
        self._append(f"tests/api/test_{area}.py", "test_function")
        return list(dict.fromkeys(self.written))

    def _fill(self, skeleton: str) -> str:
        return Template((_SKELETONS / f"{skeleton}.txt").read_text("utf-8")).substitute(self._values)

    def _create(self, path: str, skeleton: str) -> bool:
        file = self.root / path
        if file.exists():
            return False
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(self._fill(skeleton), "utf-8")
        self.written.append(path)
        return True

    def _append(self, path: str, skeleton: str, imports: str = "") -> None:
        file = self.root / path
        text = file.read_text("utf-8") + self._fill(skeleton)
        # ruff merges and sorts the imports and removes those that the operation does not need.
        first_import = re.search(r"^(?:from|import) ", text, re.MULTILINE)
        if imports and first_import:
            text = text[: first_import.start()] + self._fill(imports) + text[first_import.start() :]
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
        end = "\n    @staticmethod\n    def table_name("
        self._replace("fakeplat/model/world.py", end, self._fill("table") + end)
        import_ = "    from fakeplat.model.people"
        self._replace(
            "fakeplat/model/world.py",
            import_,
            f"    from fakeplat.model.{self.names.area} import {self.names.record}\n" + import_,
        )


def main() -> None:
    """Write the skeletons of the operation that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("method")
    parser.add_argument("path")
    parser.add_argument("--record", default="", help="the record's class, if not the path's noun (BroadcastMessage)")
    arguments = parser.parse_args()
    names = names_of(arguments.method.upper(), arguments.path, arguments.record)
    written = Skeletons(names).write()
    remove_row(names.operation)
    python_files = [path for path in written if path.endswith(".py")]
    for command in (["check", "--fix", "--quiet", "--select", "I,F401"], ["format", "--quiet"]):
        subprocess.run([sys.executable, "-m", "ruff", *command, *python_files], cwd=ROOT, check=False)
    print(f"{names.operation}:", *written, _TABLE, sep="\n  ")
    selection = f"architecture or policy or role or orphans or each_caller or {names.area}"
    print("Describe the keys of the scenario in fakeplat/scenario/descriptions.toml.")
    print(f"""Fill in what is marked, then: make test ARGS="-k '{selection}'" && make generate""")


if __name__ == "__main__":
    main()
