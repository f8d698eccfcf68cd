"""Documents that users or tools write: one declaration of a shape gives JSON Schema, reader and error messages."""
