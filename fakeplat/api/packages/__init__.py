"""Operations of packages, and the protocols of package managers."""
