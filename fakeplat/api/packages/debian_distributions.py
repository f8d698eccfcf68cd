"""Debian distributions of projects and groups. Source: docs/platform/packages.md."""

from collections.abc import Sequence
from typing import Annotated, Final

from fakeplat.api.packages.debian_access import CHANGED_DISTRIBUTIONS, DISTRIBUTIONS, Component, Distribution
from fakeplat.core.operations.content_disposition import content_disposition
from fakeplat.core.operations.http_messages import JSON, RawBody
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.operations.paging import Paged
from fakeplat.core.params.params import Check, CommaList, Params
from fakeplat.domain.packages import debian, debian_indexes
from fakeplat.domain.purging import purge
from fakeplat.entities.packages import DebianDistributionView
from fakeplat.model.packages import DebianDistribution
from fakeplat.model.projects import Container
from fakeplat.policy.abilities import Ability
from fakeplat.policy.behaviours import DEBIAN_DISTRIBUTIONS_WANT_HEADERS
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area(
    "Packages (Debian)", login=Login.NEVER, deploy_tokens=True, headers_only=DEBIAN_DISTRIBUTIONS_WANT_HEADERS
)
_LIST: Final = "debian_distributions"
_ONE: Final = f"{_LIST}/:codename"
_VERSION: Final = Check(lambda text: None if debian.VERSION.fullmatch(text) else "is invalid")
_ARCHITECTURE: Final = Check(lambda text: None if debian.ARCHITECTURE.fullmatch(text) else "is invalid")


class _Fields(Params):
    suite: Distribution | None = None
    origin: Distribution | None = None
    label: Distribution | None = None
    version: Annotated[str | None, _VERSION] = None
    description: str | None = None
    valid_time_duration_seconds: int | None = None
    components: CommaList[Component] | None = None
    architectures: CommaList[Annotated[str, _ARCHITECTURE]] | None = None


class CreateDebianDistribution(_Fields):
    """A new distribution."""

    codename: Distribution


@area.operation(
    "POST",
    _LIST,
    scope=CHANGED_DISTRIBUTIONS,
    name=("create_debian_distribution", "create_group_debian_distribution"),
    ability=Ability.CREATE_PACKAGE,
    params=CreateDebianDistribution,
    view=DebianDistributionView,
    job_token=True,
    refusals=(400, 404),
    since="14.0",
)
def create_debian_distribution(
    ctx: WriteContext, container: Container, p: CreateDebianDistribution
) -> DebianDistribution:
    """Create a distribution."""
    return debian.create_distribution(ctx, container, **p.given())


class ListDebianDistributions(Paged, _Fields):
    """Filters of distributions: only the codename and the suite select any."""

    codename: Distribution | None = None


@area.operation(
    "GET",
    _LIST,
    scope=DISTRIBUTIONS,
    name=("list_debian_distributions", "list_group_debian_distributions"),
    params=ListDebianDistributions,
    view=DebianDistributionView,
    many=True,
    job_token=True,
    refusals=(403, 404),
    since="14.0",
)
def list_debian_distributions(
    ctx: ReadContext, container: Container, p: ListDebianDistributions
) -> Sequence[DebianDistribution]:
    """List the distributions."""
    return [
        row
        for row in debian.list_distributions(ctx.world, container)
        if p.codename in (None, row.codename) and p.suite in (None, row.suite)
    ]


@area.operation(
    "GET",
    _ONE,
    scope=DISTRIBUTIONS,
    name=("get_debian_distribution", "get_group_debian_distribution"),
    view=DebianDistributionView,
    job_token=True,
    refusals=(400, 403, 404),
    since="14.0",
)
def get_debian_distribution(ctx: ReadContext, container: Container, codename: Distribution) -> DebianDistribution:
    """Get a distribution by its codename."""
    return debian.get_distribution(ctx.world, container, codename)


@area.operation(
    "GET",
    f"{_ONE}/key.asc",
    scope=DISTRIBUTIONS,
    name=("get_debian_distribution_key_asc", "get_group_debian_distribution_key_asc"),
    job_token=True,
    refusals=(400, 403, 404),
    since="14.4",
    produces="text/plain",
)
def get_debian_distribution_key_asc(ctx: ReadContext, container: Container, codename: Distribution) -> RawBody:
    """Get the public key that signs a distribution."""
    debian.get_distribution(ctx.world, container, codename)
    headers = (("Content-Disposition", content_disposition("attachment", f"{codename}.asc")),)
    return RawBody(debian_indexes.key_of(ctx.world).public_key().encode(), "text/plain", headers)


class UpdateDebianDistribution(_Fields):
    """Changes of a distribution. Components and architectures replace the former ones."""


@area.operation(
    "PUT",
    _ONE,
    scope=CHANGED_DISTRIBUTIONS,
    name=("update_debian_distribution", "update_group_debian_distribution"),
    ability=Ability.CREATE_PACKAGE,
    params=UpdateDebianDistribution,
    view=DebianDistributionView,
    job_token=True,
    refusals=(400, 404),
    since="14.0",
)
def update_debian_distribution(
    ctx: WriteContext, container: Container, codename: Distribution, p: UpdateDebianDistribution
) -> DebianDistribution:
    """Update a distribution."""
    row = debian.get_distribution(ctx.world, container, codename)
    return debian.update_distribution(ctx, container, row, **p.given())


@area.operation(
    "DELETE",
    _ONE,
    scope=CHANGED_DISTRIBUTIONS,
    name=("delete_debian_distribution", "delete_group_debian_distribution"),
    ability=Ability.DESTROY_PACKAGE,
    status=202,
    job_token=True,
    refusals=(400, 404),
    since="14.0",
)
def delete_debian_distribution(ctx: WriteContext, container: Container, codename: Distribution) -> RawBody:
    """Delete a distribution. Its packages stay, in none."""
    purge(ctx, debian.get_distribution(ctx.world, container, codename))
    return RawBody(b'{"message":"202 Accepted"}', JSON, status=202)
