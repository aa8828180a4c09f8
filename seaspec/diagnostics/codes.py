"""The table of codes: each stable for ever, with a title and an explanation. docs/errors.md is generated from it.

SEA1xx text and syntax, SEA2xx chapters and variants, SEA3xx names, SEA4xx types and ranges, SEA5xx flow and
secrets, SEA6xx files, options, plays and the command line, SEA9xx warnings.
"""

from __future__ import annotations

from enum import Enum


class Code(Enum):
    """`CODE = ("SEA101", "title", "explanation")`"""

    def __init__(self, id: str, title: str, explanation: str) -> None:
        self.id = id
        self.title = title
        self.explanation = explanation

    @property
    def is_warning(self) -> bool:
        return self.id.startswith("SEA9")

    SYNTAX = (
        "SEA101",
        "unexpected word",
        "The text does not follow the grammar here: the message says what was found, and what can stand there.",
    )
    BAD_CHARACTER = (
        "SEA102",
        "character outside the alphabet",
        "Names have the letters a to z, digits and `_`. Other alphabets may stand in strings and comments only;"
        " control characters nowhere.",
    )
    OPEN_STRING = ("SEA103", "string not closed", "A string begins and ends with a double quote, on one line.")
    BRACKETS = (
        "SEA104",
        "brackets that do not match",
        "Each `(`, `[` and `{` wants its own `)`, `]` or `}`, before the next declaration.",
    )
    INDENTATION = (
        "SEA105",
        "indentation that fits nothing",
        "Declarations begin at the margin; the lines of a block stand in one column, two blanks deeper than its head.",
    )
    TABS = ("SEA106", "tab in the indentation", "Blocks are indented with blanks, for a tab is as wide as one likes.")
    MIXED = (
        "SEA107",
        "`and` mixed with `or`",
        "`a and b or c` is read in two ways, so it must be written with brackets.",
    )
    NO_HEADING = (
        "SEA108",
        "declaration without a heading",
        "A file begins with `game`, `module`, `variant` or `world`, which owns all that follows. `more of` goes on "
        "with a chapter that stands above, in the same file.",
    )
    NO_STATEMENT = (
        "SEA109",
        "expression in place of a statement",
        "A line of a block does something: calls, moves, chooses, or changes a state with `:=`. `a = b` only compares.",
    )
    TOO_DEEP = (
        "SEA110",
        "nested too deeply",
        "Brackets, blocks and expressions may stand within one another, but not without end. Name a part of it.",
    )
    TOO_LONG = ("SEA111", "too large", "A file, or a number, is larger than anything a game needs.")
    HOLE = (
        "SEA112",
        "fault in the braces of a sentence",
        "`{expression}` in a sentence is computed when shown; each `{` wants its `}`, with an expression between.",
    )
    TWICE = ("SEA113", "said twice", "This can be said once only.")
    VISIBILITY = (
        "SEA114",
        "nothing says who sees a place",
        "Each place is `open` (all see it), `hidden` (nobody does) or `seen by` somebody.",
    )
    NO_BODY = (
        "SEA115",
        "block without a body",
        "What a head says is done in the indented lines below it, or after a colon on the same line: `if P: nothing`.",
    )
    STRAY_ELSE = (
        "SEA116",
        "`else` or `otherwise` without its partner",
        "`else` follows the block of an `if`, `otherwise` that of a choice, in the same column.",
    )
    FOREIGN = (
        "SEA117",
        "sign of another language",
        "`==`, `;`, `&&`, `%` and the like are not used here: the hint says what is.",
    )
    CAPITALS = (
        "SEA118",
        "capital or small letter",
        "Types, kinds, pieces, cells and players begin with a capital letter; all other names with a small one.",
    )
    TOO_MANY = ("SEA119", "too many errors", "After so many errors the rest of the text is not looked at.")
    LINE_ENDS = ("SEA120", "strange line end", "Lines end in a line feed, or in carriage return and line feed.")
    # chapters and variants
    DECLARED_TWICE = (
        "SEA201",
        "declared twice",
        "Two declarations have the same name. A variant that means to change what its base declares says `replace` "
        "or `set`.",
    )
    NOBODY_HAS = (
        "SEA202",
        "a name that nobody has",
        "A variant changes something that neither its base nor any chapter before it declares.",
    )
    PARAMETERS = (
        "SEA203",
        "wrong number of parameters",
        "A change names as many parameters as what it changes. Hooks, `forbid`, `allow` and `add` may leave out the "
        "last ones, and never name more.",
    )
    TWO_BODIES = (
        "SEA204",
        "two bodies",
        "Something left open was given a body twice. Only one chapter may give it; another one says `replace`.",
    )
    CONFLICT = (
        "SEA205",
        "variants in conflict",
        "Two variants change the same thing, and neither says in its heading that it goes `after` the other.",
    )
    HOOK_CONFLICT = (
        "SEA206",
        "hooks in conflict",
        "Two variants hook the same point where both write the same place or state, or both decide or throw, and "
        "neither goes `after` the other.",
    )
    CIRCLE = (
        "SEA207",
        "chapters in a circle",
        "Headings say that each of some chapters goes after, or is built on, another of them.",
    )
    BASE_MISSING = (
        "SEA208",
        "a base is missing",
        "The game, module or variant that a chapter is built on is not there.",
    )
    WRONG_CHANGE = (
        "SEA209",
        "the wrong kind of change",
        "This change is not for things of this kind: `set` is for constants, options, types and boards, `replace` "
        "for what has a body.",
    )
    NO_SUCH_GUARD = (
        "SEA210",
        "no such guard",
        "`allow .. despite` is an exception to a guard that the action must have, by its name.",
    )
    STILL_USED = (
        "SEA211",
        "removed, but still used",
        "Something was removed that is still named elsewhere in the game.",
    )
    NO_SUCH_PROMISE = (
        "SEA212",
        "no such promise",
        "`breaks` and `drops` are about promises of the base, by their names.",
    )
    CHANGED_TWICE = ("SEA213", "changed twice", "One chapter changes the same thing twice.")
    EMPTY_MENU = ("SEA214", "empty menu", "Nothing is left on the menu.")
    UNKNOWN_CLAUSE = ("SEA215", "unknown clause", "The rule book has no clause of this id.")
    FORBIDDEN_PAIR = (
        "SEA217",
        "forbidden by the rule book",
        "A variant says `never with` of another one. Who wants to play both all the same writes a variant that is "
        "built on one of them and `combines with` the other.",
    )
    ONE_GAME = ("SEA216", "not one game", "What is merged must be one game, with its modules and variants.")
    # names
    UNKNOWN_NAME = ("SEA301", "unknown name", "Nothing of this name is known here.")
    HIDES = (
        "SEA302",
        "hides another name",
        "A local name may not be the name of something else that can be seen there.",
    )
    NOT_A_VALUE = (
        "SEA303",
        "not a value",
        "The name stands for a thing that has no value of its own, such as an action.",
    )
    AMBIGUOUS = ("SEA304", "ambiguous", "The name fits several things and the context does not say which.")
    WRONG_COUNT = (
        "SEA305",
        "wrong number of arguments",
        "A call gives more or fewer arguments than there are parameters.",
    )
    ONLY_IN_PROMISES = (
        "SEA306",
        "only in promises",
        "`old` has a meaning in `always`; `odds(..)`, `is asked` and tracks have one in all promises and examples, and"
        " not in the rules.",
    )
    DEFINED_IN_CIRCLE = ("SEA307", "defined in a circle", "A thing is defined by itself, and nothing shrinks.")
    LEFT_OPEN = ("SEA308", "left open", "Something left open has no body in this game.")
    NOT_HERE = ("SEA309", "not in this game", "The piece or cell does not exist with these options and variants.")
    NOT_WITH_OPTIONS = (
        "SEA310",
        "not with these options",
        "The seat or the value of an option does not exist with the options of this game.",
    )
    # types and ranges
    TYPE_MISMATCH = ("SEA401", "wrong kind of value", "The value can never be of the kind that is wanted here.")
    MAY_BE_NONE = (
        "SEA402",
        "may be none",
        "The value may be none, and none does not fit here. Test it with `is some x` first.",
    )
    NOT_A_SET = ("SEA403", "not a set", "A set, place, type or range is wanted here.")
    NO_SUCH_FACT = ("SEA404", "no such fact", "The thing has no printed fact, state or place of this name.")
    TOO_LARGE = ("SEA405", "too large", "A type, board, range or number of pieces is beyond what can be worked with.")
    NOT_CONSTANT = ("SEA406", "not a constant", "The value must be known before the game begins.")
    NOT_ALL_CASES = ("SEA407", "not all cases", "Some values have no case, or a case stands twice.")
    NOT_COMPARABLE = ("SEA408", "can not be compared", "The two sides are of different kinds, so they are never equal.")
    OUT_OF_RANGE = ("SEA409", "out of range", "The value never lies in the range that is wanted here.")
    TABLE = ("SEA410", "faulty table", "A table has missing, double or unreadable entries.")
    NO_FIRST_VALUE = ("SEA411", "no first value", "A state must say its first value.")
    COPIES = (
        "SEA412",
        "copies that would differ",
        "Pieces of one kind with the same facts are alike. With a state or place of their own they would not be: let it"
        " be forgotten when they leave a place (`while in`), or number them.",
    )
    COMPONENT = ("SEA413", "faulty component", "The kinds, facts or numbers of a component do not fit together.")
    OPTION = (
        "SEA414",
        "option out of range",
        "The option has no such value, or its value does not agree with another option.",
    )
    NOT_IN_EXPRESSION = (
        "SEA415",
        "a throw must stand alone",
        "A chance procedure is thrown where its call is the whole test of an `if` or the whole value of a `let`.",
    )
    UNSUPPORTED = ("SEA416", "not supported yet", "The language has this construct, but the tool can not run it yet.")
    PICTURE = (
        "SEA417",
        "faulty picture",
        "Each cell of what a picture shows stands in it once, by its name, with room for what can be there. Words that"
        " are no cells stand in quotes.",
    )
    LOOK = (
        "SEA418",
        "faulty look",
        "A look gives kinds of pieces a shape, and says which of their facts and states are seen: `look faces of Card:"
        " card coloured suit numbered rank`.",
    )
    TERM = (
        "SEA419",
        "faulty term",
        "A term is what the rule book calls something that has a name in the rules: a language, then names with a word"
        ' or a few each, as in `term ru Card "карта"`.',
    )
    # flow and secrets
    NOT_ASSIGNABLE = (
        "SEA501",
        "can not be changed",
        "Only states can be given a value, and only where their declaration allows it.",
    )
    RECURSION = ("SEA502", "procedures in a circle", "A procedure or action calls itself, directly or through others.")
    ENDLESS_LOOP = (
        "SEA503",
        "may never end",
        "A loop must be bounded, or pass a decision or a chance event each time.",
    )
    WHO_MAY_KNOW = (
        "SEA504",
        "reveals a secret",
        "Whether and whom we ask, and whether the game is over, may read only what all see; which options there are,"
        " only what the decider sees.",
    )
    NOT_RUNNING = ("SEA505", "not running there", "`stop` names a procedure that is never running at this place.")
    MISPLACED = ("SEA506", "not allowed here", "This statement has no meaning at this place.")
    NO_FLOW = ("SEA507", "no flow", "A game needs `to play`.")
    WRONG_CARGO = ("SEA508", "can not be moved there", "The place can not hold such pieces.")
    CLOCK = (
        "SEA509",
        "clock not running",
        "A state `until end of P` is written where P does not run, or P can be on the stack twice.",
    )
    # files, games and the command line
    NOT_FOUND = ("SEA601", "not found", "There is no file, game or variant of this name.")
    DIRECTORY = ("SEA602", "a directory", "A file is wanted here, and this is a directory.")
    NOT_UTF8 = ("SEA603", "not UTF-8", "Files are text in UTF-8.")
    UNREADABLE = ("SEA604", "can not be read", "The system does not let the file be read.")
    SEVERAL_GAMES = (
        "SEA605",
        "several games",
        "A file has several games, or several variants where one is wanted: say which, as in `file.sea + name`.",
    )
    NOTHING_TO_CHECK = ("SEA606", "nothing to check", "The file has neither a game nor a variant.")
    NO_OPTION = ("SEA607", "not an option", "Options are given as `name=value`.")
    NO_RULEBOOK = (
        "SEA608",
        "no rule book",
        "The catalogue that `rulebook` names is not in rulebooks/ beside the game.",
    )
    BAD_RULEBOOK = (
        "SEA609",
        "a catalogue that does not do",
        "A catalogue has a table under `## Clauses`, whose first column is headed `id`; each id stands there once.",
    )
    # warnings
    LITERAL_SIZE = (
        "SEA901",
        "a number equals a size",
        "The number equals the size of a board or a constant, and would be wrong in a small world.",
    )
    UNREACHED = (
        "SEA902",
        "never reached",
        "What stands above ends the game, leaves the procedure, or goes on for ever.",
    )
    UNCOMBINED = (
        "SEA903",
        "not combined by the rule book",
        "The rule book neither says that these variants may be played together nor that they may not.",
    )
    TELLS = (
        "SEA904",
        "tells what is hidden",
        "What somebody sees is made from what this player may not see, or what is hidden from what all have seen.",
    )
    NO_PIECES = (
        "SEA906",
        "no pieces",
        "The indented lines below a component are its pieces; a component without them has none.",
    )
    TOO_MANY_WARNINGS = ("SEA905", "too many warnings", "After so many warnings no further ones are told.")
