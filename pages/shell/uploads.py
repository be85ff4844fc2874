"""Limits of the files of a visit, and of all visits, in memory. Streamlit limits the size of a file alone."""

import re
from collections import defaultdict
from typing import Any

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import runtime

from . import bodies

MOST = 10  # files of a visit: the browser itself removes a file when another is chosen
BUDGET = 64_000_000  # bytes of all visits' files
KEPT = 120  # seconds for which Streamlit keeps the files of a visit that has left
FULL = f"The server holds too many files of all visits. Try again in {KEPT // 60} minutes, or paste the text."
UPLOAD = re.compile(r"/_stcore/upload_file/([^/]+)/([^/]+)$")


class Uploads:
    """Refuses a visit's file beyond MOST, and any file beyond BUDGET. It is a middleware (see app.py).

    It counts the files in Streamlit's memory and the uploads under way, so it does not matter how files are
    removed; and the bytes that have arrived, whatever a request says of its length.
    """

    def __init__(self, app: ASGIApp):
        self.app = app
        self.coming: defaultdict[str, list[str]] = defaultdict(list)  # visit → uploads under way
        self.arrived = 0  # bytes of them

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        upload = scope["type"] == "http" and scope["method"] == "PUT" and UPLOAD.search(scope["path"])
        if not upload:
            await self.app(scope, receive, send)
            return
        visit, file = upload.groups()
        refused = None
        if bodies.length(Headers(scope=scope)) is None:
            refused = PlainTextResponse("Length required", status_code=bodies.LENGTH_REQUIRED)
        elif len({file, *self.coming.get(visit, ()), *_kept(visit)}) > MOST:
            refused = PlainTextResponse("Too many files", status_code=429)
        if refused is not None:
            await refused(scope, receive, send)
        else:
            await self._put(visit, file, scope, receive, send)

    async def _put(self, visit: str, file: str, scope: Scope, receive: Receive, send: Send) -> None:
        coming = self.coming[visit]
        coming.append(file)
        own = 0

        async def counted() -> Message:
            nonlocal own
            message = await receive()
            more = len(message.get("body", b""))
            own += more
            self.arrived += more
            return {"type": "http.disconnect"} if more and self.is_full() else message

        try:
            await self.app(scope, counted, send)
        except ClientDisconnect:
            if self.is_full():
                full = PlainTextResponse(FULL, status_code=503, headers={"Retry-After": str(KEPT)})
                await full(scope, receive, send)
        finally:
            self.arrived -= own
            coming.remove(file)
            if not coming:
                self.coming.pop(visit, None)
            # A visit that has ended meanwhile has lost its other files already.
            if not runtime.get_instance().is_active_session(visit):
                _manager().remove_file(visit, file)

    def is_full(self) -> bool:
        """Whether the files of all visits have more bytes than BUDGET."""
        kept = (file for files in list(_manager().file_storage.values()) for file in list(files.values()))
        return self.arrived + sum(len(file.data) for file in kept) > BUDGET


def _manager() -> Any:
    """Streamlit's store of files, in memory."""
    return runtime.get_instance().uploaded_file_mgr


def _kept(visit: str) -> set[str]:
    """The files of the visit that are on the server."""
    return set(_manager().file_storage.get(visit, ()))
