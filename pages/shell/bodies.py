"""Bodies of requests, with a limit of their size. For their time see unfinished.py."""

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

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
        return await request.body()
    except ClientDisconnect:
        return Response(status_code=TOO_LATE)
