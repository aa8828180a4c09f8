"""`seaspec book`: the rules of games as books."""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from seaspec.book import STEPPER, Layout
from seaspec.cli.arguments import add_json
from seaspec.cli.booking.making import STYLE, pages_of, stepper, style
from seaspec.cli.output import Fault, print_json
from seaspec.files import write_whole

_EXAMPLE = """\
Pages are Markdown, with a picture of how the game begins: the rules under the headings of the text, worked examples,
promises with what the last check has found out, the clauses of the rule book with who does, promises and shows them,
a page for each variant. Only folders that were written so are replaced. In a site of MkDocs, use the plugin 'seaspec'.

examples:
  seaspec book calm pages                     pages/calm/index.md and others
  seaspec book calm --one-file calm.html      all in one file, to be opened from anywhere
  seaspec book calm pages --play players=all  to be played in its page by two, three, four, five
  seaspec book calm pages --check             exit code 1 if pages/calm is not what would be written
  seaspec book my_game.sea --serve            in the browser, made anew whenever the text changes
"""
DEFAULT_PORT, LAST_PORT = 8000, 65535
_MARK = ".seaspec-book"
"""A file in each folder that was written, so that no other is ever replaced."""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand to the command line."""
    parser = subparsers.add_parser(
        "book",
        help="write the rules of games as books: pages, or one file",
        description="Write the rules of games as books: as pages of Markdown into a folder, or as one file of HTML.",
        epilog=_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("files", metavar="FILE", nargs="+", help="games, and the folder for the pages as the last word")
    parser.add_argument("--one-file", metavar="HTML", type=Path, help="write one file instead of a folder")
    text = "a further way to play it in its page, as 'calm players=2,3' or 'calm + solo'; may be said several times"
    parser.add_argument("--play", metavar="WAY", action="append", default=[], help=text)
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 if what is there is stale")
    text = "show it in the browser, and what is wrong with the text, while you write it; Ctrl-C ends"
    parser.add_argument("--serve", action="store_true", help=text)
    parser.add_argument("--port", type=_port, help="the port for --serve: 8000; 0 takes one that is free")
    text = "records of checks, for what was not checked here (seaspec check --record FOLDER)"
    parser.add_argument("--checks", metavar="FOLDER", type=Path, help=text)
    add_json(parser, "written, stale: paths")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Write the books; or only look whether they are as they would be written."""
    if args.checks is not None and not args.checks.is_dir():
        raise Fault(f"there is no folder {args.checks}", f"seaspec check .. --record {args.checks} makes it")
    if args.serve:
        return _serve(args)
    if args.port is not None:
        raise Fault("a port is for --serve alone", f"seaspec book {args.files[0]} --serve --port {args.port}")
    if args.one_file is None and len(args.files) < 2:
        raise Fault("where do the pages go?", f"seaspec book {args.files[0]} FOLDER, or --one-file FILE.html")
    if args.one_file is not None:
        if not args.one_file.parent.is_dir():
            raise Fault(f"there is no folder {args.one_file.parent}")
        from seaspec.cli.booking.one_file import one_file

        pages = pages_of(args.files, Layout.ONE, args.checks, args.play)
        return _tell(args, {args.one_file: one_file(pages, style(), stepper())}, ())
    *specs, folder = args.files
    if not folder:
        raise Fault("the folder for the pages has no name", f"seaspec book {specs[0]} FOLDER")
    if not args.check:
        _look_at(Path(folder), specs)
    pages = pages_of(specs, Layout.FILES, args.checks, args.play)
    books: dict[str, dict[str, str]] = {}
    for path, text in pages.items():
        name, _, page = path.partition("/")
        books.setdefault(name, {STYLE: style(), STEPPER: stepper(), _MARK: ""})[page] = text
    wanted = {Path(folder) / name / page: text for name, book in books.items() for page, text in book.items()}
    if not args.check:
        for name, book in books.items():
            _write_folder(Path(folder) / name, book)
    there = (path for name in books for path in (Path(folder) / name).glob("*") if args.check)
    return _tell(args, wanted, [path for path in there if path not in wanted])


def _serve(args: argparse.Namespace) -> int:
    """Show books in the browser."""
    from seaspec.cli.booking.serving import serve

    for name in ("one_file", "check", "json"):
        if getattr(args, name):
            raise Fault(f"--serve writes nothing: leave out --{name.replace('_', '-')}")
    return serve(args.files, DEFAULT_PORT if args.port is None else args.port, args.checks, args.play)


def _port(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) > LAST_PORT:
        raise argparse.ArgumentTypeError(f"a port is a number from 0 to {LAST_PORT}, not '{text}'")
    return int(text)


def _tell(args: argparse.Namespace, wanted: Mapping[Path, str], too_many: list[Path] | tuple[()]) -> int:
    """What was written, or is stale; a single file is written here."""
    if not args.check:
        if args.one_file is not None:
            for path, text in wanted.items():
                write_whole(path, text)
        if args.json:
            print_json({"written": [str(path) for path in wanted], "stale": []})
        else:
            folders = sorted({str(path.parent) for path in wanted} if args.one_file is None else map(str, wanted))
            print("\n".join(f"written: {folder}" for folder in folders))
        return 0
    stale = [str(path) for path, text in wanted.items() if _read(path) != text] + [str(path) for path in too_many]
    if args.json:
        print_json({"written": [], "stale": stale})
    else:
        print("\n".join(f"stale: {path}" for path in stale) or "as it would be written")
    return 1 if stale else 0


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def _look_at(folder: Path, specs: list[str]) -> None:
    """Whether pages can be written there, before any is made."""
    there = next(path for path in (folder, *folder.parents) if path.exists())
    hint = f"seaspec book {' '.join(specs)} FOLDER"
    if not there.is_dir():
        raise Fault(f"{there} is a file, and no folder for pages", hint)
    if not os.access(there, os.W_OK):
        raise Fault(f"nothing can be written to {there}", hint)


def _write_folder(folder: Path, pages: Mapping[str, str]) -> None:
    """A folder, whole or not at all: made beside, then put into its place."""
    if folder.exists() and not (folder / _MARK).is_file() and (not folder.is_dir() or any(folder.iterdir())):
        raise Fault(f"{folder} is there, and was not written by seaspec book", "name another folder, or move it away")
    folder.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    before = made.with_name(f"{made.name}-before")
    try:
        for name, text in pages.items():
            write_whole(made / name, text)
        os.chmod(made, 0o777 & ~_umask())
        if folder.exists():
            os.replace(folder, before)
        try:
            os.replace(made, folder)
        except OSError:
            if before.exists():
                os.replace(before, folder)
            raise
    finally:
        shutil.rmtree(made, ignore_errors=True)
        shutil.rmtree(before, ignore_errors=True)


def _umask() -> int:
    found = os.umask(0)
    os.umask(found)
    return found
