"""A disk that is full for one process: no file that it writes can grow. Needs no disk of its own, and no root."""
import contextlib
import resource


@contextlib.contextmanager
def full_disk(pid):
    """Every write to a file fails meanwhile. The process may end because of it."""
    _, most = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, most))
    try:
        yield
    finally:
        with contextlib.suppress(ProcessLookupError):
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (most, most))
