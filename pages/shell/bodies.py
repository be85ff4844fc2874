"""Bodies of requests, with limits of size and time: a slow or endless body would hold memory without end."""

import asyncio

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Message, Receive

SECONDS = 10.0  # for a whole body
LENGTH_REQUIRED, TOO_LARGE, TOO_LATE = 411, 413, 408


def length(headers: Headers) -> int | None:
    """The length of the body according to the headers; None for a body in chunks, which has no length."""
    text = headers.get("content-length", "")
    known = text.isascii() and text.isdigit() and len(text) < 16 and "transfer-encoding" not in headers
    return int(text) if known else None


async def read(request: Request, largest: int) -> bytes | Response:
    """The body, or the refusal to read it."""
    size = length(request.headers)
    if size is None or size > largest:
        return Response(status_code=LENGTH_REQUIRED if size is None else TOO_LARGE)
    try:
        return await Request(request.scope, in_time(request.receive)).body()
    except ClientDisconnect:
        return Response(status_code=TOO_LATE)


def in_time(receive: Receive) -> Receive:
    """Receives a body; a client that takes longer than SECONDS counts as disconnected."""
    ends = asyncio.get_running_loop().time() + SECONDS
    whole = False

    async def receive_in_time() -> Message:
        nonlocal whole
        if whole:
            return await receive()
        try:
            async with asyncio.timeout_at(ends):
                message = await receive()
        except TimeoutError:
            return {"type": "http.disconnect"}
        whole = not message.get("more_body", False)
        return message

    return receive_in_time
