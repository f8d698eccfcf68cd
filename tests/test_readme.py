"""The examples of the README and of the pages for users are true."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = ROOT.joinpath("README.md").read_text("utf-8")
CI = ROOT.joinpath("docs/ci.md").read_text("utf-8")
ACCOUNTS = ROOT.joinpath("docs/accounts.md").read_text("utf-8")
OUTSIDE_PYTEST = ROOT.joinpath("docs/outside-pytest.md").read_text("utf-8")
HOOKS = ROOT.joinpath("docs/hooks.md").read_text("utf-8")


def blocks(language: str, text: str = README) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


@pytest.mark.parametrize(
    "text", [README, CI, ACCOUNTS, HOOKS, OUTSIDE_PYTEST], ids=["README", "CI", "accounts", "hooks", "outside"]
)
def test_the_python_examples_are_tests_that_pass(pytester: pytest.Pytester, text: str) -> None:
    """As they stand, in a session of their own."""
    examples = blocks("python", text)
    pytester.makepyfile(*examples)
    pytester.runpytest_subprocess("-p", "no:cacheprovider", "-p", "no:asyncio", "-p", "no:aiohttp").assert_outcomes(
        passed=sum(example.count("def test_") for example in examples)
    )


def test_the_scenario_example_is_fine(pytester: pytest.Pytester) -> None:
    """It loads, and says what it seems to say."""
    path = pytester.path / "shop.yaml"
    path.write_text(blocks("yaml")[0], "utf-8")
    pytester.makepyfile(
        """
        import pytest
        @pytest.mark.fakeplat(scenario="shop.yaml")
        def test_it(fakeplat):
            assert fakeplat.as_user("release-bot").get("projects/shop%2Ftill").json()["visibility"] == "internal"
        """
    )
    pytester.runpytest_subprocess("-p", "no:cacheprovider", "-p", "no:asyncio", "-p", "no:aiohttp").assert_outcomes(
        passed=1
    )


def test_the_commands_name_targets_and_routes_that_exist() -> None:
    """Each make target, each subcommand and each control route in the console examples."""
    from fakeplat.cli import main
    from fakeplat.http.control import dispatch as control  # noqa: F401  # declares the routes
    from fakeplat.http.control.declaration import ROUTES

    console = "\n".join(blocks("console"))
    makefile = ROOT.joinpath("Makefile").read_text("utf-8")
    assert all(f"\n{target}:" in makefile for target in re.findall(r"\$ make (\w+)", console))
    assert set(re.findall(r"\$ fakeplat (\w+)", console)) <= set(main.commands or main.list_commands(None))  # type: ignore[arg-type]
    routes = {route.path for route in ROUTES}
    assert set(re.findall(r"(/_fakeplat/\w+)", console)) <= routes
