"""A call sent to a worker, and its answer: both as bytes that nothing else reads."""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Callable
from typing import Any, cast

from gramarye.errors import WorkerError


def dumps(value: Any) -> bytes:
    """A value as bytes; what the script or the notebook defines is among them, so that it need not be imported."""
    import cloudpickle

    return cast("bytes", cloudpickle.dumps(value))


def pack(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> bytes:
    """A call as bytes."""
    try:
        return dumps((function, args, kwargs))
    except Exception as error:
        raise WorkerError(
            f"{_name(function)}: the call can't be sent to a worker ({_told(error)}); leave out what "
            "belongs to this process, such as open files, connections and locks"
        ) from error


def answer(call: bytes) -> bytes:
    """What the call returns or raises, as bytes. Runs in the worker."""
    try:
        return _packed_result(call)
    except BaseException as error:
        text = "".join(traceback.format_exception(error))
        try:
            payload = dumps(error)
        except Exception:
            payload = b""  # the text must do
        return pickle.dumps((False, payload, _told(error), text))


def _packed_result(call: bytes) -> bytes:
    try:
        function, args, kwargs = pickle.loads(call)  # noqa: S301, from our own driver
    except Exception as error:
        raise WorkerError(
            f"a worker can't load the call ({_told(error)}); functions must come from a module that it can "
            "import, or from the script itself"
        ) from error
    result = function(*args, **kwargs)
    try:
        return pickle.dumps((True, dumps(result), "", ""))
    except Exception as error:
        raise WorkerError(f"{_name(function)}: its result can't be sent back from a worker ({_told(error)})") from error


def unpack(data: bytes) -> Any:
    """Return what the call returned, or raise what it raised, with the traceback of the worker as a note."""
    good, payload, told, text = pickle.loads(data)  # noqa: S301, from our own worker
    try:
        outcome = pickle.loads(payload) if payload else WorkerError(told)  # noqa: S301, the same
    except Exception as error:  # some exceptions can be pickled, but not made again
        outcome = WorkerError(f"the result can't be loaded here ({_told(error)})" if good else told)
        good = False
    if good:
        return outcome
    outcome.add_note(f"In the worker:\n{text}".rstrip())
    raise outcome


def _told(error: BaseException) -> str:
    return "".join(traceback.format_exception_only(error)).strip()


def _name(function: Callable[..., Any]) -> str:
    return getattr(function, "__qualname__", None) or repr(function)
