"""The commands of ``rosenblatt serve``, one file each."""
