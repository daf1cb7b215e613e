"""What is written for the processor: vector instructions, threads, Python objects."""
