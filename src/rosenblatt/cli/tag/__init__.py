"""The commands of ``rosenblatt tag``, one file each."""
