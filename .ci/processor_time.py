"""Run a command, print its processor time, and fail if it fails or takes longer.

python .ci/processor_time.py 120 python -m sphinx docs html
"""

import resource
import subprocess
import sys


def main(limit: str, *command: str) -> int:
    """Return the exit code."""
    status = subprocess.run(command, check=False).returncode
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = used.ru_utime + used.ru_stime
    print(f"{seconds:.0f} s of processor time, at most {limit}")
    return status or int(seconds > float(limit))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
