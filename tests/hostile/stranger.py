"""A visitor who knows Streamlit's protocol and means no good."""

import asyncio
import contextlib
from http.cookies import SimpleCookie
from urllib.error import URLError
from urllib.request import Request, urlopen

from streamlit.proto.Common_pb2 import FileUploaderState, FileURLs, UploadedFileInfo
from streamlit.proto.WidgetStates_pb2 import WidgetState

from tests.support.visitor import Visitor


class Stranger(Visitor):
    """A visitor who knows Streamlit's protocol and means no good."""

    async def press(self, key: str) -> None:
        """Presses a button, if it is there."""
        try:
            _, element, fragment = self.widget(key)
        except LookupError:
            return
        await self.run(WidgetState(id=element.id, trigger_value=True), fragment=fragment)

    async def open_share(self) -> None:
        _, popover, fragment = self.widget("share")
        await self.run(WidgetState(id=popover.id, bool_value=True), fragment=fragment)

    async def upload(self, key: str, name: str, content: bytes) -> None:
        await asyncio.to_thread(self._put, self.place_of(name), name, content)
        await self.name_file(key, name, len(content))

    def place_of(self, name: str) -> str:
        return f"/_stcore/upload_file/{self.session}/{name}"

    async def name_file(self, key: str, name: str, size: int) -> None:
        """Tells the page that this file was uploaded."""
        _, element, fragment = self.widget(key)
        place = self.place_of(name)
        where = FileURLs(file_id=name, upload_url=place, delete_url=place)
        file = UploadedFileInfo(name=name, size=size, file_id=name, file_urls=where)
        state = FileUploaderState(uploaded_file_info=[file])
        await self.run(WidgetState(id=element.id, file_uploader_state_value=state), fragment=fragment)

    def _put(self, place: str, name: str, content: bytes) -> None:
        with urlopen(f"{self.server}/_stcore/health") as answer:
            token = SimpleCookie(answer.headers["Set-Cookie"])["_streamlit_xsrf"].value
        head = f'--b\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'.encode()
        headers = {"Cookie": f"_streamlit_xsrf={token}", "X-Xsrftoken": token}
        headers |= {"Content-Type": "multipart/form-data; boundary=b"}
        body = head + content + b"\r\n--b--\r\n"
        with contextlib.suppress(URLError):  # it was refused
            urlopen(Request(self.server + place, data=body, headers=headers, method="PUT")).close()
