"""The faults of `mutations.py` are about the source as it is."""

import pytest

from tests.mutations import FAULTS, ROOT


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault.file}: {fault.new[:40]}")
def test_a_fault_can_be_made_in_one_place_and_has_a_test_to_notice_it(fault):
    assert (ROOT / "src/rosenblatt" / fault.file).read_text().count(fault.old) == 1
    assert (ROOT / "tests" / fault.tests).exists()
