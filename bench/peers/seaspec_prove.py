"""The promises of a game, proved by SeaSpec: processor time of all proofs, and how many are proved, as JSON.

python seaspec_prove.py SPEC all|quantified|written [NAME=VALUE ..]

`quantified`: nothing but the smallest types is written out; `written`: everything is; `all`: as `seaspec check` does.
"""

from __future__ import annotations

import json
import resource
import sys
import time

import seaspec
from seaspec.cli.checking.provers import PATIENCE, Provers
from seaspec.prove import lemmas, proofs

SECONDS = 30.0
ENCODINGS = {"all": (lemmas.FEW, lemmas.MANY), "quantified": (1, 1), "written": (lemmas.MANY, lemmas.MANY)}


def main() -> None:
    spec, encoding, *options = sys.argv[1:]
    lemmas.FEW, lemmas.MANY = ENCODINGS[encoding]
    game = seaspec.load(spec, **dict(option.split("=") for option in options))
    wanted = [promise for promise in game.rules.promises if proofs.is_provable(game.rules, promise)]
    began = time.process_time()
    with Provers(1, SECONDS, PATIENCE) as provers:
        found = proofs.prove(game.flow, wanted, provers.solve, lambda: provers.go_on)
    of_solvers = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = time.process_time() - began + of_solvers.ru_utime + of_solvers.ru_stime
    proved = sum(proof.proved for proof in found.values())
    print(json.dumps({"seconds": seconds, "promises": len(wanted), "proved": proved}))


if __name__ == "__main__":
    main()
