"""Keeps pandas out of processes that have no use for it.

DuckDB imports pandas with the first parameter of a query, pyarrow with the first array, altair with
the first chart, wherever it happens to be installed: 60 MB and a second or more, to ask whether a
value is one of its own. Notebooks, where values may be, are left as they are.
"""

import sys


class _NoPandas:
    """Says that pandas is not installed, and leaves all else to the finders behind it."""

    def find_spec(self, fullname: str, *_: object) -> None:
        """No pandas; for anything else, nothing to say."""
        if fullname == "pandas":
            raise ModuleNotFoundError(fullname, name=fullname)


def leave_out_pandas() -> None:
    """From now on this process finds no pandas."""
    sys.meta_path.insert(0, _NoPandas())
