"""The former name of `rosenblatt.tagging`; it goes with the next release."""

import sys
import warnings

from rosenblatt.tagging import corpus, features, schemes, spans, templates, tokenize

warnings.warn("rosenblatt.sequence is now rosenblatt.tagging", DeprecationWarning, stacklevel=2)
for module in (corpus, features, schemes, spans, templates, tokenize):
    sys.modules[f"{__name__}.{module.__name__.rpartition('.')[2]}"] = module
