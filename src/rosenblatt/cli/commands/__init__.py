"""The commands of ``rosenblatt``, one file each: their options, and what they print."""
