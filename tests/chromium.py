"""Chromium for tests: whether it is here, pages that are watched, and a server for a folder.

It is the browser that the system has, driven by Playwright's Python package; none is downloaded.
"""

from __future__ import annotations

import functools
import http.server
import importlib.util
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PACKAGES = {"playwright": "playwright", "axe_playwright_python": "axe-playwright-python"}
PHONE, DESK = (390, 844), (1200, 900)
Scheme = Literal["light", "dark"]


def program() -> str | None:
    """Chromium, as this system calls it."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def runner() -> str | None:
    """What runs scripts that need no page to look at: node, or else Chromium."""
    return shutil.which("node") or program()


def why_not() -> str | None:
    """Why tests in a browser can not run here; None if they can."""
    if program() is None:
        return "no Chromium here (Debian: apt-get install chromium)"
    lacking = [name for module, name in PACKAGES.items() if importlib.util.find_spec(module) is None]
    return f"pip install {' '.join(lacking)}" if lacking else None


@contextmanager
def chromium() -> Iterator[Browser]:
    """The browser. While it is open, this process has an event loop: no other test should share that time."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program())
        yield browser
        browser.close()


class Watched:
    """A page, and what it did that no page may do: errors, and requests to whom it does not come from."""

    def __init__(self, browser: Browser, home: str, size: tuple[int, int] = PHONE, scheme: Scheme = "light") -> None:
        self.home = home
        self.faults: list[str] = []
        width, height = size
        context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
        self.page: Page = context.new_page()
        self.page.on("console", lambda said: said.type == "error" and self.faults.append(f"console: {said.text}"))
        self.page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        self.page.on("response", lambda got: got.status >= 400 and self.faults.append(f"{got.status}: {got.url}"))
        self.page.on("request", lambda asked: self._is_own(asked.url) or self.faults.append(f"asked: {asked.url}"))

    def _is_own(self, address: str) -> bool:
        return address.startswith((self.home, "data:", "blob:"))

    def open(self, path: str) -> Page:
        """Another page of the site; what the one before did is forgotten."""
        self.faults.clear()
        self.page.goto(self.home + path)
        return self.page

    def ask(self, script: str, *given: Any) -> Any:
        return self.page.evaluate(script, *given)

    def pale(self, scheme: Scheme) -> tuple[int, list[str]]:
        """What PALE finds in light or in dark, when the scripts of the page have seen to it."""
        self.page.emulate_media(color_scheme=scheme)
        self.ask(
            "() => new Promise(seen => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(seen))))"
        )
        pairs, found = self.ask(PALE)
        return pairs, [f"{scheme}: {fault}" for fault in found]

    def close(self) -> None:
        self.page.context.close()


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """A folder at a local port: its address."""
    handler = functools.partial(_Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Nothing."""

    def copyfile(self, *files: Any) -> None:
        """A browser that goes on to another page takes no more of this one."""
        try:
            super().copyfile(*files)
        except ConnectionError:
            self.close_connection = True


def axe() -> str:
    """The script of axe-core, which looks for what keeps people from reading a page."""
    return resources.files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")


SERIOUS = """options => {
  document.querySelectorAll('pre code').forEach(code => { code.textContent = code.textContent });
  return axe.run(document, {resultTypes: ['violations'], ...options}).then(
    found => found.violations.filter(fault => ['serious', 'critical'].includes(fault.impact)).map(
      fault => `${fault.id}: ${fault.nodes.length} times, as ${fault.nodes[0].html.slice(0, 200)}`));
}"""
"""What axe finds that is serious. Code has no more in it than colours and links, but thousands of them: they are taken
out first."""

DEAR = ("color-contrast", "link-in-text-block", "target-size")
"""What takes axe seconds on large pages; of contrasts PALE tells."""

WIDER = """() => {
  const wide = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= wide) return [];
  return [...document.querySelectorAll('body *')].filter(box => box.getBoundingClientRect().right > wide + 1)
    .map(box => `${box.tagName}.${box.className}: ${box.textContent.slice(0, 40)}`).slice(-3);
}"""
"""What makes a page scroll sideways."""

PALE = """() => {
  const numbers = colour => colour.match(/[\\d.]+/g).map(Number);
  const linear = part => (part /= 255) <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  const light = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  const behind = new Map();
  const ground = box => {
    if (!box) return [255, 255, 255];
    if (!behind.has(box)) {
      const own = numbers(getComputedStyle(box).backgroundColor);
      behind.set(box, own.length > 3 && own[3] < 1 ? ground(box.parentElement) : own);
    }
    return behind.get(box);
  };
  const faults = new Map();
  const pairs = new Map();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const box = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || box.closest('script, style, svg, noscript')) continue;
    const style = getComputedStyle(box), back = ground(box), pair = style.color + back;
    if (!pairs.has(pair)) {
      const [high, low] = [light(numbers(style.color)), light(back)].sort((a, b) => b - a);
      pairs.set(pair, (high + 0.05) / (low + 0.05));
    }
    const wanted = parseFloat(style.fontSize) >= 24 ? 3 : 4.5;
    if (pairs.get(pair) < wanted)
      faults.set(pair, `${pairs.get(pair).toFixed(2)}: ${style.color} on ${back}: ${walker.currentNode.data.trim()}`);
  }
  return [pairs.size, [...faults.values()]];
}"""
"""How many pairs of colours texts have, and those that are hard to read; also of what is folded, unlike axe."""
