"""A database of tables alone, for tests that look at no view."""


def no_views(_: object) -> None:
    """Installs nothing."""
