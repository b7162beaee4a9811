#!/usr/bin/env python3
"""Tests that scripts of the shapes of nvFuser's own tests open unmodified, with the right fusion."""
import os
import tempfile

from program import SOURCE, from_command_line
from tap import Tap

CASES = os.path.join(SOURCE, "tests", "data", "cases", "scripts")
hirscope = from_command_line()
tap = Tap()

# Case, source below CASES, options, parts of the printed program or of the notes.
WORKS = [
    ("environment variables are not set", "environ.py::doubled", [], ["environment variables are not set"]),
    ("the first parameters are taken", "parametrize.py::test_way", [], ["way=Way.UP", "+ T0"]),
    ("--arg selects a parameter by its name", "parametrize.py::test_way", ["--arg", "way=DOWN", "--arg", "backend=nccl"],
     ["= -T0"]),
    ("pytest's id selects parameters", "parametrize.py::test_way[Way.DOWN-backend0]", [], ["= -T0"]),
    ("exec_nvfuser builds the fusion", "exec_fixture.py::test_sum", [], ["reduction("]),
    ("from_pytorch knows shape and type", "from_pytorch.py::negated", [], ["T0_g_float[iS0{i0}, iS1{i2}]"]),
    ("a method is named as pytest prints it", "test_class.py::TestNeg::test_neg", [], ["= -T0"]),
    ("a method is named with a dot", "test_class.py::TestNeg.test_neg", [], ["= -T0"]),
    ("a class with one test is found", "test_class.py", [], ["= -T0"]),
    ("negative dimensions count from the end", "negative_dims.py::scaled", [], ["ex 4"]),
    ("reciprocal takes a scalar", "scalar_reciprocal.py::mean", [], ["reduction("]),
    ("a product of sizes is a merge", "reshape_merge.py::flat", ["--input", "2x3"], ["( i0 * i2 )"]),
    ("a reshape to a number takes --input", "reshape_merge.py::flat_number", ["--input", "2x3"], ["{6}", "--input"]),
    ("a list of a sibling file is read", "sibling.py::low", [], ["__bfloat2float"]),
    ("a line after the fusion is not needed", "after_the_fusion.py::negated", [], ["= -T0"]),
    ("a row-parallel bias is added once", "row_parallel_bias.py::row_parallel", ["-d", "4"],
     ["type=Allreduce", "= broadcast( T2"]),
    ("a set between two axes is an AllToAll", "alltoall.py::transpose_shards", ["-d", "4"],
     ["type=AllToAll, team=(0 1 2 3), input"]),
    ("index_select runs", "index_ops.py::select", [], ["= index_select("]),
    ("gather runs", "index_ops.py::gather", [], ["= gather("]),
    ("scatter runs", "index_ops.py::scatter", [], ["= scatter("]),
    ("scatter takes a number", "index_ops.py::scatter_number", [], ["= scatter("]),
    ("executor parameters are accepted", "params_ignored.py::gather", ["-d", "2"],
     ["Stream", "offset_stream_indexing_by_rank has no effect here", "is --comm copy"]),
    ("a device has a block of each half", "blocks.py::blocks", ["-d", "3"], ["= -T0"]),
    ("blocks are summed", "blocks.py::summed", ["-d", "2", "--pipeline", "hostir"], ["LaunchKernel("]),
    ("rfactor divides a matmul", "rfactor_product.py::row_parallel_matmul", ["-d", "2"], ["type=Allreduce"]),
    ("rfactor divides a linear", "rfactor_product.py::row_parallel_linear", ["-d", "4"], ["type=Allreduce"]),
    ("swizzle1d sends around a ring", "swizzle1d.py::ring", ["-d", "4", "--pipeline", "hostir"], ["CollectivePermute"]),
    ("an enable option selects the pipeline", "enable_options.py::test_ring", ["-d", "2"],
     ["host_ir_lowering selects --pipeline hostir", "CollectivePermute", "Stream 0x0 = "]),
    ("an enable option in a lambda selects the pipeline", "enable_options.py::benchmark_ring", ["-d", "4"],
     ["CollectivePermute", "id_model has no effect here"]),
    ("an enable option is an option of a pass", "enable_options.py::test_add_after", ["-d", "2"],
     ["insert_resharding_after sets", "type=Allgather, team=(0 1), input=T4_"]),
    ("an option of a pass wins over an enable option", "enable_options.py::test_add_after",
     ["-d", "2", "--set", "DecomposeReshardings.insert_resharding_after=off"], ["type=Allgather, team=(0 1), input=T1_"]),
    ("the top level builds the fusion, in order", "top_level.py", [], ["* double(3)"]),
    ("the top level has a name", "top_level.py::__main__", [], ["* double(3)"]),
    ("numbers of a tensor have its type", "index_types.py::typed_data", [], ["T0_g_float[", "T1_g_int["]),
    ("dropout runs", "random_ops.py::dropout", [], ["uniform("]),
    ("a random op takes seed and offset", "random_ops.py::same_seed", [], ["normal(", "rand_like("]),
    ("ndim leaves reduction axes out", "ndim.py::product", [], ["matmul("]),
    ("the size of a slice is known to the next unit", "slice_then_neg.py::slice_then_neg", [], ["slice("]),
]

