"""Where the repository is that tests look into."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
