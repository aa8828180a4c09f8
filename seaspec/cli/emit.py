"""`seaspec emit`: a game as one of the forms that it goes through on the way from text to play."""

from __future__ import annotations

import argparse
import os
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from seaspec.check.merging.format import format_merged
from seaspec.check.merging.merge import merge
from seaspec.cli.arguments import add_json, add_spec, load_game, one_subject
from seaspec.cli.checking.how import SECONDS
from seaspec.cli.checking.provers import PATIENCE, Provers, are_there
from seaspec.cli.outline import data_of, lines_of
from seaspec.cli.output import Fault, json_text, print_json
from seaspec.core.show_game import show_flow, show_game
from seaspec.diagnostics.model import Report
from seaspec.files import write_bytes, write_whole
from seaspec.game import Game
from seaspec.library import Subject
from seaspec.loading import LoadError
from seaspec.prove.proofs import certificate
from seaspec.syntax import tree

STAGES = ("tree", "merged", "core", "flow", "smt2", "wasm")

_EXAMPLE = """\
stages:
  tree     what was parsed, chapter by chapter
  merged   the game with its modules and variants as one text, in the language
  core     what it means: names resolved, options fixed, everything typed
  flow     the graph of decisions, chance events and ends that is played
  smt2     what the proofs of its promises come down to, for any solver: each check answers unsat
  wasm     machine code for browsers, a module of WebAssembly; with --json also what one must know to use it

example:
  seaspec emit calm --stage merged           the whole of Calm in one text
  seaspec emit "calm + reefs" --stage core --set players=2
  seaspec emit calm --stage wasm --output calm.wasm
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand to the command line."""
    parser = subparsers.add_parser(
        "emit",
        help="print a game as the tool understands it",
        description="Print one of the stages between the text of a game and a play of it.",
        epilog=_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_spec(parser)
    parser.add_argument("--stage", choices=STAGES, required=True, help="which form to print")
    parser.add_argument("--output", type=Path, metavar="FILE", help="write it to this file, whole or not at all")
    add_json(parser, "the nodes with their fields; of merged, its text")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the stage."""
    if args.stage in ("tree", "merged") and args.set:
        raise Fault(f"the stage {args.stage} comes before options are fixed: it takes no --set")
    match args.stage:
        case "tree":
            chapters = _subject(args.file).chapters
            _print(args, chapters, "\n\n".join("\n".join(lines_of(chapter)) for chapter in chapters))
        case "merged":
            text = _merged(_subject(args.file).chapters)
            _print(args, {"text": text}, text)
        case "core":
            game = load_game(args)
            _print(args, game.rules, show_game(game.rules))
        case "flow":
            game = load_game(args)
            _print(args, {"start": game.flow.start, "blocks": game.flow.blocks}, show_flow(game.flow))
        case "smt2":
            texts = _proofs(load_game(args))
            _print(args, {"scripts": texts}, "(reset)\n".join(texts))
        case "wasm":
            _print_module(args, load_game(args))
    return 0


def _proofs(game: Game) -> list[str]:
    """The scripts that the proofs of a game rest on."""
    if not are_there():
        raise Fault("there is no solver: install z3-solver")
    with Provers(os.cpu_count() or 1, SECONDS, PATIENCE) as provers:
        found = certificate(game.flow, game.rules.promises, provers.solve, lambda: provers.go_on)
        return [script.text for script in found]


def _print_module(args: argparse.Namespace, game: Game) -> None:
    from seaspec.backends.native.errors import NotCompiled
    from seaspec.backends.native.webassembly import web_module

    if not args.json and args.output is None:
        raise Fault("a module is no text", hint="add --output FILE, or --json")
    try:
        module = web_module(game.flow)
    except NotCompiled as error:
        raise Fault(f"no machine code can be made of this game: {error}") from error
    if args.json:
        facts = {"constants": module.constants, "facts": asdict(module.facts)}
        _print(args, {"module": b64encode(module.code).decode(), **facts}, "")
    else:
        write_bytes(args.output, module.code)


def _subject(spec: str) -> Subject:
    report = Report()
    subject = one_subject(spec, report)
    if report.failed:
        raise LoadError(report)
    return subject


def _merged(chapters: Sequence[tree.Chapter]) -> str:
    report = Report()
    merged = merge(chapters, report)
    if report.failed:
        raise LoadError(report)
    return format_merged(merged)


def _print(args: argparse.Namespace, node: object, text: str) -> None:
    if args.output is not None:
        told = json_text(data_of(node)) if args.json else text.rstrip("\n")
        write_whole(args.output, told + "\n")
    elif args.json:
        print_json(data_of(node))
    else:
        print(text.rstrip("\n"))
