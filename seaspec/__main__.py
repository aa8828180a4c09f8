"""`python -m seaspec`: the same as the command `seaspec`."""

import sys

from seaspec.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
