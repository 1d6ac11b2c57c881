#!/usr/bin/env bash
# The Python to use: one with NumPy where there is one, for another python3 may come first on PATH.
for candidate in python3 /usr/bin/python3; do
  if "$candidate" -c 'import numpy' 2>/dev/null; then echo "$candidate"; exit 0; fi
done
command -v python3
