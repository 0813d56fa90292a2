"""Forms that a user builds to blow up tables or automata: built within bounds, or refused with a reason."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from eightfold import Row
from support.command_line import ENVIRONMENT

ASCII = Row(0, 0x7F, (0, 0x7F))

HEAD = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
resource.setrlimit(resource.RLIMIT_CPU, (10, 10))
import eightfold
from eightfold import Form, Row
from eightfold.forms import FaultRow, Signature, fault_row
ASCII = Row(0, 0x7F, (0, 0x7F))


def tried(form):
    for data in (b"a", b"a\\x80\\x80\\xff" * 9, bytes(range(256))):
        eightfold.decode(data, form, "replace")
        eightfold.tally(data, form)
        list(eightfold.faults(data, form))
        eightfold.convert(data, form, "utf-8", "replace")
    eightfold.encode("a\\x80", form, "replace")


try:
    tried({form})
except (ValueError, OverflowError, MemoryError) as error:
    print("refused:", str(error)[:200])
else:
    print("built")
"""
BLOWN_UP = {
    # The derivative of each state by each byte differs, if an automaton were made of alternatives.
    "prefixes of one another that branch": "Form('f', [ASCII] + [Row(0x100 + n, 0x100 + n, *[(0x80 + (n >> k) % 2) "
    "for k in range(12)]) for n in range(4096)])",
    "many long rows": "Form('f', [ASCII] + [Row(0x1000 + n, 0x1000 + n, 0x80 + n % 128, *[0x80 + n // 128] * 250) "
    "for n in range(1000)])",
    "rows of 255 units that part at the end": "Form('f', [ASCII] + [Row(0x100 + n, 0x100 + n, *[0x80] * 254, n) "
    "for n in range(256)])",
    "1,024 rows of 255 units that part at the end": "Form('f', [Row(0x100 + n, 0x100 + n, *[0x80] * 253, "
    "n >> 8, n & 255) for n in range(1024)])",
    "as many units as may be, in short rows": "Form('f', [ASCII] + [Row(0x100 + n, 0x100 + n, *[0x80] * 6, "
    "n >> 8, n & 255) for n in range(1023)])",
    "as many units as may be, in long rows": "Form('f', [ASCII] + [Row(0x100 + n, 0x100 + n, *[0x80] * 254, n) "
    "for n in range(32)])",
    "as many rows as may be": "Form('f', [Row(n, n, n >> 8, n & 255) for n in range(1024)])",
    "as many names as may be": "Form('f', [ASCII], names=[fault_row('overlong', *[(0x80, 0xFF)] * 5, 0x80 + (n >> 7), "
    "0x80 + (n & 127)) for n in range(1024)])",
    "many rows": "Form('f', [Row(n, n, n) for n in range(60_000)], unit_bits=16)",
    "many rows of 32 bits": "Form('f', [Row(2 * n, 2 * n, 4 * n + 1) for n in range(100_000)], unit_bits=32)",
    "more rows than states": "Form('f', [Row(n, n, n >> 8, n & 255) for n in range(65_536)])",
    "many names": "Form('f', [ASCII], names=[fault_row('overlong', 0xC0 + n % 64, (0x80, 0xBF), "
    "*[(0x80 + n // 64, 0xBF)] * 20) for n in range(2000)])",
    "names that overlap": "Form('f', [ASCII], names=[fault_row('overlong', *[(0x80, 0xFF)] * n) "
    "for n in range(1, 256)])",
    "units that overlap": "Form('f', [ASCII], units=[fault_row('overlong', *[(0x80, 0xFF)] * n) "
    "for n in range(1, 256)])",
    "units without an end": "Form('f', [ASCII], units=[FaultRow('overlong', ((0x80 + n, 0xFF),), run=((0x80, 0xFF),)) "
    "for n in range(100)])",
    "ranges of the largest width": "Form('f', [Row(0, 0xFFFFFFFF, (0, 0xFFFFFFFF))], unit_bits=32)",
    "more code points than there are": "Form('f', [Row(0, 2**64 - 1, (0, 2**32 - 1), (0, 2**32 - 1))], unit_bits=32)",
    "a huge number": "Form('f', [Row(10**30, 10**30, 0x80)])",
    "a huge unit": "Form('f', [Row(0, 0, 10**30)])",
    "a huge product": "Form('f', [Row(0, 256**200 - 1, *[(0, 255)] * 200)])",
    "a long name": "Form('f' * 10_000_000, [ASCII])",
    "a name of surrogates": "Form('\\ud800', [ASCII])",
    "many signatures": "Form('f', [ASCII], signatures=[Signature(n.to_bytes(2, 'big'), Form(f's{n}', [ASCII])) "
    "for n in range(2000)])",
    "a long signature": "Form('f', [ASCII], signatures=[Signature(b'x' * 5_000_000, Form('s', [ASCII]))])",
    "no rows": "Form('f', [])",
    "an empty row": "Form('f', [Row(0, 0)])",
}


@pytest.mark.skipif(sys.platform != "linux", reason="the limits of a process are Linux's")
@pytest.mark.parametrize("name", BLOWN_UP)
def test_tables_made_to_blow_up_are_built_within_bounds_or_refused(name: str) -> None:
    program = HEAD.format(form=BLOWN_UP[name])
    start = time.monotonic()
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=ENVIRONMENT, check=False)
    print(f"{time.monotonic() - start:.1f} s", done.stdout)
    assert done.returncode == 0, done.stderr[-800:]
    assert done.stdout.startswith(("built", "refused: "))
