"""Attributes of paths in ``.gitattributes``."""

import pytest

from fakeplat.git.attributes import find_attributes
from fakeplat.git.objects import EMPTY_TREE, Objects
from fakeplat.git.tree_editing import Create, apply_actions

NAMES = ("gitlab-generated", "linguist-generated")


def write_tree(objects: Objects, files: dict[str, str]) -> str:
    return apply_actions(objects, EMPTY_TREE, [Create(path, content.encode()) for path, content in files.items()])


@pytest.mark.parametrize(
    ("content", "path", "expected"),
    [
        ("*.txt gitlab-generated", "docs/a.txt", {"gitlab-generated": "set"}),
        ("*.txt -gitlab-generated", "a.txt", {"gitlab-generated": "unset"}),
        ("*.txt gitlab-generated=true", "a.txt", {"gitlab-generated": "true"}),
        ("*.txt text", "a.txt", {}),
        ("# *.txt gitlab-generated", "a.txt", {}),
        ("docs/** gitlab-generated", "docs/deep/a.md", {"gitlab-generated": "set"}),
        ("docs/* gitlab-generated", "docs/deep/a.md", {}),
        ("/a.txt gitlab-generated", "docs/a.txt", {}),
        ("**/a.txt gitlab-generated", "docs/deep/a.txt", {"gitlab-generated": "set"}),
        ("a.tx? gitlab-generated", "a.txt", {"gitlab-generated": "set"}),
        ("[!b].txt gitlab-generated", "a.txt", {"gitlab-generated": "set"}),
        ('"a b.txt" gitlab-generated', "a b.txt", {"gitlab-generated": "set"}),
        ("*.txt gitlab-generated\n*.txt !gitlab-generated", "a.txt", {}),
        (
            "*.txt gitlab-generated\na.txt -gitlab-generated linguist-generated",
            "a.txt",
            {"gitlab-generated": "unset", "linguist-generated": "set"},
        ),
    ],
)
def test_attributes_of_a_path(content: str, path: str, expected: dict[str, str]) -> None:
    """The last line that matches a path decides about its attributes."""
    objects = Objects()
    tree = write_tree(objects, {".gitattributes": content})

    assert expected == find_attributes(objects, tree, path, NAMES)


def test_files_of_deeper_folders_decide() -> None:
    """The file in the folder of a path decides before the one in the root; its patterns begin in its folder."""
    objects = Objects()
    tree = write_tree(
        objects, {".gitattributes": "*.md gitlab-generated", "docs/.gitattributes": "/a.md -gitlab-generated"}
    )

    seen = [find_attributes(objects, tree, path, NAMES) for path in ("docs/a.md", "docs/b.md", "a.md")]
    assert [{"gitlab-generated": value} for value in ("unset", "set", "set")] == seen
