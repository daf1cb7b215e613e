"""Model files whose checksums are right and whose content is not."""

import pytest

from rosenblatt import load, save
from rosenblatt.persist import container
from tests.models.zoo import fitted


@pytest.fixture
def forged(tmp_path):
    """Save a model, change what is in the file, and try to load it."""

    def load_changed(setting, change, **options):
        path = tmp_path / "m.model"
        save(fitted(setting, **options), path)
        header, arrays = container.read(path)
        change(header, arrays)
        container.write(path, header, arrays)
        return load(path)

    return load_changed
