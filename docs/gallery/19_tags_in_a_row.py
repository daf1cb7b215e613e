"""Which tag follows which.

A tagger learns how well each tag follows another. Blue transitions have positive weights, orange
ones negative; grey ones are not allowed. See [inspect the feature
weights](../guide/tagging.md#inspect-the-feature-weights).
"""

import matplotlib.pyplot as plt

from rosenblatt import SequenceTagger
from rosenblatt.plot import plot_transitions

tagged = [
    "the/B-NP old/I-NP man/I-NP sat/B-VP on/B-PP a/B-NP mat/I-NP",
    "a/B-NP cat/I-NP has/B-VP seen/I-VP the/B-NP dog/I-NP",
    "dogs/B-NP were/B-VP barking/I-VP at/B-PP the/B-NP old/I-NP moon/I-NP",
    "she/B-NP gave/B-VP him/B-NP a/B-NP book/I-NP about/B-PP cats/B-NP",
    "the/B-NP moon/I-NP had/B-VP been/I-VP shining/I-VP on/B-PP the/B-NP mat/I-NP",
]
pairs = [[token.split("/") for token in line.split()] for line in tagged]
words = [[word for word, _ in pair] for pair in pairs]
tags = [[tag for _, tag in pair] for pair in pairs]
tagger = SequenceTagger(random_state=0).fit(words, tags)

figure, ax = plt.subplots(figsize=(6, 5), layout="constrained")
plot_transitions(tagger, ax=ax)
print(tagger.predict([["the", "cat", "sat", "on", "him"]]))
plt.show()
