"""The command line, ``rosenblatt COMMAND``: one file a command, and nothing but what they share."""
