"""Themes about who may know: what options, effects and questions tell."""

from __future__ import annotations

from attack.kinds import Component, Deed, Kind, Num, Place
from attack.parts import Lines, Parts


class Telling(Parts):
    """Draws these themes."""

    def told_by_effects(self) -> Lines:
        """What effects show of what is hidden: a state that others see, how many pieces move, a throw."""
        dice = self.dice
        code, sign = dice.new("code"), self.counter(0, 3, 0)
        own = dice.often(0.6)
        index, sight = ("[p: Player]", "seen by p") if own else ("", "hidden")
        self.extra.append(f"state {code}{index}: 0..2 = 0 {sight}")
        self.secrets.append(code)
        mine, other = (f"{code}[WHO]", f"{code}[next(WHO)]") if own else (code, code)
        x = dice.new("x")
        chosen = [f"WHO privately chooses {x} in 0..2", f"  {mine} := {x}"]
        lines = self.act(chosen if own else [f"{mine} := 2 - {mine}"])
        component, here, there = self.pieces()
        kind = self.sort(component)
        tell = dice.pick(
            [
                f"{sign} := {mine}",
                f"{sign} := {dice.number(0, 3)}",
                f"{sign} := 0 * {mine}",
                f"{sign} := if {mine} = 1 then 1 else 1",
                f"{other} := {mine}",
                f"move up to ({mine}) {kind} from {here.name} to {there.name}",
                f"if {mine} > 0: {sign} := 1",
                f"if {sign} > 0: {mine} := 1",
                f"{mine} := {sign} mod 3",
                f"draw up to {mine} from {here.name} to {there.name}",
                f"for each z in {{y in 0..2 where y < {mine}}}: {sign} := min(3, {sign} + 1)",
            ]
        )
        rolled = dice.new("r")
        seen = dice.pick(["", " seen by WHO", " seen by next(WHO)"])
        tell_by_chance = [
            f"roll d{dice.pick(['2', '3'])} as {rolled}{seen}",
            f"{dice.pick([mine, other, sign])} := {rolled} - 1",
        ]
        return lines + self.act(dice.pick([[tell], [tell], tell_by_chance, [tell, *tell_by_chance]]))

    # ----------------------------------------------------------------------------------------------------- who may know

    def told_by_throws(self) -> Lines:
        """What somebody alone has seen thrown, or chosen by chance: where it goes, and what it decides."""
        dice = self.dice
        code, sign = dice.new("code"), self.counter(0, 3, 0)
        self.extra.append(f"state {code}[p: Player]: 0..2 = 0 seen by p")
        self.secrets.append(code)
        component, here, there = self.pieces()
        kind, rolled, other = self.sort(component), dice.new("r"), dice.new("z")
        seer, owner = (dice.pick(["WHO", "WHO", "WHO", "next(WHO)"]) for _ in range(2))
        mine = f"{code}[{owner}]"
        weights = dice.pick(["", "", f" weights {rolled}"])
        thrown = dice.pick([f"roll d2 as {rolled}"] * 2 + [f"chance chooses {rolled} in 1..2{weights}"])
        openly = dice.pick(["", "", "openly "])
        uses: list[Lines] = [
            [f"{mine} := {rolled}"],
            [f"{mine} := {rolled}"],
            [f"{mine} := {rolled}", f"if {openly}{mine} > {dice.number(0, 1)}: {sign} := 1"],
            [f"{mine} := {rolled} - {rolled}"],
            [f"{sign} := {openly}{rolled}"],
            [f"if {openly}{rolled} = 1: {sign} := 1", f"else: {mine} := {rolled}"],
            [f"if openly {rolled} = 1", f"  if {rolled} {dice.pick(['=', '=', '<'])} 2: {sign} := 2"],
            [f"if openly {rolled} = 1: {mine} := {dice.number(0, 2)}"],
            [f"move up to {dice.pick([f'({rolled})', '1'])} {kind} from {here.name} to {there.name}"],
            [f"draw up to {dice.pick([rolled, '1'])} from {here.name} to {there.name}"],
            [f"roll {dice.pick([rolled, '1'])} d2 as {other}", f"{sign} := min(3, {other})"],
            [f"chance chooses {other} in 1..{rolled}", f"  {dice.pick([sign, mine])} := {other}"],
            [f"chance chooses {other} in 1..{rolled} seen by {seer}", f"  {dice.pick([sign, mine])} := {other}"],
            [f"{owner} privately chooses {other} in 1..{rolled}", f"  {mine} := {other}"],
            [f"{owner} chooses {other} in 1..{dice.pick([rolled, '2'])}", f"  {sign} := {other}"],
            [f"repeat {rolled} times", f"  {dice.pick([sign, mine])} := {dice.number(0, 2)}"],
            [f"for each {other} in Player in order from seat({rolled}): {code}[{other}] := {dice.number(0, 2)}"],
        ]
        use = dice.pick(uses) + (dice.pick(uses[:4]) if dice.often(0.3) else [])
        lines = self.act([f"{thrown} seen by {seer}", *use])
        if dice.often(0.4):
            name, guard = dice.new("act"), dice.new("guard")
            self.world.actions.append(Deed(name, (), False, False))
            whose, sign_of = dice.pick(["p", "p", "p", "next(p)"]), dice.pick([">", "<"])
            lines += [f'action {name}(p: Player) "p acts"']
            lines += [f"  needs {guard}: {openly}{code}[{whose}] {sign_of} {dice.number(1, 2)}", f"  {code}[p] := 0"]
        return lines

    def told_by_options(self) -> Lines:
        """What is offered tells what is hidden: of pieces that are alike one is, or is not, told apart."""
        dice = self.dice
        name, bank, vault = dice.new("Coin"), dice.new("bank"), dice.new("vault")
        self.extra += [f"component {name}", f"  {name} times {dice.number(2, 4)} kept in {bank}"]
        self.extra += [
            f"place {bank} set of {name} open",
            f"place {vault} set of {name} {dice.pick(['open', 'hidden'])}",
        ]
        self.world.components[name] = Component(name, (), (Kind(name, False),), 2)
        self.world.places.append(Place(bank, (), "set", None, name, True))
        state = dice.new("marked")
        self.extra.append(f"state {state}[p: Player]: {name} or none = none seen by p")
        self.secrets.append(state)
        x = dice.new("x")
        lines = self.act([f"WHO privately chooses {x} in {name}", f"  {state}[WHO] := {x}"])
        c = dice.new("c")
        take = dice.new("act")
        self.world.actions.append(Deed(take, (self.world.components[name].type,), False, False))
        return [*lines, f'action {take}(p: Player, {c}: {name} in {bank}) "p takes"', f"  move {c} to {vault}"]

    def whoever_may(self) -> Lines:
        """Whether somebody is asked tells whether there is an option."""
        dice = self.dice
        name, hand = dice.new("Leaf"), dice.new("hand")
        fact = dice.new("rank")
        self.extra += [f"component {name}({fact}: 1..2)", f"  {name} times 1 each"]
        self.extra += [f"place {hand}[p: Player] set of {name} seen by p", f"place heap_of_{hand} set of {name} open"]
        self.world.components[name] = Component(name, ((fact, Num(1, 2)),), (Kind(name, False),), 2)
        self.secrets.append(hand)
        c = dice.new("c")
        act = dice.new("act")
        self.world.actions.append(Deed(act, (self.world.components[name].type,), False, False))
        lines = [f'action {act}(p: Player, {c}: {name} in {hand}[p]) "p lays"']
        lines += [f"  needs guard_of_{act}: {c}.{fact} > 1", f"  move {c} to heap_of_{hand}"]
        self.setup += [f"draw 1 from box to {hand}[seat(1)]"]
        flag = self.flag()
        self.before += [f"p may {act}"] if dice.often(0.5) else [f"p chooses {act}", "otherwise", f"  {flag} := yes"]
        return lines

    def told_at_once(self) -> Lines:
        """What a joint choice tells before it is over: what others have done, and whether a part goes on."""
        dice = self.dice
        code, bid, mark, x = dice.new("code"), dice.new("bid"), self.counter(0, 3, 0), dice.new("x")
        self.extra += [f"state {code}[p: Player]: 0..1 = 0 seen by p", f"state {bid}[p: Player]: 0..1 = 0"]
        self.secrets.append(code)
        lines = self.act([f"WHO privately chooses {x} in 0..1", f"  {code}[WHO] := {x}"])
        raised, folded, rested, claimed = (dice.new("act") for _ in range(4))
        whose = dice.pick(["p", "next(p)"])
        test = dice.pick([f"{bid}[{whose}] = 1", f"not out({whose})", f"{mark} = 0", f"{code}[p] = 1"])
        lines += [f'action {raised}(p: Player) "p raises": {bid}[p] := 1 - {bid}[p]']
        lines += [f'action {folded}(p: Player) "p folds": {dice.pick(["p", "next(p)"])} drops out']
        lines += [f'action {rested}(p: Player) "p rests": nothing']
        lines += [f'action {claimed}(p: Player) "p claims"', f"  needs guard_of_{claimed}: {test}", f"  {mark} := 0"]
        if dice.often(0.3):
            lines += [f"whenever {dice.new('rule')}: {mark} = 0 and (some q in Player: {bid}[q] = 1)", f"  {mark} := 1"]
        again = dice.pick([f"q chooses {rested}", f"q may {claimed}", f"if {bid}[q] = 1: q chooses {rested}"])
        number, rolled = dice.new("k"), dice.new("r")
        part = dice.pick(
            [
                [f"q chooses {raised} or {rested} or {claimed}"],
                [f"q chooses {dice.pick([folded, raised])} or {rested} or {claimed}"],
                [f"q chooses {raised} or {rested}", again],
                [f"q chooses {number} in 1..2", f"roll {dice.pick([number, '1'])} d2 as {rolled}"],
                [f"q privately chooses {number} in 0..1", f"  {code}[q] := {number}", again],
            ]
        )
        self.before += ["all at once each q in Player", *(f"  {line}" for line in part)]
        return lines

    def told_by_origins(self) -> Lines:
        """Where pieces come from that may have gone elsewhere unseen, and how many, when others have been asked."""
        dice = self.dice
        name, hand, stash, away = dice.new("Leaf"), dice.new("hand"), dice.new("stash"), dice.new("away")
        self.extra += [f"component {name}(rank_of_{hand}: 1..3)", f"  {name} one each"]
        self.extra += [f"place {one}[p: Player] set of {name} seen by p" for one in (hand, stash)]
        self.extra.append(f"place {away} set of {name} {dice.pick(['hidden', 'hidden', 'open'])}")
        self.secrets.append(hand)
        self.setup += [f"draw 2 from box to {hand}[seat(1)]"]
        act, c, z = dice.new("act"), dice.new("c"), dice.new("z")
        among = [
            f"draw up to 1 from {hand}[p] to {stash}[p]",
            f"move up to 1 {name} from {hand}[p] to {stash}[p]",
            f"next(p) chooses {z} in 0..1",
        ]
        between = [dice.pick(among)] if dice.often(0.6) else []
        if dice.often(0.5):
            self.world.actions.append(Deed(act, (), False, False))
            chosen = f"p {dice.pick(['privately ', ''])}chooses up to 1 of {hand}[p] as {c}"
            return [
                f'action {act}(p: Player) "p lays some"',
                *(f"  {x}" for x in (chosen, *between, f"move {c} to {away}")),
            ]
        self.world.components[name] = Component(name, ((f"rank_of_{hand}", Num(1, 3)),), (Kind(name, False),), 3)
        self.world.actions.append(Deed(act, (self.world.components[name].type,), False, False))
        steps = (*between, f"move {c} to {away}")
        return [f'action {act}(p: Player, {c}: {name} in {hand}[p]) "p lays"', *(f"  {x}" for x in steps)]
