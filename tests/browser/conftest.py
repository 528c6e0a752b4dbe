"""A real browser, driven through the DevTools protocol over a pipe: no package is needed."""

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import time

import pytest

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")


class Browser:
    """A headless Chromium with one page."""

    def __init__(self, program, home):
        to_browser, ours = os.pipe()
        from_browser, theirs = os.pipe()

        def place():
            """Move the pipes to the file descriptors that the protocol wants, 3 and 4."""
            far = [fcntl.fcntl(fd, fcntl.F_DUPFD, 50) for fd in (to_browser, theirs)]
            for fd, wanted in zip(far, (3, 4), strict=True):
                os.dup2(fd, wanted)

        command = [
            program,
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            "--no-first-run", "--disable-background-networking", "--hide-scrollbars",
            f"--user-data-dir={home}", "--remote-debugging-pipe", "about:blank",
        ]  # fmt: skip
        self.process = subprocess.Popen(
            command, pass_fds=(3, 4), preexec_fn=place, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(to_browser)
        os.close(theirs)
        self.input, self.output = ours, from_browser
        self.rest, self.number, self.session, self.events = b"", 0, None, []
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(t["targetId"] for t in targets if t["type"] == "page")
        attached = self.call("Target.attachToTarget", targetId=page, flatten=True)
        self.session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def _read(self, seconds):
        """Read one message, or none in that time."""
        end = time.monotonic() + seconds
        while b"\0" not in self.rest:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.output], [], [], left)[0]:
                return None
            part = os.read(self.output, 1 << 20)
            assert part, "the browser ended"
            self.rest += part
        text, _, self.rest = self.rest.partition(b"\0")
        return json.loads(text)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.input, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + 60
        while time.monotonic() < end:
            found = self._read(60)
            if found is None:
                break
            if found.get("id") == self.number:
                assert "error" not in found, (method, found["error"])
                return found["result"]
            self.events.append(found)
        raise AssertionError(f"{method}: no answer")

    def run(self, expression):
        """Evaluate JavaScript in the page and return its value."""
        found = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def open(self, path, width=1280, height=900, *, dark=False, scripts=True):
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height,
            deviceScaleFactor=1, mobile=width < 600,
        )  # fmt: skip
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.call("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.events.clear()
        self.call("Page.navigate", url=path.resolve().as_uri())
        end = time.monotonic() + 60
        while not any(e.get("method") == "Page.loadEventFired" for e in self.events):
            assert time.monotonic() < end, "the page does not load"
            if (found := self._read(1)) is not None:
                self.events.append(found)

    def faults(self):
        """List errors and warnings of the console, and exceptions."""
        self.run("0")
        found = []
        for event in self.events:
            name, told = event.get("method"), event.get("params", {})
            console = name == "Runtime.consoleAPICalled" and told["type"] in ("error", "warning")
            log = name == "Log.entryAdded" and told["entry"]["level"] in ("error", "warning")
            if console or log or name == "Runtime.exceptionThrown":
                found.append(told)
        return found

    def requests(self):
        """List what the page asked for, pictures within it left out."""
        self.run("0")
        sent = [e for e in self.events if e.get("method") == "Network.requestWillBeSent"]
        urls = [event["params"]["request"]["url"] for event in sent]
        return [url for url in urls if not url.startswith(("data:", "blob:"))]

    def picture(self, path, *, full=False):
        image = self.call("Page.captureScreenshot", captureBeyondViewport=full)
        path.write_bytes(base64.b64decode(image["data"]))

    def pdf(self, path):
        path.write_bytes(base64.b64decode(self.call("Page.printToPDF")["data"]))

    def close(self):
        try:
            self.session = None
            os.write(self.input, b'{"id": 0, "method": "Browser.close"}\0')
            self.process.wait(10)
        except (OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.input)
        os.close(self.output)


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        pytest.skip(f"no browser here, none of {', '.join(PROGRAMS)}; .ci/run installs chromium")
    started = Browser(program, tmp_path_factory.mktemp("browser"))
    yield started
    started.close()
