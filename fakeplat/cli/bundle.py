"""`fakeplat bundle`: replay the bundles of failed tests."""

from pathlib import Path

import click

from fakeplat.cli.options import UsageError
from fakeplat.scenario import ScenarioError
from fakeplat.workbench.keywords import InvalidOption
from fakeplat.workbench.tokens import TokenNotCreatable


@click.group()
def bundle() -> None:
    """Work with the bundles of failed tests."""


@bundle.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.pass_context
def run(ctx: click.Context, file: Path) -> None:
    """Replay a bundle in a new world and print its requests; status 1 if a response differs."""
    from fakeplat.harness.bundle import InvalidBundle, play_bundle, read_bundle
    from fakeplat.harness.harness import Harness

    harness = Harness()
    try:
        test_bundle = read_bundle(file)
        fake = harness.start(test_bundle.options)
        report = harness.run(play_bundle(test_bundle, fake, str(file)))
    except InvalidBundle as error:
        raise UsageError(str(error)) from None
    except (ScenarioError, InvalidOption, TokenNotCreatable) as error:
        raise UsageError(f"{file}: {error}") from None
    finally:
        harness.close()
    click.echo(f"{test_bundle.test}\n{fake.requests!r}")
    click.echo("\n".join(report.lines()))
    ctx.exit(1 if report.drifts else 0)
