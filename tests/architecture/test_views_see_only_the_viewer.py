import ast

from tests.architecture.sources import package_modules

UNNOTED = {"_user", "actor", "request", "token", "user", "viewer_key"}
"""What of a context tells who asks without saying that the answer depends on it."""


def test_views_learn_who_looks_from_the_viewer_alone() -> None:
    """No view reads the request or the credentials directly, because its result is cached for all viewers."""
    unnoted = [
        f"{module.filename}:{node.lineno} {ast.unparse(node)}"
        for module in package_modules()
        if module.name.startswith("fakeplat.entities")
        for node in module.nodes
        if isinstance(node, ast.Attribute) and node.attr in UNNOTED and ast.unparse(node.value).endswith("cx")
    ]

    assert [] == unnoted
