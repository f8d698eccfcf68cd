"""Migrations of the index of advanced search. Source: docs/platform/version-and-metadata.md."""

from typing import Any, Final

from fakeplat.core.operations.operation import Area, Login
from fakeplat.domain.instance import search_migrations
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext

area: Final = Area("Search", login=Login.ALWAYS, located_first=True)


@area.operation(
    "GET",
    "admin/search/migrations",
    ability=Ability.READ_INSTANCE,
    refusals=(400,),
    tier="premium",
    since="<=16.2",
)
def list_admin_search_migrations(ctx: ReadContext) -> list[dict[str, Any]]:
    """List the migrations of the index of advanced search."""
    search_migrations.check_indexing(ctx)
    return search_migrations.list_migrations(ctx.world)


@area.operation(
    "GET",
    "admin/search/migrations/:migration_id",
    ability=Ability.READ_INSTANCE,
    refusals=(400, 404),
    tier="premium",
    since="<=16.2",
)
def get_admin_search_migration(ctx: ReadContext, migration_id: str) -> dict[str, Any]:
    """Get a migration of the index of advanced search by its version or name."""
    search_migrations.check_indexing(ctx)
    return search_migrations.get_migration(ctx.world, migration_id)
