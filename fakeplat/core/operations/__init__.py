"""Operations: declaration, routing, errors, pagination and rendering."""
