"""Makes room for connections: each is an open file, and the usual limit is 1,024."""

import sys

from runner.errors import UsageError

RESERVED = 128
"""Files beside connections: the database, its journal, libraries, standard streams."""


def raise_open_files(connections: int) -> int:
    """Raise the soft limit on open files to what is needed; gives the limit in force.

    Raises UsageError with the way out where the hard limit is too low.
    """
    if sys.platform == "win32":  # pragma: no cover  sockets are not files there
        return connections + RESERVED
    # POSIX only, hence not at the top.
    import resource  # noqa: PLC0415

    needed = connections + RESERVED
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft >= needed or soft == resource.RLIM_INFINITY:
        return soft
    if needed > hard != resource.RLIM_INFINITY:
        raise UsageError(
            f"concurrency = {connections} needs {needed} open files and this system allows {hard}; "
            f"lower it, or raise the limit: ulimit -Hn {needed}"
        )
    resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))
    return needed
