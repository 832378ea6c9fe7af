import sys

try:
    from .cli import main
except ImportError as error:
    sys.exit(f"scree: {error}")

sys.exit(main())
