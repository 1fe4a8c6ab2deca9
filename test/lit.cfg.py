# The lit suite of attn. lit reads this through build/test/lit.site.cfg.py.
import os

import lit.formats

config.name = "attn"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["python", "benchmark", "toolchain", "Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.attn_binary_root, "test")

# attn-opt and attn-sim come from the build; FileCheck, not and split-file from LLVM.
config.environment["PATH"] = os.pathsep.join([config.attn_tools_dir, config.llvm_tools_dir, os.environ["PATH"]])
# Asks the compiler whether emitted AscendC is well formed.
config.substitutions.append(
    (
        "%clang_ascendc",
        "clang++ -std=c++17 -fsyntax-only -Wall -Wextra -Werror -x c++ "
        f"-I {config.attn_source_root}/include "
        f"-I {config.attn_source_root}/include/attn/Simulator/AscendC/Device",
    )
)
# The stand-in for the vendor's compiler; only tests that name it use it.
config.substitutions.append(("%standin_bisheng", f"{config.test_source_root}/toolchain/bin/bisheng"))
config.substitutions.append(("%tools_dir", config.attn_tools_dir))
config.substitutions.append(("%{path}", config.environment["PATH"]))
config.substitutions.append(("%python", config.attn_python))
config.substitutions.append(("%source_root", config.attn_source_root))
# LLVM's own libraries are not instrumented, so the bounds of containers that cross into them look wrong.
# Likewise the arenas of libMLIR: headers that we compile poison them, and the library does not know.
config.environment["ASAN_OPTIONS"] = "detect_container_overflow=0:allow_user_poisoning=0"
