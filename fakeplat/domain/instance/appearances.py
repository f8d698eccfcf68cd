"""The appearance of the instance: texts, colours and images."""

from collections.abc import Mapping
from typing import Any, Final

from fakeplat.core.params.body import Upload
from fakeplat.domain import uploads
from fakeplat.domain.planning.colors import is_hex_color
from fakeplat.domain.purging import purge
from fakeplat.domain.validation import ValidationErrors, too_long
from fakeplat.model.instance import IMAGES, Appearance
from fakeplat.model.world import World
from fakeplat.policy.context import WriteContext

KIND: Final = "appearance"
_MOST_BYTES: Final = 1024 * 1024
_LONGEST: Final[Mapping[str, int]] = {
    "pwa_name": 255,
    "pwa_short_name": 255,
    "pwa_description": 2048,
    "member_guidelines": 4096,
    "profile_image_guidelines": 4096,
}
"""The longest texts, in characters."""
_TYPES: Final[Mapping[str, tuple[str, ...]]] = {"favicon": ("png", "ico")}
_COLORS: Final = ("message_background_color", "message_font_color")


def get_appearance(world: World) -> Appearance:
    """Return the appearance; the default one if nothing was changed."""
    return next(iter(world.appearances.all()), Appearance())


def update(ctx: WriteContext, values: Mapping[str, Any]) -> Appearance:
    """Change texts, colours and images. InvalidRecord if a value is not valid."""
    _validate(values)
    table = ctx.world.appearances
    appearance = get_appearance(ctx.world)
    if not appearance.id:
        appearance = table.add(Appearance(table.next_id()))
    images = {name: _replace_image(ctx, appearance, name, values[name]) for name in IMAGES if name in values}
    texts = {name: value for name, value in values.items() if name not in IMAGES}
    return table.change(appearance, **texts, **images)


def _validate(values: Mapping[str, Any]) -> None:
    errors = ValidationErrors()
    for name in _COLORS:
        errors.when(values.get(name) and not is_hex_color(values[name]), name, "must be a valid color code")
    for name, longest in _LONGEST.items():
        too_long(errors, name, values.get(name), longest)
    for name in IMAGES:
        if isinstance(values.get(name), Upload):
            _check_image(errors, name, values[name])
    errors.refuse()


def _check_image(errors: ValidationErrors, name: str, image: Upload) -> None:
    extension = image.filename.rpartition(".")[2].lower()
    allowed = _TYPES.get(name)
    if allowed and extension not in allowed:
        names = ", ".join(allowed)
        errors.add(name, f'You are not allowed to upload "{extension}" files, allowed types: {names}')
    errors.when(name != "favicon" and len(image.data) > _MOST_BYTES, name, "is too big (should be at most 1 MB)")


def _replace_image(ctx: WriteContext, appearance: Appearance, name: str, image: Upload | None) -> int | None:
    owner = (KIND, appearance.id)
    purge(ctx, *(file for file in ctx.world.files.where("owner", owner) if file.secret == name))
    return uploads.store_file(ctx, owner, image, name).id if image is not None else None
