"""`pip install .`: CMake builds the compiled part, setuptools packs it. Needs what `tools/setup.sh python` installs."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = pathlib.Path(__file__).resolve().parent


def version():
    return re.search(r"project\(assay VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


class CMakeBuild(build_ext):
    def build_extension(self, extension):
        build = pathlib.Path(self.build_temp).resolve()
        options = ["-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_UNITY_BUILD=ON", "-DASSAY_BUILD_PYTHON=ON", f"-DPython_EXECUTABLE={sys.executable}"]
        options += [f"-DASSAY_BUILD_{part}=OFF" for part in ("CLI", "TESTS", "BENCH", "EXAMPLES")]
        options += ["-DASSAY_WITH_TORCH=OFF", "-DASSAY_WITH_ONNX=OFF"]
        try:
            import pybind11

            options.append(f"-Dpybind11_DIR={pybind11.get_cmake_dir()}")
        except ImportError:
            pass  # Debian's pybind11-dev is found without help
        if shutil.which("ninja"):
            options.append("-GNinja")
        jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", str(os.cpu_count() or 1))
        subprocess.run(["cmake", "-S", str(ROOT), "-B", str(build), *options], check=True)
        subprocess.run(["cmake", "--build", str(build), "--target", "assay_python", "-j", jobs], check=True)
        module = next((build / "python" / "assay").glob("_core*.so"))
        target = pathlib.Path(self.get_ext_fullpath(extension.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(module, target)


setup(version=version(), ext_modules=[Extension("assay._core", sources=[])], cmdclass={"build_ext": CMakeBuild})
