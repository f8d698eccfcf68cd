"""The checks of a configuration: keywords, types and values, with the platform's messages."""
