"""A limit of the files of a visit on the server. Streamlit limits the size of a file, not their number."""

import re
from collections import defaultdict
from contextlib import suppress
from typing import Any

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit import runtime

from . import bodies

MOST = 10  # files of a visit: the browser itself removes a file when another is chosen
UPLOAD = re.compile(r"/_stcore/upload_file/([^/]+)/([^/]+)$")


class Uploads:
    """Refuses a visit's file beyond MOST. It is a middleware of the app's server (see app.py).

    It counts the files in Streamlit's memory and the uploads under way, so it does not matter how files are
    removed.
    """

    def __init__(self, app: ASGIApp):
        self.app = app
        self.coming: defaultdict[str, list[str]] = defaultdict(list)  # visit → uploads under way

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
        try:
            with suppress(ClientDisconnect):
                await self.app(scope, receive, send)
        finally:
            coming.remove(file)
            if not coming:
                self.coming.pop(visit, None)
            # A visit that has ended meanwhile has lost its other files already.
            if not runtime.get_instance().is_active_session(visit):
                _manager().remove_file(visit, file)


def _manager() -> Any:
    """Streamlit's store of files, in memory."""
    return runtime.get_instance().uploaded_file_mgr


def _kept(visit: str) -> set[str]:
    """The files of the visit that are on the server."""
    return set(_manager().file_storage.get(visit, ()))
