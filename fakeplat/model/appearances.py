"""The appearance of an instance: its texts, colours and images."""

from typing import Final

from fakeplat.core.store.frozen import frozen

IMAGES: Final = ("logo", "header_logo", "favicon")


@frozen
class Appearance:
    """What administrators changed of the appearance; there is at most one. Images are ids of files."""

    id: int = 0
    title: str = ""
    description: str = ""
    logo: int | None = None
    header_logo: int | None = None
    favicon: int | None = None
    new_project_guidelines: str = ""
    profile_image_guidelines: str = ""
    header_message: str = ""
    footer_message: str = ""
    message_background_color: str = "#E75E40"
    message_font_color: str = "#FFFFFF"
    email_header_and_footer_enabled: bool = False
