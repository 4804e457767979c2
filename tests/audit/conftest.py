import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from tests.audit.sample_home import SampleHome, filled


@pytest.fixture
def home(tmp_path: Path) -> SampleHome:
    """Eight records: two publications, answers, records of an unknown type."""
    return filled(tmp_path / "home")