for name, source, options, parts in WORKS:
    source = os.path.join(CASES, source)
    lowered = hirscope("lower", source, *options)
    tap.check(lowered.code == 0 and all(p in lowered.out + lowered.err for p in parts), name, str(lowered))
    checked = hirscope("run", "--check", source, *options)
    tap.check(checked.code == 0 and "right" in checked.out, f"{name}: runs right", str(checked))

UNDEFINED = os.path.join(CASES, "undefined.py")
result = hirscope("lower", UNDEFINED + "::negated")
tap.check(result.code == 0 and f"{UNDEFINED}:4:24: warning: nvfuser_direct has no 'FusionDefinitoin'; did you mean 'FusionDefinition'?" in result.err
          and f"{UNDEFINED}:15:12: warning: the name 'negate' is not defined; did you mean 'negated'?" in result.err
          and f"{UNDEFINED}:20:64: warning: the name 'DataTyp' is not defined; did you mean 'DataType'?" in result.err,
          "undefined names are warnings where they are not used", str(result))
result = hirscope("lower", UNDEFINED + "::reached")
tap.check(result.code == 2 and f"{UNDEFINED}:20:64: error: the name 'DataTyp' is not defined; did you mean 'DataType'?" in result.err,
          "an undefined name that is used is an error", str(result))
result = hirscope("lower", os.path.join(CASES, "enable_options.py::test_ring"), "-d", "2", "--pipeline", "executor")
tap.check(result.code == 2 and "is not an axis of the tensor's own shape; or lower with --pipeline hostir" in result.err,
          "--pipeline wins over an enable option; the refusal names the other pipeline", str(result))
for function, words in (("scatter_types", "fd.ops.scatter: operands of type int64 and float"),
                        ("float_index", "fd.ops.gather: the index has type float, not int")):
    result = hirscope("lower", os.path.join(CASES, "index_types.py::" + function))
    tap.check(result.code == 2 and words in result.err, f"{function}: types that do not fit are rejected", str(result))
