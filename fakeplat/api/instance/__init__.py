"""Operations of the instance's administration."""
