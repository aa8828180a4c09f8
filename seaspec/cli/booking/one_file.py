"""All pages of a book in one file of HTML, with its style: it can be opened from anywhere.

Its pictures are alike, and many: they stand in it together, squeezed, and stepper.js puts each where it belongs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from html import escape

from seaspec.book import STEPPER, navigation, pictures_script
from seaspec.cli.booking.searching import script
from seaspec.cli.output import Fault

_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>{title}</title>
<style>
{own}
{style}
.codehilite pre {{ white-space: pre-wrap; overflow-wrap: anywhere }}
@media print {{ details {{ display: none }} nav {{ display: none }} }}
</style>
</head>
<body>
<nav aria-label="pages">
<form role="search">
<input id="book-seek" type="search" aria-label="Search in this book" placeholder="Search" autocomplete="off">
</form>
<ol id="book-found" aria-live="polite"></ol>
{ways}
</nav>
<main>
{body}
</main>
<script>
{words}
{finder}
</script>
</body>
</html>
"""
_OWN = """\
:root { color-scheme: light dark }
body { font-family: Georgia, 'DejaVu Serif', serif; line-height: 1.55; margin: 0; overflow-wrap: break-word }
body { color: light-dark(#1d2329, #dde3e9); background: light-dark(#fdfdfb, #14191e) }
main, nav { max-width: 46rem; margin: 0 auto; padding: 0 1rem }
nav { padding-top: 1rem }
nav a { margin-right: .8em }
#book-seek { font: inherit; width: 100%; box-sizing: border-box; padding: .3em .7em; margin-bottom: .6em }
#book-found:empty { display: none }
h1 { margin-top: 3rem; border-top: 1px solid light-dark(#d5dbe3, #38434e); padding-top: 1.5rem }
a { color: light-dark(#0a5a7a, #7cc4e4) }
table { border-collapse: collapse; display: block; max-width: 100%; overflow-x: auto }
td, th { border: 1px solid light-dark(#d5dbe3, #38434e); padding: .2em .6em; text-align: left; vertical-align: top }
img { max-width: 100%; height: auto }
pre { overflow-x: auto }
code, pre { font-family: 'DejaVu Sans Mono', Menlo, monospace }
"""


def converter() -> Callable[[str], str]:
    """What makes HTML of Markdown. Fault if nothing here does."""
    try:
        from markdown import Markdown
    except ImportError as error:
        raise Fault("this is made with the package 'markdown'", "pip install 'seaspec[book]'") from error

    def convert(text: str) -> str:
        made: str = Markdown(extensions=["tables", "attr_list", "md_in_html"], output_format="html").convert(text)
        return made

    return convert


def one_file(pages: Mapping[str, str], style: str, stepper: str) -> str:
    """The file, of one game. What stands on a page called `rules` is found at `#rules`."""
    convert = converter()
    several = len({path.partition("/")[0] for path in pages}) > 1
    if several:
        raise Fault("one file holds one game", "write a file for each")
    ways, parts = [], []
    for entry in navigation(pages):
        for title, path in entry.items():
            name = path.rpartition("/")[2].removesuffix(".md")
            made = convert(pages[path])
            ways.append(f'<a href="#{name}">{escape(title)}</a>')
            parts.append(f'<section id="{name}">\n{made}\n</section>')
    body = "\n".join(parts)
    drawn = {}
    for path, text in pages.items():
        name = path.rpartition("/")[2]
        if name.endswith(".svg"):
            image = f'<img src="{name}"'
            if image in body:
                drawn[name] = [text]
                body = body.replace(image, f'<img data-picture="{name}"')
        elif name.endswith(".js"):
            body = body.replace(f'<script src="{name}" defer></script>', f"<script>{text}</script>")
            body = body.replace(f'<script src="{name}"></script>', f"<script>{text}</script>")
        elif name.endswith(".css"):
            body = body.replace(f'<link rel="stylesheet" href="{name}">', f"<style>{text}</style>")
    tag = f'<script src="{STEPPER}" defer></script>'
    if drawn or tag in body:
        body = f"{body.replace(tag, '')}\n<script>{pictures_script(drawn)}</script>\n<script>{stepper}</script>"
    title = next(iter(pages.values())).partition("\n")[0].removeprefix("# ")
    return _PAGE.format(
        title=title,
        own=_OWN,
        style=style,
        ways="\n".join(ways),
        body=body,
        words=script("words"),
        finder=script("finder"),
    )
