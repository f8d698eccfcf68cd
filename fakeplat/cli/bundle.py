"""`fakeplat bundle`: replay the bundles of failed tests."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fakeplat.cli.options import UsageError
from fakeplat.scenario import ScenarioError
from fakeplat.workbench.keywords import InvalidOption
from fakeplat.workbench.tokens import TokenNotCreatable

if TYPE_CHECKING:
    from fakeplat.harness.bundle import Bundle
    from fakeplat.harness.fake import Fakeplat
    from fakeplat.harness.trace import StateRecorder
    from fakeplat.tape.verify.drift import Report


@click.group()
def bundle() -> None:
    """Work with the bundles of failed tests."""


@bundle.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.pass_context
def run(ctx: click.Context, file: Path) -> None:
    """Replay a bundle in a new world and print its requests; status 1 if a response differs."""
    with _playing(file) as (test_bundle, fake, report, _):
        click.echo(f"{test_bundle.test}\n{fake.requests!r}")
        click.echo("\n".join(report.lines()))
    ctx.exit(1 if report.drifts else 0)


@bundle.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--html", "page", type=click.Path(path_type=Path), metavar="FILE", help="Write them as an HTML page.")
def show(file: Path, page: Path | None) -> None:
    """Replay a bundle in a new world and show what happened: its requests, or all of it as a page."""
    from fakeplat.harness.trace import check_trace_extra, render_trace

    with _playing(file) as (test_bundle, fake, _, recorder):
        if page is None:
            click.echo(f"{test_bundle.test}\n{fake.requests!r}")
            return
        try:
            check_trace_extra()
            page.write_text(render_trace(fake, [*fake.requests], recorder, test_bundle.test), "utf-8")
        except InvalidOption as error:
            raise UsageError(str(error)) from None
        except OSError as error:
            raise UsageError(f"{page}: {error.strerror}") from None


@contextmanager
def _playing(file: Path) -> "Iterator[tuple[Bundle, Fakeplat, Report, StateRecorder]]":
    """Replay a bundle, and yield it with its world, the differences, and the states of the world."""
    from fakeplat.harness.bundle import InvalidBundle, play_bundle, read_bundle
    from fakeplat.harness.harness import Harness
    from fakeplat.harness.trace import StateRecorder

    harness = Harness()
    try:
        test_bundle = read_bundle(file)
        fake = harness.start(test_bundle.options)
        recorder = StateRecorder(fake.bench.platform)
        fake.bench.platform.observers.append(recorder)
        report = harness.run(play_bundle(test_bundle, fake, str(file)))
        yield test_bundle, fake, report, recorder
    except InvalidBundle as error:
        raise UsageError(str(error)) from None
    except (ScenarioError, InvalidOption, TokenNotCreatable) as error:
        raise UsageError(f"{file}: {error}") from None
    finally:
        harness.close()
