"""The executor that is a Dask cluster: of this machine, or of many."""

from __future__ import annotations

import contextlib
import gc
import logging
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from gramarye.errors import MissingExtraError, SettingsError, WorkerError, WorkerLost, WorkerStartError
from gramarye.execution.calls import answer, pack, unpack
from gramarye.execution.capacity import cores
from gramarye.execution.guard import ask_for_guard, check_guard
from gramarye.execution.workers import check_count

if TYPE_CHECKING:
    from distributed import Client

P = ParamSpec("P")
Result = TypeVar("Result")

PATIENCE = 10.0  # seconds for a scheduler to answer, and to have a worker before the user is told


@contextlib.contextmanager
def dask_executor(
    address: str, workers: int | None = None, say: Callable[[str], object] = warnings.warn
) -> Iterator[Executor]:
    """The Dask cluster at `tcp://host:port`, or a new one of this machine: `local`, with as many worker processes.

    Where no worker has come yet, it waits and says so.
    """
    try:
        import dask
        from distributed import Client
        from distributed.utils import silence_logging_cmgr
    except ImportError as error:
        raise MissingExtraError("Dask", "dask") from error
    check_guard()
    with (
        silence_logging_cmgr(logging.CRITICAL),  # what matters comes back with the calls
        dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 TiB"}),  # a large state is no mistake
        _cluster(address, workers) as found,
        _connected(lambda: Client(found, timeout=PATIENCE), address, say) as client,
        DaskExecutor(client) as executor,
    ):
        yield executor


@contextlib.contextmanager
def _cluster(address: str, workers: int | None) -> Iterator[Any]:
    """What a client connects to: an address, or a cluster that ends afterwards."""
    if address != "local":
        if workers is not None:
            raise SettingsError(
                f"workers is {workers!r}: the cluster at {address} has its own number of workers; leave it out"
            )
        yield address
        return
    from distributed import LocalCluster

    count = cores() if workers is None else workers
    check_count(count)
    try:
        cluster = LocalCluster(
            n_workers=count,
            threads_per_worker=1,
            # No dashboard. Its server is there all the same: at a free port, or two clusters get in each other's way.
            scheduler_kwargs={"dashboard": False, "dashboard_address": "127.0.0.1:0"},
            memory_limit=0,  # or workers would pause, and be killed, at their share of the memory
            silence_logs=logging.CRITICAL,
        )
    except RuntimeError as error:  # told with many tracebacks
        raise WorkerStartError(f"no Dask worker can be started here ({error}); {ask_for_guard()}") from None
    with cluster:
        yield cluster


@contextlib.contextmanager
def _connected(connect: Callable[[], Client], address: str, say: Callable[[str], object]) -> Iterator[Client]:
    """The client, once there are workers."""
    failure = ""
    try:
        client = connect()
    except (OSError, ValueError) as error:
        failure = str(error) or repr(error)
    if failure:
        gc.collect()  # a client that failed stops its loop when it is collected, and must not while another one starts
        raise WorkerStartError(f"{address}: no Dask scheduler answers ({failure}); is it tcp://host:port?")
    with client:
        try:
            client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError:  # in a queue they may take hours
            say(f"{address}: the Dask scheduler has no workers yet; waiting for one (Ctrl-C gives up)")
            client.wait_for_workers(1)
        yield client


class DaskExecutor(Executor):
    """Calls on a Dask cluster; they and their answers travel as bytes that Dask does not look into."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._inner = client.get_executor(pure=False)  # pure: the same call twice would run once

    @property
    def _max_workers(self) -> int:
        """The threads of all workers; a cluster may grow and shrink."""
        return sum(self._client.nthreads().values())

    def submit(self, fn: Callable[P, Result], /, *args: P.args, **kwargs: P.kwargs) -> Future[Result]:
        future: Future[Result] = Future()
        try:
            packed = pack(fn, args, kwargs)
        except WorkerError as error:
            future.set_exception(error)
            return future
        theirs = self._inner.submit(answer, packed)
        future.add_done_callback(lambda ours: ours.cancelled() and theirs.cancel())
        theirs.add_done_callback(lambda theirs: _settle(future, theirs))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._inner.shutdown(wait=wait and not cancel_futures)  # without waiting, it cancels

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.shutdown(wait=kind is None)


def _settle(ours: Future[Any], theirs: Future[bytes]) -> None:
    """Hand over the outcome of Dask's future."""
    if not ours.set_running_or_notify_cancel():
        return
    try:
        ours.set_result(unpack(_received(theirs)))
    except BaseException as error:
        ours.set_exception(error.with_traceback(None))


def _received(theirs: Future[bytes]) -> bytes:
    from distributed import KilledWorker

    if theirs.cancelled():
        raise WorkerLost("Dask gave up the call: its scheduler is gone, or the executor was closed")
    error = theirs.exception()
    if isinstance(error, KilledWorker):
        last = error.last_worker.address
        raise WorkerLost(
            f"all Dask workers that took the call died of it; look at the log of the last one, {last}"
        ) from error
    if error is not None:
        raise WorkerError(f"a Dask worker couldn't take the call ({error!r}); is gramarye installed there?") from error
    return theirs.result()
