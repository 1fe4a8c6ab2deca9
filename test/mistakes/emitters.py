"""Mistakes that could be made in the emitters, by emitter; `scripts/plant_mistakes.py` makes them.

Those in one file follow each other, so that each costs one small build.
"""

import ascendc
import hivm
import linalg
import objects

MISTAKES = {"AscendC": ascendc.MISTAKES, "HIVM": hivm.MISTAKES, "Linalg": linalg.MISTAKES, **objects.MISTAKES}
