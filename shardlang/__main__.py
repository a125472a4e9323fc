"""`python -m shardlang`."""

from shardlang.cli import main

if __name__ == "__main__":
    main()
