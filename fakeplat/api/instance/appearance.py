"""The appearance of the instance, and its images."""

from typing import Annotated, Final

from fakeplat.api.pages import area as pages
from fakeplat.api.pages import serve_file
from fakeplat.core.operations.errors import NotFound
from fakeplat.core.operations.http_messages import RawBody
from fakeplat.core.operations.operation import Area, Login
from fakeplat.core.params.body import Upload
from fakeplat.core.params.params import Params
from fakeplat.core.release import Lifetime
from fakeplat.domain.instance import appearances
from fakeplat.entities.instance.administration import AppearanceView
from fakeplat.model.instance import IMAGES, Appearance
from fakeplat.policy.abilities import Ability
from fakeplat.policy.context import ReadContext, WriteContext

# The administrator is checked before the parameters.
area: Final = Area("Instance", login=Login.ALWAYS, located_first=True)


@area.operation("GET", "application/appearance", ability=Ability.ADMIN_APPEARANCE, view=AppearanceView)
def get_application_appearance(ctx: ReadContext) -> Appearance:
    """Get the appearance of the instance."""
    return appearances.get_appearance(ctx.world)


class UpdateAppearance(Params):
    """Texts, colours, and images, which are sent as files of a form."""

    title: str | None = None
    pwa_name: Annotated[str | None, Lifetime(since="<=16.5")] = None
    pwa_short_name: Annotated[str | None, Lifetime(since="<=16.5")] = None
    description: str | None = None
    pwa_description: Annotated[str | None, Lifetime(since="<=16.5")] = None
    logo: Upload | None = None
    pwa_icon: Annotated[Upload | None, Lifetime(since="<=16.5")] = None
    header_logo: Upload | None = None
    favicon: Upload | None = None
    new_project_guidelines: str | None = None
    member_guidelines: Annotated[str | None, Lifetime(since="<=18.0")] = None
    profile_image_guidelines: str | None = None
    header_message: str | None = None
    footer_message: str | None = None
    message_background_color: str | None = None
    message_font_color: str | None = None
    email_header_and_footer_enabled: bool | None = None


@area.operation(
    "PUT",
    "application/appearance",
    ability=Ability.ADMIN_APPEARANCE,
    params=UpdateAppearance,
    view=AppearanceView,
    refusals=(400,),
)
def update_application_appearance(ctx: WriteContext, p: UpdateAppearance) -> Appearance:
    """Update the appearance of the instance."""
    # Texts are never null.
    empty = {"email_header_and_footer_enabled": False, **dict.fromkeys(IMAGES)}
    return appearances.update(
        ctx, {name: empty.get(name, "") if value is None else value for name, value in p.given().items()}
    )


@pages.operation("GET", "uploads/-/system/appearance/:image/:id/:filename", ours=True, produces="*/*")
def get_appearance_image(ctx: ReadContext, image: str, id: int, filename: str) -> RawBody:
    """Download an image of the appearance."""
    file = ctx.world.files.find("place", ((appearances.KIND, id), image, filename))
    if file is None:
        raise NotFound(reason=f"the appearance has no {image} {filename!r}")
    return serve_file(file)
