"""The kernel perceptron, and the kernel values it is made of."""
