"""Migrations of the instance's databases. Source: docs/platform/version-and-metadata.md."""

from collections.abc import Sequence
from typing import Any, Final

from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.params import Params
from fakeplat.domain.instance import migrations
from fakeplat.entities.instance.administration import BatchedMigrationView
from fakeplat.model.instance import BatchedMigration, Database
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext

area: Final = Area("Background work", login=Login.ALWAYS)
_BATCHED: Final = "admin/batched_background_migrations"


class InDatabase(Params):
    """The database that has the migration."""

    database: Database = "main"


@area.operation(
    "GET",
    _BATCHED,
    ability=Ability.ADMIN_DATABASE,
    params=InDatabase,
    view=BatchedMigrationView,
    many=True,
    paging=None,
    since="15.4",
)
def list_admin_batched_background_migrations(ctx: ReadContext, p: InDatabase) -> Sequence[BatchedMigration]:
    """List the last twenty batched migrations."""
    return migrations.list_batched(ctx.world, p.database)


@area.operation(
    "GET",
    f"{_BATCHED}/:id",
    ability=Ability.ADMIN_DATABASE,
    params=InDatabase,
    view=BatchedMigrationView,
    refusals=(404,),
    since="15.4",
)
def get_admin_batched_background_migration(ctx: ReadContext, id: int, p: InDatabase) -> BatchedMigration:
    """Get a batched migration."""
    return migrations.get_batched(ctx.world, id, p.database)


@area.operation(
    "PUT",
    f"{_BATCHED}/:id/resume",
    ability=Ability.ADMIN_DATABASE,
    params=InDatabase,
    view=BatchedMigrationView,
    refusals=(404, 422),
    since="15.4",
)
def resume_admin_batched_background_migration(ctx: WriteContext, id: int, p: InDatabase) -> BatchedMigration:
    """Start a paused batched migration again."""
    migration = migrations.get_batched(ctx.world, id, p.database)
    return migrations.set_status(ctx, migration, "active", verb="resume", only="paused")


@area.operation(
    "PUT",
    f"{_BATCHED}/:id/pause",
    ability=Ability.ADMIN_DATABASE,
    params=InDatabase,
    view=BatchedMigrationView,
    refusals=(404, 422),
    since="15.4",
)
def pause_admin_batched_background_migration(ctx: WriteContext, id: int, p: InDatabase) -> BatchedMigration:
    """Stop an active batched migration until it is resumed."""
    migration = migrations.get_batched(ctx.world, id, p.database)
    return migrations.set_status(ctx, migration, "paused", verb="pause", only="active")


@area.operation(
    "POST",
    "admin/migrations/:timestamp/mark",
    ability=Ability.ADMIN_DATABASE,
    params=InDatabase,
    refusals=(404, 422),
    since="16.2",
)
def mark_admin_migration(ctx: WriteContext, timestamp: int, p: InDatabase) -> dict[str, Any]:
    """Mark a pending migration as done, so that the next update leaves it out."""
    migrations.mark(ctx, timestamp, p.database)
    return {"message": "201 Created"}
