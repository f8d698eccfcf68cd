"""Views of the instance's administration."""