COMPAT = os.path.join(SOURCE, "tests", "data", "compat")
for source, options, parts in (
        ("modules.py::product_gradients", [], ["T3_g_float", "T4_g_float"]),
        ("modules.py::define_linear", [], ["T0_g_float[iS0{i0}, iS1{6}]", "T1_g_float[iS2{10}, iS3{6}]", "iS7{10}"]),
        ("dtensor.py::test_column_parallel", ["-d", "2"], ["ideviceIdx.x", "{5}] (DeviceMesh{0 1})"]),
        ("dtensor.py::test_gradient", ["-d", "2"], ["T1_g_float[ideviceIdx.x", "(DeviceMesh{0 1})) -> (T2"]),
        ("dtensor.py::define_gradient", ["-d", "2"], ["T1_g_float[ideviceIdx.x", "(DeviceMesh{0 1})) -> (T2"]),
        ("dtensor.py::define_product_gradient", ["-d", "2"], ["iS12{( ceilDiv(i5, 2) )}] (DeviceMesh{0 1})) -> (T2"]),
        ("literal_data.py::test_literal", [], ["T0_g_float[iS0{40}, iS1{2}, iS2{3}]"]),
        ("literal_data.py::test_offsets", [], ["T0_g_float[iS0{25}, iS1{6}, iS2{64}]"]),
        ("opaque_ops.py::test_topk", [], ["= topk(", "= topk.1("]),
        ("complex_numbers.py::test_constants", [], ["* std::complex<double>(4,-5.5)", "+ std::complex<float>(0,1)"]),
        ("complex_numbers.py::test_parts", [], ["_float[iS", "= complex(", "* std::complex<double>(0,1)"]),
        ("complex_numbers.py::test_choice", [], ["T1_g_std::complex<double>", "T2_g_double"])):
    lowered = hirscope("lower", os.path.join(COMPAT, source), *options)
    tap.check(lowered.code == 0 and all(p in lowered.out for p in parts), source, str(lowered))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "program.txt")
        with open(path, "w", encoding="utf-8") as file:
            file.write(lowered.out)
        result = hirscope("lower", path)
        tap.check(result.code == 0 and result.out == lowered.out, f"{source}: the program is read back", str(result))
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "unknown.py")
    for change in ("t.random_()", "t[n] = 2", "t[:] = torch.randn(3)", "t.view(-1)[0] = n"):
        with open(path, "w", encoding="utf-8") as file:
            file.write("import torch\nfrom nvfuser_direct import FusionDefinition\ndef f():\n"
                       f"    n, t = torch.randint(3, ()), torch.ones(3, dtype=torch.int32)\n    {change}\n"
                       "    with FusionDefinition() as fd:\n        x = fd.define_tensor([t[0].item(), 3])\n"
                       "        fd.add_output(fd.ops.neg(x))\n")
        result = hirscope("lower", path + "::f")
        tap.check(result.code == 2 and ".item(), whose value is unknown" in result.err,
                  f"{change}: the element is unknown afterwards", str(result))
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "main.py")
    with open(path, "w", encoding="utf-8") as file:
        file.write("from nvfuser_direct import FusionDefinition\nfrom parameters import N\ndef f():\n    with FusionDefinition() as fd:\n"
                   "        x = fd.define_tensor([N, 3])\n        fd.add_output(fd.ops.neg(x))\n")
    with open(os.path.join(folder, "parameters.py"), "w", encoding="utf-8") as file:
        file.write('import torch\nN = 2\nif torch.cuda.get_device_properties(0).major >= 8:\n    N = 4\nif torch.cuda.device_count() > 1:\n    N = 8\n')
    result = hirscope("lower", path + "::f")
    for line, text in ((3, "torch.cuda.get_device_properties(0).major >= 8"), (5, "torch.cuda.device_count() > 1")):
        tap.check(result.code == 0 and f"is unknown and taken as false: {text} (parameters.py, line {line})\n" in result.err,
                  f"a note on line {line} of an imported file has its expression and position", str(result))
result = hirscope("run", "--check", os.path.join(COMPAT, "complex_numbers.py::test_constants"))
tap.check(result.code == 2 and "complex_numbers.py:12:" in result.err and "T0 has type complex64" in result.err,
          "run names the tensor of a complex type, with its line", str(result))
result = hirscope("run", "--check", os.path.join(CASES, "index_types.py::complex_fill"))
tap.check(result.code == 2 and "index_types.py:27:" in result.err and "full takes a complex number" in result.err,
          "run does not drop the imaginary part of a constant", str(result))
for name in ("gathered", "gathered_inner"):
    result = hirscope("lower", os.path.join(CASES, "blocks.py::" + name), "-d", "2", "--pipeline", "hostir")
    tap.check(result.code == 2 and "its shards are not contiguous; outer_split" in result.err,
              f"{name}: a gather of shards inside another part is rejected", str(result))
result = hirscope("lower", os.path.join(CASES, "swizzle1d.py::ring"), "-d", "2", "--set",
                  "DecomposeReshardings.insert_resharding_after=on")
tap.check(result.code == 2 and "there is no pass 'DecomposeReshardings'" in result.err,
          "a pass of the pipeline that the script does not select is unknown", str(result))
