"""Work that a Ctrl-C must not leave halfway."""

import _thread
import threading
from collections.abc import Callable


def uninterrupted(work: Callable[[], None]) -> None:
    """Do what must not be left halfway: Ctrl-C, which Python raises in the main thread, waits."""
    if threading.current_thread() is not threading.main_thread():
        work()
        return
    # Plain functions in C, as Python code that starts threads could itself be interrupted.
    claim, done = _thread.allocate_lock(), _thread.allocate_lock()
    ended: list[BaseException | None] = []

    def run() -> None:
        if claim.acquire(blocking=False):  # it may have been started twice
            try:
                work()
                ended.append(None)
            except BaseException as error:
                ended.append(error)
            finally:
                done.release()

    done.acquire()
    started, interrupted = False, None
    while not ended:
        try:
            if not started:
                _thread.start_new_thread(run, ())
                started = True
            done.acquire()
        except KeyboardInterrupt as error:
            interrupted = error
    if ended[0] is not None:
        raise ended[0]
    if interrupted is not None:
        raise interrupted
