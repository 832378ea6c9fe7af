import os
import sys

try:
    from . import _scree
    from .cli import main
except ImportError as error:
    sys.exit(f"scree: {error}")

status = main()
if _scree.abandoned_work():
    # A factorisation still runs on: leave without taking its libraries apart.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)
sys.exit(status)