result = hirscope("lower", os.path.join(CASES, "reshape_merge.py::flat_number"))
tap.check(result.code == 2 and "--input" in result.err, "without sizes, the message names --input", str(result))
SOURCE_OF_OPTIONS = os.path.join(CASES, "executor_options.py::")
with tempfile.TemporaryDirectory() as folder:
    for options, streams in (([], 2), (["--streams", "3"], 3)):
        path = os.path.join(folder, "run.hirs")
        hirscope("run", SOURCE_OF_OPTIONS + "streams", *options, "-o", path)
        with open(path, "rb") as file:
            recorded = f"'streams': <int64 {streams}>".encode() in file.read()
        result = hirscope("check", SOURCE_OF_OPTIONS + "streams", *options)
        tap.check(recorded and f"{streams} streams" in result.out, f"{streams} streams, by the script or by --streams",
                  str(result))
for options, expected in (([], True), (["--pipeline", "executor"], False), (["--pipeline", "hostir"], True)):
    result = hirscope("lower", SOURCE_OF_OPTIONS + "host_ir_lowering", *options)
    tap.check(result.code == 0 and "host_ir_lowering selects --pipeline hostir" in result.err and "fuse_matmul has no effect here" in result.err,
              f"the script chooses the pipeline, unless {options} does", str(result))
    result = hirscope("lower", SOURCE_OF_OPTIONS + "host_ir_lowering", *options, "--print", "LowerSegmentedFusionToHostIr")
    tap.check((result.code == 0) == expected, f"passes of hostir exist: {expected}", str(result))
for function in ("variance_of_one", "sum_of_none", "difference_of_powers"):
    result = hirscope("run", "--check", os.path.join(CASES, "exact_results.py::" + function))
    tap.check(result.code == 0 and "equal to the reference" in result.out, f"{function}: an exact result is decided", str(result))
result = hirscope("run", "--check", os.path.join(CASES, "exact_results.py::difference_of_products"))
tap.check(result.code == 3, "a difference of equal products is undecided, because it may be contracted", str(result))
result = hirscope("run", "--check", "--dtype", "double", os.path.join(CASES, "cast_to_bfloat16.py::product"))
tap.check(result.code == 0, "--dtype double also changes casts", str(result))
for function in ("test_numbers_fit", "test_executed"):
    source = os.path.join(CASES, "script_sizes.py::" + function)
    result = hirscope("run", "--check", source)
    tap.check(result.code == 0 and "float[2, " in result.out + result.err and "(of the script)" in result.out + result.err,
              f"{function}: the sizes are those that the script executes the fusion with", str(result))
result = hirscope("run", "--check", os.path.join(CASES, "script_sizes.py::test_executed"), "--input", "5x2", "--input", "4x2")
tap.check(result.code == 0 and "of the script" not in result.out + result.err, "--input has priority over sizes of the script",
          str(result))
result = hirscope("run", os.path.join(CASES, "index_ops.py::out_of_range"))
tap.check(result.code == 2 and "out of range; axis 0 of the operand has 5 elements" in result.err,
          "an index out of range is an error", str(result))
result = hirscope("run", "--check", os.path.join(CASES, "opaque_after_product.py::summed"))
tap.check(result.code == 2 and "cumsum is opaque" in result.err, "a check names an opaque op before it computes anything",
          str(result))
result = hirscope("lower", os.path.join(CASES, "parametrize.py::test_way[UP]"))
tap.check(result.code == 2 and "--list" in result.err, "an unknown id is reported", str(result))
result = hirscope("lower", "--list", os.path.join(CASES, "parametrize.py::test_way"))
tap.check([line.split("::")[1] for line in result.out.split()] ==
          ["test_way[Way.UP-backend0]", "test_way[Way.DOWN-backend0]"], "--list prints the ids", str(result))
source = os.path.join(COMPAT, "parameters.py::test_fixtures")
result = hirscope("lower", "--list", source)
tap.check([line.split("[")[1] for line in result.out.split()] ==
          [f"{width}-{side}-{n}]" for width in ("two", "three") for side in ("row", "column") for n in (1, 5)],
          "--list prints the parameters of fixtures before those of decorators, as pytest does", str(result))
result = hirscope("lower", source + "[three-column-5]")
tap.check("iS0{5}, iS1{3}, iS2{4}" in result.out, "an id selects the parameters of fixtures", str(result))
for size in ("1", "4", "6", "9"):
    result = hirscope("run", "--check", os.path.join(CASES, "slice_then_neg.py::slice_then_neg"), "--input", size)
    tap.check(result.code == 0, f"a slice of {size} elements runs", str(result))

tap.done()
