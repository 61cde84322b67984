"""`python -m jb_filters read example` is `jb-read example`."""

from jb_filters import main

main()
