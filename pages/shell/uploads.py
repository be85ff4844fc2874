"""How many files a visit may leave on the server. Streamlit limits the size of a file, not their number."""

import re
from collections import OrderedDict

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST = 10  # files of a visit: the browser takes the one before away when another is chosen
VISITS = 1_000  # that are counted; Streamlit drops the files of a visit soon after it has ended
UPLOAD = re.compile(r"/_stcore/upload_file/([^/]+)/([^/]+)$")


class Uploads:
    """Refuses a visit's file beyond MOST. It is a middleware of the app's server (see app.py)."""

    def __init__(self, app: ASGIApp):
        self.app = app
        self.files: OrderedDict[str, set[str]] = OrderedDict()  # a visit → its files

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        upload = scope["type"] == "http" and UPLOAD.search(scope["path"])
        if not upload:
            await self.app(scope, receive, send)
        elif scope["method"] == "PUT":
            await self._put(upload[1], upload[2], scope, receive, send)
        else:
            if scope["method"] == "DELETE":
                self.files.get(upload[1], set()).discard(upload[2])
            await self.app(scope, receive, send)

    async def _put(self, visit: str, file: str, scope: Scope, receive: Receive, send: Send) -> None:
        files = self.files.setdefault(visit, set())
        self.files.move_to_end(visit)
        if len(self.files) > VISITS:
            self.files.popitem(last=False)
        if len(files | {file}) > MOST:
            await PlainTextResponse("Too many files", status_code=429)(scope, receive, send)
            return

        async def watched(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] >= 400:
                files.discard(file)
                if not files:  # perhaps the visit has ended
                    self.files.pop(visit, None)
            await send(message)

        files.add(file)
        await self.app(scope, receive, watched)
