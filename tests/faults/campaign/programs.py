"""Programs of the arm ``own`` that do wrong at one of three cases."""

from collections.abc import Iterator
from functools import partial

from campaign import study
from campaign.faults import CORRECT, RECORDED, Fault
from campaign.sandbox import Sandbox

TIME_LIMIT_S = 2
# Only the case a2 meets the fault; the program is the usual one for the others.
HEAD = """\
import json, os, pathlib, signal, subprocess, sys, time
question = json.loads(sys.stdin.read())
folder = pathlib.Path(question["folder"])
def say(answer):
    print(answer if isinstance(answer, str) else json.dumps(answer))
if question["case_id"] == "a2":
    {fault}
    sys.exit()
import io
sys.stdin = io.StringIO(json.dumps(question))
"""
CHILD = "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])"
LOST = "dropped 1"

FAILED = {
    "hangs": ("time.sleep(60)", "longer than 2 s"),
    "spins": ("while True: pass", "longer than 2 s"),
    "ignores SIGTERM": ("signal.signal(15, signal.SIG_IGN); time.sleep(60)", "longer than 2 s"),
    "stops itself": ("os.kill(os.getpid(), signal.SIGSTOP)", "longer than 2 s"),
    "answers and hangs": ("say(['a']); sys.stdout.flush(); time.sleep(60)", "longer than 2 s"),
    "floods": ("while True: sys.stdout.write('x' * 65536)", "printed more than"),
    "floods standard error": ("while True: sys.stderr.write('x' * 65536)", "longer than 2 s"),
    "prints nothing": ("pass", "answer is not JSON"),
    "prints words": ("say('no idea')", "answer is not JSON"),
    "prints two answers": ("say([]); say([])", "answer is not JSON"),
    "prints half": ("say('[\"src/writer.py\"')", "answer is not JSON"),
    "prints a number": ("say(7)", "not a list of paths"),
    "prints null": ("say('null')", "not a list of paths"),
    "prints an object": ("say({'files': []})", "not a list of paths"),
    "prints no list of paths": ("say({'paths': None})", "not a list of paths"),
    "prints numbers as paths": ("say([1, 2])", "entry 1 of the answer"),
    "prints null as a path": ("say([None])", "entry 1 of the answer"),
    "scores NaN": ("say([{'path': 'a', 'score': float('nan')}])", "entry 1 of the answer"),
    "scores infinity": ('say(\'[{"path": "a", "score": 1e999}]\')', "entry 1 of the answer"),
    "scores beyond floats": ("say([{'path': 'a', 'score': 10**400}])", "entry 1 of the answer"),
    "scores in words": ("say([{'path': 'a', 'score': 'best'}])", "entry 1 of the answer"),
    "scores true": ("say([{'path': 'a', 'score': True}])", "entry 1 of the answer"),
    "an unknown key": ("say([{'path': 'a', 'why': 'x'}])", "entry 1 of the answer"),
    "100,000 brackets": ("say('[' * 100000)", "answer is not JSON"),
    "5,000 digits": ("say('[' + '9' * 5000 + ']')", "answer is not JSON"),
    "Latin-1": ("sys.stdout.buffer.write(b'[\"\\xe9\"]')", "answer is not JSON"),
    "exit 3": ("sys.exit(3)", "exit code 3"),
    "an exception": ("raise ValueError('no luck')", "ValueError: no luck"),
    "an escape in its message": ("sys.exit('\\x1b[31mred')", "red"),
    "a message of 10 MB": ("sys.exit('x' * 10**7)", "exit code 1"),
    "SIGKILL": ("os.kill(os.getpid(), 9)", "signal 9"),
    "SIGSEGV": ("os.kill(os.getpid(), 11)", "signal 11"),
    "aborts": ("os.abort()", "signal 6"),
    "kills its group": ("os.killpg(0, 9)", "signal 9"),
}
DROPPED = {
    "a path outside": "say(['/etc/passwd', 'src/writer.py'])",
    "a path up": "say(['../../etc/passwd', 'src/writer.py'])",
    "a path that is not there": "say(['nothing.py', 'src/writer.py'])",
    "a folder": "say(['src', 'src/writer.py'])",
    "an empty path": "say(['', 'src/writer.py'])",
    "half a surrogate pair": "say(['\\ud800', 'src/writer.py'])",
    "a NUL": "say(['a\\0', 'src/writer.py'])",
    "an escape": "say(['\\x1b[31m', 'src/writer.py'])",
}
SOUND = {
    "a whole path": "say([str(folder / 'src/writer.py')])",
    "a dot before": "say(['./src/writer.py'])",
    "no path": "say([])",
    "a path twice": "say(['src/writer.py', 'src/writer.py'])",
    "UTF-16": "sys.stdout.buffer.write('[]'.encode('utf-16-le'))",
    "leaves a child": f"say(['src/writer.py']); {CHILD}",
    "leaves a child that holds the pipe": (
        "say(['src/writer.py']); sys.stdout.flush(); "
        "subprocess.Popen(['sleep', '60'], stdout=sys.stdout)"
    ),
    "writes into its folder": (
        "say(['src/writer.py']); (folder / 'new.py').write_text('x'); "
        "os.chmod(folder / 'src/parser.py', 0o600); (folder / 'src/parser.py').write_text('x')"
    ),
    "empties its folder": "say(['src/writer.py']); __import__('shutil').rmtree(folder)",
    "fills its scratch folder": (
        "say(['src/writer.py']); pathlib.Path('big').write_bytes(bytes(10**7)); "
        "pathlib.Path(os.environ['TMPDIR'], 'more').mkdir()"
    ),
    "nests 1,500 folders": (
        "say(['src/writer.py']); [(os.mkdir('d'), os.chdir('d')) for _ in range(1500)]"
    ),
    "locks its scratch folder": "say(['src/writer.py']); os.mkdir('d'); os.chmod('d', 0)",
    "links out of its folder": "say(['src/writer.py']); os.symlink('/etc', 'etc')",
    "100,000 processes' worth of words": "say(['src/writer.py']); sys.stderr.write('x' * 10**6)",
    "a byte order mark": "sys.stdout.buffer.write(b'\\xef\\xbb\\xbf[\"src/writer.py\"]')",
    "spaces around": "say('  \\n[\"src/writer.py\"]\\n\\n ')",
}


def write_program(sandbox: Sandbox, fault: str) -> None:
    """Writes the program with its fault."""
    program = HEAD.replace("{fault}", fault) + study.runs.PROGRAM
    sandbox.path("program.py").write_text(program)
    values = study.study_values()
    values["arms"]["own"] |= {"time_limit_s": TIME_LIMIT_S, "output_limit_bytes": 1_000_000}
    study.write_values(sandbox.path("study.yaml"), values)


def all_faults() -> Iterator[Fault]:
    """Yields every input of this table."""
    for name, (fault, says) in FAILED.items():
        make = partial(write_program, fault=fault)
        yield Fault("programs", name, RECORDED, make, says, name in ("prints half", "SIGKILL"))
    for name, fault in DROPPED.items():
        yield Fault("programs", name, RECORDED, partial(write_program, fault=fault), LOST)
    for name, fault in SOUND.items():
        yield Fault("programs", name, CORRECT, partial(write_program, fault=fault))
