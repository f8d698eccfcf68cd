"""Views of what was bought for namespaces. Source: docs/platform/namespaces.md ('Purchases')."""

from fakeplat.core.operations.entity import Entity, attr, computed
from fakeplat.domain.people import purchases
from fakeplat.model.people import AddOnPurchase, MinutesPack, StorageLimitExclusion


class MinutesPackView(Entity[MinutesPack]):
    """Minutes of jobs."""

    namespace_id = attr()
    expires_at = attr()
    number_of_minutes = attr()
    purchase_xid = attr()


class StorageLimitExclusionView(Entity[StorageLimitExclusion]):
    """Why the storage of a namespace is not limited."""

    id = attr()
    namespace_id = attr()

    @computed
    def namespace_name(self) -> str:
        name: str = self.ctx.world.namespaces[self.record.namespace_id].name
        return name

    reason = attr()


class AddOnPurchaseView(Entity[AddOnPurchase]):
    """An add-on."""

    namespace_id = attr()

    @computed
    def namespace_name(self) -> str:
        name: str = self.ctx.world.namespaces[self.record.namespace_id].name
        return name

    @computed
    def add_on(self) -> str:
        return purchases.title_of(self.record.name)

    quantity = attr()
    started_on = attr()
    expires_on = attr()
    purchase_xid = attr()
    trial = attr()
