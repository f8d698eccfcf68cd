"""Operations: how they are declared, found, refused, paged and shown."""
