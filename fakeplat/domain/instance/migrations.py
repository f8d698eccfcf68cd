"""Migrations of the instance's databases, which scenarios declare. Source: docs/platform/version-and-metadata.md."""

from collections.abc import Sequence
from typing import Final, Required, TypedDict, Unpack

from fakeplat.core.operations.errors import NotFound, RecordNotFound, Unprocessable
from fakeplat.model.instance import BatchedMigration, Database, MigrationStatus, SchemaMigration
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

_MOST_LISTED: Final = 20


class NewBatchedMigration(TypedDict, total=False):
    """The fields of a new batched migration."""

    job_class_name: Required[str]
    table_name: Required[str]
    created_at: Required[str]
    status: MigrationStatus
    progress: float
    estimated_time_remaining: str | None
    database: Database


class NewSchemaMigration(TypedDict, total=False):
    """The fields of a new migration of the schema."""

    version: Required[int]
    pending: bool
    database: Database


def add_batched(ctx: WriteContext, **fields: Unpack[NewBatchedMigration]) -> BatchedMigration:
    """Add a batched migration."""
    table = ctx.world.batched_migrations
    return table.add(BatchedMigration(id=table.next_id(), **fields))


def add_schema(ctx: WriteContext, **fields: Unpack[NewSchemaMigration]) -> SchemaMigration:
    """Add a migration of the schema."""
    table = ctx.world.schema_migrations
    return table.add(SchemaMigration(id=table.next_id(), **fields))


def list_batched(world: World, database: Database) -> Sequence[BatchedMigration]:
    """Return the last twenty batched migrations of a database, the newest first."""
    found = [migration for migration in world.batched_migrations.all() if migration.database == database]
    newest_first = sorted(found, key=lambda migration: (migration.created_at, migration.id), reverse=True)
    return newest_first[:_MOST_LISTED]


def get_batched(world: World, id_: int, database: Database) -> BatchedMigration:
    """Return the batched migration with an id, or refuse with 404."""
    migration = world.batched_migrations.get(id_)
    if migration is None or migration.database != database:
        raise RecordNotFound(reason=f"the database {database} has no batched migration {id_}")
    return migration


def set_status(
    ctx: WriteContext, migration: BatchedMigration, status: MigrationStatus, *, verb: str, only: MigrationStatus
) -> BatchedMigration:
    """Change the status of a batched migration, or refuse with 422 unless it has the one that is needed."""
    if migration.status != only:
        raise Unprocessable(
            f"You can {verb} only `{only}` batched background migrations.", reason=f"it is {migration.status}"
        )
    return ctx.world.batched_migrations.change(migration, status=status)


def mark(ctx: WriteContext, version: int, database: Database) -> None:
    """Mark a pending migration as done; 404 for an unknown one, 422 for one that is done."""
    migration = ctx.world.schema_migrations.find("version", (database, version))
    if migration is None:
        raise NotFound(reason=f"the database {database} has no migration {version}")
    if not migration.pending:
        raise Unprocessable("You can mark only pending migrations", reason=f"{version} is done")
    ctx.world.schema_migrations.change(migration, pending=False)
