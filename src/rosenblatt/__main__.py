"""``python -m rosenblatt`` is the command line."""

from rosenblatt.cli.app import main

if __name__ == "__main__":
    main()
