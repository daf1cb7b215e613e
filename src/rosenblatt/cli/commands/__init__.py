"""The commands of ``rosenblatt``, one file each: what they check, run and print.

The options of those that learn are declared in `rosenblatt.training.command_options`, those on
tagged files in `rosenblatt.training.tagger_options`, and those that say how files are read in
`rosenblatt.readers.command_options`.
"""
