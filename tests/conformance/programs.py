"""A program that answers wrongly in one of many ways, chosen by its argument; started by the tests of the runner."""

import json
import os
import subprocess
import sys
import time

WAY = sys.argv[1]
ANSWERS = {
    "right": '{"code_points": "41"}',
    "lower-case": '{"code_points": "0041"}',
    "wrong": '{"code_points": "42"}',
    "script": '{"code_points": "<script>alert(1)</script>&\\""}',
    "garbage": "Segmentation fault <b>",
    "list": "[1]",
    "empty-object": "{}",
    "two-answers": '{"code_points": "41", "error": []}',
    "float": '{"error": [0.5]}',
    "negative": '{"error": [-1, 2]}',
    "bool": '{"error": [true]}',
    "number": '{"code_points": 41}',
    "huge-number": '{"error": [' + "9" * 60000 + "]}",
    "deep": "[" * 60000,
    "nan": "NaN",
    "not-utf-8": None,
    "unsupported": '{"unsupported": true}',
    "no-span": '{"error": []}',
    "blank": "",
}
HELLO = {"name": "<b>\x1b[31mtest\ud800", "version": ["1", 2]} if WAY == "script" else {"name": "test", "version": "1"}


def answer() -> None:  # noqa: C901
    if WAY == "hang":
        time.sleep(600)
    elif WAY == "hang-with-child":
        subprocess.run([sys.executable, "-c", "import time; time.sleep(600)"])
    elif WAY == "leaves-descendant":
        print("last words", file=sys.stderr, flush=True)
        sleep = [sys.executable, "-c", "import time; time.sleep(30)"]
        subprocess.Popen(sleep, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, start_new_session=True)
        sys.exit(3)
    elif WAY == "exit":
        sys.exit(3)
    elif WAY == "die":
        print("\x1b[2Jlast words", file=sys.stderr, flush=True)
        os.abort()
    elif WAY == "endless-line":
        while True:
            sys.stdout.write("x" * 65536)
    elif WAY == "endless-lines":
        while True:
            print(ANSWERS["right"])
    elif WAY == "endless-complaints":
        for _ in range(3000):
            print("x" * 1000, file=sys.stderr)
        print(ANSWERS["right"], flush=True)
    elif WAY == "closes-output":
        os.close(1)
        time.sleep(600)
    elif WAY == "not-utf-8":
        sys.stdout.buffer.write(b'{"code_points": "\xff"}\n')
        sys.stdout.flush()
    elif WAY == "twice":
        print(ANSWERS["right"] + "\n" + ANSWERS["right"], flush=True)
    else:
        print(ANSWERS[WAY], flush=True)


if WAY == "silent":
    sys.exit(0)
for line in sys.stdin:
    if json.loads(line)["op"] == "hello":
        print(json.dumps(HELLO), flush=True)
    else:
        answer()
