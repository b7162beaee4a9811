#!/usr/bin/env python3
"""test-code.py HIRSCOPE [GROUP...]

Tests the tab with the CUDA C of the selected instruction.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "app"))

from program import SOURCE  # noqa: E402
from room import PASSES, focus_window, opened, run_groups  # noqa: E402

LIBRARIES = os.path.join(os.environ.get("HIR_TEST_BUILDDIR", os.path.join(SOURCE, "build")), "tests", "tracer", "cuda")
PICTURES = os.environ.get("HIR_TEST_PICTURES")


def picture(w, name):
    if PICTURES:
        w.settle()
        w.screenshot(os.path.join(PICTURES, name))


def open_program(room, *words, **options):
    """Open a program at its last pass."""
    w = room.open(*words, **options)
    w.wait(opened, "the workspace")
    w.key(*["j"] * (len(PASSES) - 1))
    w.wait(lambda s: s["step"] == PASSES[-1] and opened(s), "the last pass")
    return w


def select_line(w, text, at=120):
    w.key("2")
    w.wait(lambda s: s["text_page"] == "ir" and text in text_of(s), "the program text")
    line = w.line_with(text)
    w.click(line["x"] + at, line["y"])
    w.wait(lambda s: any("selected" in other["marks"] for other in s["lines"] if text in other["text"]), "the selection")
    w.key("4")


def text_of(s):
    return "\n".join(line["text"] for line in s["lines"])


def has(*texts):
    return lambda s: s["text_page"] == "cuda" and all(text in text_of(s) for text in texts)


def test_selection(t, room):
    """The code follows the selection, and the text can be searched."""
    w = open_program(room, "example:matmul_RS_through_bcast", "-d", "2", size=(1600, 1000))
    w.key("4")
    w.wait(has("HostUnit0_copy on rank 0", "T7_matmul on rank 0"), "the code of all instructions")
    select_line(w, "PostOnStream")
    s = w.wait(lambda s: has("launch 1 of 1: HostUnit0_copy", "HIR_KERNEL void")(s) and "matmul" not in text_of(s),
               "the code of the HostUnit")
    t.check("// grid 4, block 256, shared memory 0 bytes, vectors of 4 elements" in text_of(s),
            "the launch configuration is shown", text_of(s))
    picture(w, "code-dark.png")
    select_line(w, "= matmul", 30)
    s = w.wait(lambda s: has("cublasLtMatmul, T7_matmul")(s) and "HostUnit0" not in text_of(s), "the matrix product")
    picture(w, "code-product.png")
    t.check("m 64, n 128, k 64" in text_of(s) and "HIR_KERNEL" not in text_of(s), "a product has a problem and no source",
            text_of(s))
    select_line(w, "Communication ", 30)
    w.wait(has("no generated code: a collective of the communicator, by default NCCL"), "what a collective calls instead")
    w.key("Escape")
    w.wait(has("HostUnit0_copy on rank 0", "T7_matmul on rank 0"), "all again without a selection")
    w.key("ctrl+f")
    w.type("out_p1")
    w.wait(lambda s: s["found"] == "1 of 3", "the matches")
    w.key("Escape")
    room.end(t, w)


def test_save(t, room):
    """The code is saved as a file for nvcc."""
    path = room.path("unit.cu")
    w = open_program(room, "example:reduction", size=(1024, 700), dark=False)
    w.key("4")
    w.wait(has("T3_sum on rank 0", "shared memory 1024 bytes"), "the code")
    picture(w, "code-light.png")
    w.click_control("Save…")
    w.wait(lambda s: s["dialogs"], "the file chooser")
    w.focus_newest()
    w.key("ctrl+a")
    w.type(path)
    w.key("Return")
    focus_window(w)
    w.wait(lambda s: os.path.exists(path), "the file")
    with open(path) as file:
        saved = file.read()
    t.check("#define HIR_TID ((int) threadIdx.x)" in saved and "namespace launch1" in saved and "\nT3_sum (" in saved,
            "the file has the definitions and the kernel", saved[-2000:])
    room.end(t, w)


def test_changes(t, room):
    """The code is generated again for a changed program, and is not available for some documents."""
    path = room.path("sum.py", SCRIPT)
    w = room.open(path + "::small", size=(1600, 1000))
    w.wait(opened, "the workspace")
    w.key("4")
    w.wait(has("float[8, 4]"), "the code")
    w.key("F2")
    w.wait(lambda s: s["text_page"] == "script" and w.focus(), "the editor")
    w.key("ctrl+Home", "Down", "Down", "Down", "Down", "Down", "Home", *["Right"] * INDENT)
    w.type("1")
    w.wait(lambda s: "[18, 4]" in text_of(s) and not s["lowering"], "the change")
    w.key("Escape", "4")
    w.wait(has("float[18, 4]"), "the code of the changed program")
    w.key("1", "ctrl+z", "4")
    w.wait(has("float[8, 4]"), "the code after undo")
    room.end(t, w)


def test_recording(t, room):
    """A recording of GPUs has its script: the code is generated, and the library's kernel is named."""
    path = room.path("gpu.hirs")
    ran = room.program("run", "example:ag_matmul", "-d", "2", "--backend", "cuda", "-o", path,
                       env={"HIRSCOPE_CUDA_LIBRARY_PATH": LIBRARIES, "FAKE_CUDA_DEVICES": "2"})
    t.check(ran.code == 0, "the recording", ran)
    w = open_program(room, path, size=(1600, 1000))
    select_line(w, "= matmul", 30)
    w.wait(has("cublasLtMatmul, T6_matmul", "// recorded: T6_matmul (nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_NNT)"), "the product")
    room.end(t, w)

    w = room.open(os.path.join(SOURCE, "tests", "data", "cases", "programs", "launch_kernel_2026.txt"), size=(1600, 1000))
    w.wait(lambda s: s["page"] == "workspace" and s["graph"]["nodes"], "a printed program")
    w.key("4")
    w.wait(has("the printed program has no source of nvFuser's kernel of group 1"), "that there is no source")
    room.end(t, w)


INDENT = len("x = fd.define_tensor([")
SCRIPT = """from nvfuser_direct import FusionDefinition, DataType


def small():
    with FusionDefinition() as fd:
        x = fd.define_tensor([8, 4], contiguity=True, dtype=DataType.Float)
        fd.add_output(fd.ops.add(x, x))
    return fd
"""

run_groups([test_selection, test_save, test_changes, test_recording])
