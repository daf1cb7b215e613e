"""How many features are needed?

Shrunken centroids move the class means towards the overall mean, and features drop out on the way.
The threshold is chosen by cross-validation. See [shrunken
centroids](../guide/closed-form.md#shrunken-centroids).
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_classification

from rosenblatt import NearestCentroid
from rosenblatt.plot import plot_path

X, y = make_classification(
    120, 500, n_informative=12, n_redundant=0, n_clusters_per_class=1, class_sep=1.2, random_state=1
)
model = NearestCentroid(shrink_threshold="cv").fit(X, y)

figure, ax = plt.subplots(figsize=(7, 4.6), layout="constrained")
plot_path(model, ax=ax)
left = model.path_.n_features[(model.path_.thresholds == model.threshold_).argmax()]
print(f"threshold {model.threshold_:.2f} leaves {left} of {X.shape[1]} features")
plt.show()
