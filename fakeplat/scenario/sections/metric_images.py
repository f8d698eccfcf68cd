"""Images of metrics, under ``metric_images`` of an incident or of a received alert."""

from collections.abc import Sequence
from typing import Final

from fakeplat.core.schema.shapes import BASE64, DATE_TIME, NULLABLE_TEXT, TEXT
from fakeplat.core.store.references import Subject
from fakeplat.domain.alerts import metric_images
from fakeplat.model.alerts import Alert, MetricImage
from fakeplat.model.issues import Issue
from fakeplat.model.world import World
from fakeplat.scenario.entry import Entry
from fakeplat.scenario.record_sections import derive_section
from fakeplat.scenario.section import ALERTS, EntryData
from fakeplat.scenario.sections import serialization
from fakeplat.scenario.sections.people import avatars

_CAPTIONS: Final = ("url", "url_text")
_TIMES: Final = ("created_at", "updated_at")


def _subject_of(owner: Issue | Alert) -> Subject:
    return (metric_images.ISSUE if isinstance(owner, Issue) else metric_images.ALERT, owner.id)


def _create(entry: Entry) -> MetricImage:
    values = entry.values
    content = values["content"].encode() if "content" in values else values["content_base64"]
    upload = avatars.parse_upload({**values, "content_base64": content})
    image = metric_images.add(entry.ctx, _subject_of(entry.owner), upload, **entry.select(_CAPTIONS))
    times = {"created_at": entry.created_at, "updated_at": entry.created_at, **entry.select(_TIMES)}
    return entry.world.metric_images.change(image, **times)


def _list_images(world: World, owner: Issue | Alert) -> Sequence[MetricImage]:
    return metric_images.list_images(world, _subject_of(owner))


def _serialize(world: World, image: MetricImage) -> EntryData:
    captions = {name: value for name in _CAPTIONS if (value := getattr(image, name)) is not None}
    times = {"created_at": image.created_at}
    changed = {} if image.updated_at == image.created_at else {"updated_at": image.updated_at}
    return {**serialization.serialize_file(world.files[image.file_id]), **captions, **times, **changed}


SECTION: Final = derive_section(
    "metric_images",
    MetricImage,
    within=("issue", "alert"),
    rank=ALERTS,
    keys={
        "filename": TEXT,
        "content_type": TEXT,
        "content": TEXT,
        "content_base64": BASE64,
        "url": NULLABLE_TEXT,
        "url_text": NULLABLE_TEXT,
        "created_at": DATE_TIME,
        "updated_at": DATE_TIME,
    },
    required=("filename",),
    one_of=("content", "content_base64"),
    create=_create,
    rows=_list_images,
    serialize=_serialize,
)
