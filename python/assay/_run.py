"""What all long calls share: seed, threads, memory, progress."""
import operator
import sys


class _Bar:
    """tqdm where it is installed, else a line on stderr."""

    def __init__(self):
        self._bar, self._shown = None, -1
        try:
            from tqdm.auto import tqdm

            self._bar = tqdm(total=100, unit="%", bar_format="{l_bar}{bar}| {elapsed}<{remaining}")
        except ImportError:
            pass

    def __call__(self, done, what):
        percent = int(100 * done)
        if self._bar is not None:
            self._bar.set_description_str(what)
            self._bar.update(max(0, percent - self._bar.n))
        elif percent > self._shown:
            self._shown = percent
            print(f"\rassay: {percent:3d} %  {what}", end="", file=sys.stderr, flush=True)

    def close(self):
        if self._bar is not None:
            self._bar.close()
        elif self._shown >= 0:
            print(file=sys.stderr)


class Running:
    """Options of a call as the compiled module takes them; closes the bar it may have opened."""

    def __init__(self, seed=0, threads=0, memory_limit=None, progress=None):
        self._bar = _Bar() if progress is True else None
        callback = self._bar if self._bar is not None else (progress or None)
        if callback is not None and not callable(callback):
            raise TypeError(f"progress: expected True or a function of (done, what), got {progress!r}")
        seed, threads = operator.index(seed), operator.index(threads or 0)
        if not 0 <= seed < 2**64:
            raise ValueError(f"seed {seed}: expected a whole number, 0 or more")
        if not 0 <= threads <= 4096:
            raise ValueError(f"threads {threads}: expected 1 to 4096, or 0 for one per core")
        self.options = {
            "seed": seed,
            "threads": threads,
            "memory_limit": "" if memory_limit is None else str(memory_limit),
            "progress": callback,
        }

    def __enter__(self):
        return self.options

    def __exit__(self, *_):
        if self._bar is not None:
            self._bar.close()
