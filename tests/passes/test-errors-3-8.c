/* Tests the errors of docs/host-ir.md#refusals that a script can cause. Each row has a script, the
 * expected message (tensor, axis, cause) and its position. Names start with the number there; q_
 * rows are nvFuser quirks that are rejected here, the others are meaningless schedules.
 *
 * Not included: #9, #16, #17, #20 (no script causes them), #18 (script reader), #19 (every existing
 * reduction has a collective), #21 (runs of printed programs). */
#include <string.h>

#include "fixture.h"
#include "script/script.h"

/* Line 0 of a row's body is line 8 of the script. */
#define HEAD                                                                                       \
  "from nvfuser_direct import DataType, FusionDefinition, ParallelType\n"                          \
  "from nvfuser_direct import multidevice\n"                                                       \
  "S = ParallelType.stream\n"                                                                      \
  "X = ParallelType.mesh_x\n"                                                                      \
  "Y = ParallelType.mesh_y\n"                                                                      \
  "def f():\n"                                                                                     \
  "    with FusionDefinition() as fd:\n"
#define HEAD_LINES 7

#define SUM_OF_SPLIT                                                                               \
  "d = fd.define_tensor([4, 8], True)\n"                                                           \
  "b = fd.ops.sum(d, [1])\n"                                                                       \
  "fd.add_output(b)\n"                                                                             \
  "for t in [d, b]: t.set_device_mesh(multidevice.DeviceMesh(range(2)))\n"                         \
  "d.outer_split(1, 2)\n"                                                                          \
  "d.axis(1).parallelize(X)\n"
#define SUM_TO_STREAM                                                                              \
  "a = fd.define_tensor([4, 8], True)\n"                                                           \
  "b = fd.ops.sum(a, [0])\n"                                                                       \
  "fd.add_output(b)\n"

typedef struct
{
  const char *name;
  int n_devices;
  const char *disabled; /* pass that would handle the construct (nullable) */
  const char *body;     /* lines, indented when they are read */
  const char *message;  /* start of the message; NULL: the script lowers */
  guint line, column;   /* line 1: the first of the body */
} Row;

static const Row rows[] = {
  { "1", 1, NULL,
    "a = fd.define_tensor([4, 8], True)\n"
    "b = fd.ops.set(a)\n"
    "fd.add_output(b)\n"
    "a.axis(0).parallelize(S)\n",
    "axis iStreamIdx0{4} of a (T0) cannot be a stream axis, because a (T0) is an input of the "
    "fusion and exists in full when the program starts",
    4, 9 },
  { "2", 1, NULL,
    "a = fd.define_tensor([4, 8], True)\n"
    "b = fd.ops.set(a)\n"
    "fd.add_output(b)\n"
    "b.axis(0).parallelize(S)\n"
    "b.axis(1).parallelize(S)\n",
    "b (T1) has two stream axes, iStreamIdx2{4} and iStreamIdx3{8}", 5, 9 },
  { "3split", 1, NULL,
    "a = fd.define_tensor([4, 8], True)\n"
    "b = fd.ops.set(a)\n"
    "fd.add_output(b)\n"
    "b.split(0, 2)\n"
    "b.axis(0).parallelize(S)\n",
    "axis iStreamIdx4{2} of b (T1) cannot be a stream axis, because it is a result of the split of "
    "iS2{4} by 2 at line 11; only an axis of the tensor's own shape can be: parallelize iS2{4} as a "
    "whole, or reshape the tensor",
    5, 9 },
  { "3split-obeyed", 1, NULL,
    "a = fd.define_tensor([4, 8], True)\n"
    "r = fd.ops.reshape(a, [2, 2, 8])\n"
    "b = fd.ops.set(r)\n"
    "fd.add_output(b)\n"
    "b.axis(0).parallelize(S)\n",
    NULL, 0, 0 },
  { "3split-reduced", 1, NULL,
    SUM_TO_STREAM "b.outer_split(0, 2)\n"
                  "b.axis(0).parallelize(S)\n",
    "axis rStreamIdx4{2} of b (T1) cannot be a stream axis, because it is a result of the split of "
    "rS2{4} by 2 at line 11; only an axis of the tensor's own shape can be: parallelize one that "
    "is not reduced, unlike rS2{4}",
    5, 9 },
  { "3split-reduced-obeyed", 1, NULL, SUM_TO_STREAM "b.axis(1).parallelize(S)\n", NULL, 0, 0 },
  { "3split-twice", 1, NULL,
    "a = fd.define_tensor([8, 8], True)\n"
    "b = fd.ops.set(a)\n"
    "fd.add_output(b)\n"
    "b.split(0, 4)\n"
    "b.split(0, 2)\n"
    "b.axis(0).parallelize(S)\n",
    "axis iStreamIdx6{1} of b (T1) cannot be a stream axis, because it is a result of the split of "
    "iS4{2} by 2 at line 12; only an axis of the tensor's own shape can be: reshape the tensor, and "
    "parallelize an axis of the result",
    6, 9 },
  /* The split is repeated on the copy that InsertReshardings creates for the matmul. */
  { "3split-copy", 2, NULL,
    "a = fd.define_tensor([4, 2, 8, 8], True)\n"
    "b = fd.define_tensor([8, 8], True)\n"
    "c = fd.ops.matmul(a, b)\n"
    "fd.add_output(c)\n"
    "mesh = multidevice.DeviceMesh(range(2))\n"
    "for t in [a, b, c]: t.set_device_mesh(mesh)\n"
    "a.axis(1).parallelize(X)\n"
    "c.split(0, 2)\n"
    "c.axis(0).parallelize(S)\n",
    "axis iStreamIdx17{2} of T3 (from a) cannot be a stream axis, because it is a result of the "
    "split of iS13{4} by 2 at line 15",
    9, 9 },
  { "3merge", 1, NULL,
    "a = fd.define_tensor([4, 8], True)\n"
    "b = fd.ops.set(a)\n"
    "fd.add_output(b)\n"
    "b.merge(0, 1)\n"
    "b.axis(0).parallelize(S)\n",
    "axis iStreamIdx4{32} of b (T1) cannot be a stream axis, because it is the result of the merge "
    "of iS2{4} and iS3{8} at line 11",
    5, 9 },
  { "4", 1, NULL,
    "a = fd.define_tensor([4, 8], True)\n"
    "b = fd.ops.sum(a, [0])\n"
    "fd.add_output(b)\n"
    "b.axis(0).parallelize(S)\n",
    "axis rStreamIdx2{4} of b (T1) cannot be a stream axis, because it is reduced by sum: the "
    "result has no such axis to slice",
    4, 9 },
  { "4K", 1, NULL,
    "a = fd.define_tensor([4, 8], True)\n"
    "w = fd.define_tensor([8, 3], True)\n"
    "b = fd.ops.matmul(a, w)\n"
    "fd.add_output(b)\n"
    "b.axis(-1).parallelize(S)\n",
    "axis rStreamIdx6{8} of b (T2) cannot be a stream axis, because it is the K axis that matmul "
    "sums over: the iterations would all add to the same elements",
    5, 9 },
  { "5", 1, NULL,
    "a = fd.define_tensor([4, 8], True)\n"
    "b = fd.ops.relu(a)\n"
    "fd.add_output(b)\n"
    "b.axis(0).parallelize(S)\n",
    "axis iStreamIdx2{4} of b (T1) cannot be a stream axis, because b (T1) is computed inside "
    "HostUnit0 by relu (line 9), which cannot run in a stream loop",
    4, 9 },
  { "6", 1, NULL,
    "a = fd.define_tensor([4, 8], True)\n"
    "b = fd.ops.relu(fd.ops.set(a))\n"
    "c = fd.ops.exp(b)\n"
    "fd.add_output(b)\n"
    "fd.add_output(c)\n"
    "c.axis(0).parallelize(S)\n",
    "HostUnit0 has 2 results, b (T2) and c (T3), but StreamParallelType supports only one per op",
    2, 13 },
  { "7", 1, NULL,
    "q = fd.define_tensor([4, 4], True)\n"
    "b = fd.ops.matmul(q, fd.ops.add(q, q))\n"
    "fd.add_output(b)\n"
    "b.axis(0).parallelize(S)\n",
    "two axes of q (T0), iS0{4} and iS1{4}, both belong to the stream axis iStreamIdx4{4}, but a "
    "stream loop can slice only one of them",
    4, 9 },
  { "7split", 1, NULL,
    "a = fd.define_tensor([4, 8], True)\n"
    "b = fd.ops.set(a)\n"
    "c = fd.ops.set(b)\n"
    "fd.add_output(c)\n"
    "b.split(0, 2)\n"
    "c.axis(0).parallelize(S)\n",
    "axis iStreamIdx4{4} of c (T2) cannot be a stream axis, because Set would need a slice of b "
    "(T1) along iS2{4}, but that axis was split or merged",
    6, 9 },
  { "8axis", 2, NULL,
    "mesh = multidevice.DeviceMesh(range(2))\n"
    "d = fd.define_tensor([4, 2], True)\n"
    "b = fd.ops.set(d)\n"
    "fd.add_output(b)\n"
    "for t in [b, d]: t.set_device_mesh(mesh)\n"
    "d.axis(1).parallelize(X)\n"
    "b.axis(1).parallelize(S)\n",
    "axis ideviceIdx.x1{2} of d (T0), which is over devices, cannot be exchanged stream by stream, "
    "because each shard must be one block of memory, but iS0{4} precedes the axis",
    6, 9 },
  { "10", 2, NULL,
    "a = fd.define_tensor([4, 8], True)\n"
    "b = fd.ops.set(a)\n"
    "c = fd.ops.full([4], 1.0, DataType.Float)\n"
    "fd.add_output(b)\n"
    "fd.add_output(c)\n"
    "a.set_device_mesh(multidevice.DeviceMesh(range(2)))\n",
    "c (T2) is on no mesh, but a (T0) is on DeviceMesh{0 1}", 3, 13 },
  { "11", 2, NULL,
    "mesh = multidevice.DeviceMesh(range(2))\n"
    "d = fd.define_tensor([2, 8], [True, False])\n"
    "b = fd.ops.set(d)\n"
    "fd.add_output(b)\n"
    "for t in [b, d]: t.set_device_mesh(mesh)\n"
    "d.axis(0).parallelize(X)\n",
    "d (T0) takes part in the communication of Set, but is not contiguous in memory at axis iS1{8}",
    2, 13 },
  { "12op", 2, NULL,
    "mesh = multidevice.DeviceMesh(range(2))\n"
    "d = fd.define_tensor([4, 2], True)\n"
    "b = fd.ops.set(d)\n"
    "fd.add_output(b)\n"
    "for t in [b, d]: t.set_device_mesh(mesh)\n"
    "d.axis(1).parallelize(X)\n",
    "Set would gather axis ideviceIdx.x1{2} of d (T0), which is not the outermost axis in memory, "
    "so the shards are not contiguous",
    6, 9 },
  { "12two", 2, NULL,
    "mesh = multidevice.DeviceMesh(range(2))\n"
    "d = fd.define_tensor([4, 6], True)\n"
    "b = fd.ops.set(d)\n"
    "fd.add_output(b)\n"
    "for t, i in [(d, 0), (b, 1)]:\n"
    "  t.set_device_mesh(mesh)\n"
    "  t.outer_split(i, 2)\n"
    "  t.axis(i).parallelize(X)\n",
    "Set goes from d (T0) to b (T1), which are over the same devices along different axes, but an "
    "AllToAll sends contiguous pieces",
    3, 13 },
  { "12xy", 4, NULL,
    "import torch\n"
    "mesh = multidevice.DeviceMesh(torch.arange(4).reshape(2, 2))\n"
    "d = fd.define_tensor([2, 8], True)\n"
    "b = fd.ops.set(d)\n"
    "fd.add_output(b)\n"
    "for t in [b, d]: t.set_device_mesh(mesh)\n"
    "d.axis(0).parallelize(X)\n"
    "b.axis(0).parallelize(Y)\n",
    "axis ideviceIdx.x0{2} of d (T0) is mesh_x, but the corresponding axis in b (T1), "
    "ideviceIdx.y2{2}, is mesh_y",
    8, 9 },
  { "14rs", 4, NULL,
    "d = fd.define_tensor([2, 2], True)\n"
    "b = fd.ops.sum(d, [0])\n"
    "fd.add_output(b)\n"
    "d.set_device_mesh(multidevice.DeviceMesh([0, 1]))\n"
    "b.set_device_mesh(multidevice.DeviceMesh([2, 3]))\n"
    "d.axis(0).parallelize(X)\n"
    "b.axis(1).parallelize(X)\n",
    "the sum that computes b (T1) cannot become a communication: axis ideviceIdx.x3{2} of b (T1) "
    "is over the devices of another mesh than the operand, but a ReduceScatter has only one mesh",
    7, 9 },
  { "14scatter", 4, NULL,
    "d = fd.define_tensor([2, 2], True)\n"
    "b = fd.ops.set(d)\n"
    "fd.add_output(b)\n"
    "d.set_device_mesh(multidevice.DeviceMesh([0, 1]))\n"
    "b.set_device_mesh(multidevice.DeviceMesh([2, 3]))\n"
    "b.axis(0).parallelize(X)\n",
    "the Set that computes b (T1) cannot become a communication: axis ideviceIdx.x2{2} of b (T1) "
    "is over DeviceMesh{2 3}, which shares no device with DeviceMesh{0 1}, where the operand is, "
    "but a Scatter needs a device in both as its root",
    6, 9 },
  { "14sizes", 4, NULL,
    "d = fd.define_tensor([-1, 2], True)\n"
    "b = fd.ops.set(d)\n"
    "fd.add_output(b)\n"
    "d.set_device_mesh(multidevice.DeviceMesh([0, 1]))\n"
    "b.set_device_mesh(multidevice.DeviceMesh([1, 2, 3]))\n"
    "d.axis(0).parallelize(X)\n"
    "b.axis(0).parallelize(X)\n",
    "the Set that computes b (T1) cannot become a communication: axis ideviceIdx.x2{i0} of b (T1) "
    "goes from DeviceMesh{0 1} to DeviceMesh{1 2 3}, but each device sends to exactly one other",
    7, 9 },
  { "14dims", 4, NULL,
    "import torch\n"
    "d = fd.define_tensor([2, 8], True)\n"
    "b = fd.ops.set(d)\n"
    "fd.add_output(b)\n"
    "d.set_device_mesh(multidevice.DeviceMesh(torch.arange(4).reshape(2, 2)))\n"
    "b.set_device_mesh(multidevice.DeviceMesh([0, 1]))\n",
    "the Set that computes b (T1) cannot become a communication: d (T0) is on DeviceMesh{{0 1}{2 "
    "3}}, but a Broadcast supports only one-dimensional meshes",
    3, 13 },
  { "15", 2, NULL,
    "mesh = multidevice.DeviceMesh(range(2))\n"
    "d = fd.define_tensor([2, 2], True)\n"
    "b = fd.ops.set(d)\n"
    "fd.add_output(b)\n"
    "for t in [b, d]: t.set_device_mesh(mesh)\n"
    "d.axis(0).parallelize(X)\n"
    "d.axis(1).parallelize(X)\n",
    "d (T0) has two mesh_x axes, ideviceIdx.x0{2} and ideviceIdx.x1{2}", 7, 9 },
  { "22after", 2, NULL,
    "mesh = multidevice.DeviceMesh(range(2))\n"
    "d = fd.define_tensor([2, 8], True)\n"
    "b = fd.ops.sum(d, [1])\n"
    "fd.add_output(b)\n"
    "for t in [b, d]: t.set_device_mesh(mesh)\n"
    "d.axis(0).parallelize(X)\n"
    "b.axis(0).parallelize(S)\n",
    "sum reshards, so a set of b (T1) must be inserted after it, but axis iStreamIdx2{2} of b (T1) "
    "is stream-parallel, which a set cannot take over",
    7, 9 },
  { "23", 1, NULL,
    "a = fd.define_tensor([4, 8], True)\n"
    "b = fd.ops.relu(a)\n"
    "fd.add_output(b)\n"
    "a.split(0, 2)\n",
    "a (T0) is split, merged or reordered (axis iS4{2}) and read inside a HostUnit (by relu), "
    "which knows only the memory layout of a tensor",
    4, 9 },
  { "24split", 1, NULL,
    "a = fd.define_tensor([4, 8], True)\n"
    "b = fd.ops.set(a)\n"
    "fd.add_output(b)\n"
    "b.axis(0).parallelize(S)\n"
    "b.split(0, 2)\n",
    "split: axis 0 of b (T1): only a Serial axis can be split, but this axis is stream", 5, 9 },
  { "24merge", 1, NULL,
    "a = fd.define_tensor([4, 8], True)\n"
    "b = fd.ops.set(a)\n"
    "fd.add_output(b)\n"
    "b.axis(0).parallelize(S)\n"
    "b.axis(1).parallelize(X)\n"
    "b.merge(0, 1)\n",
    "merge: axes 0 and 1 of b (T1): two parallelized axes (stream, mesh_x) cannot be "
    "merged",
    6, 9 },
  { "24reduction", 1, NULL,
    "a = fd.define_tensor([4, 8], True)\n"
    "b = fd.ops.sum(a, [1])\n"
    "fd.add_output(b)\n"
    "b.merge(0, 1)\n",
    "merge: axes 0 and 1 of b (T1): a reduced axis cannot be merged with an axis that is not "
    "reduced",
    4, 9 },
  { "24sum", 1, NULL,
    "a = fd.define_tensor([4, 8], True)\n"
    "b = fd.ops.set(a)\n"
    "b.split(0, 2)\n"
    "c = fd.ops.sum(b, [0])\n"
    "fd.add_output(c)\n",
    "sum: the loop domain of b (T1) was split, merged or reordered", 4, 13 },
  { "q_M", 1, NULL,
    "g = fd.define_tensor([2, 4, 8], True)\n"
    "h = fd.define_tensor([2, 8, 3], True)\n"
    "b = fd.ops.matmul(g, h)\n"
    "fd.add_output(b)\n"
    "b.axis(1).parallelize(S)\n",
    "axis iStreamIdx7{4} of b (T2) cannot be a stream axis, because it is the M axis of a matmul "
    "of two batched operands: without M, the batch axis of the first would be taken for M",
    5, 9 },
  { "q_N", 1, NULL,
    "g = fd.define_tensor([2, 4, 8], True)\n"
    "h = fd.define_tensor([2, 8, 3], True)\n"
    "b = fd.ops.matmul(g, h)\n"
    "fd.add_output(b)\n"
    "b.axis(2).parallelize(S)\n",
    "axis iStreamIdx8{3} of b (T2) cannot be a stream axis, because it is the N axis of a matmul "
    "whose second operand is batched: without N, its batch axis would be taken for K",
    5, 9 },
  { "8op", 2, "InsertReshardings",
    "mesh = multidevice.DeviceMesh(range(2))\n"
    "d = fd.define_tensor([2, 8], True)\n"
    "b = fd.ops.add(d, d)\n"
    "fd.add_output(b)\n"
    "for t in [b, d]: t.set_device_mesh(mesh)\n"
    "d.axis(0).parallelize(X)\n"
    "b.axis(0).parallelize(S)\n",
    "axis ideviceIdx.x0{2} of d (T0), which is over devices, cannot be exchanged stream by stream, "
    "because add of b (T1) is not a set",
    6, 9 },
  { "13", 4, "InsertReshardings",
    "d = fd.define_tensor([2, 8], True)\n"
    "b = fd.ops.sum(d, [0])\n"
    "fd.add_output(b)\n"
    "d.set_device_mesh(multidevice.DeviceMesh([0, 1]))\n"
    "b.set_device_mesh(multidevice.DeviceMesh([2, 3]))\n",
    "sum of d (T0) changes its sharding, but is a communication only if it reduces exactly one "
    "axis and that axis is over devices (it reduces 1, of which 0 are over devices)",
    2, 13 },
  /* Each advice lowers. */
  { "13-obeyed", 4, "InsertReshardings",
    "d = fd.define_tensor([2, 8], True)\n"
    "c = fd.ops.set(d)\n"
    "b = fd.ops.sum(c, [0])\n"
    "fd.add_output(b)\n"
    "d.set_device_mesh(multidevice.DeviceMesh([0, 1]))\n"
    "for t in [b, c]: t.set_device_mesh(multidevice.DeviceMesh([2, 3]))\n",
    NULL, 0, 0 },
  { "13-split", 2, NULL, SUM_OF_SPLIT,
    "sum of d (T0) changes its sharding, but is a communication only if it reduces exactly one "
    "axis and that axis is over devices (it reduces 1, of which 0 are over devices); split and "
    "parallelize the reduced axis of b (T1) like that of d (T0)",
    2, 13 },
  { "13-split-obeyed", 2, NULL,
    SUM_OF_SPLIT "b.outer_split(1, 2)\n"
                 "b.axis(1).parallelize(X)\n",
    NULL, 0, 0 },
  { "13-two", 2, NULL,
    "d = fd.define_tensor([2, 8, 4], True)\n"
    "b = fd.ops.sum(d, [0, 1])\n"
    "fd.add_output(b)\n"
    "for t in [d, b]: t.set_device_mesh(multidevice.DeviceMesh(range(2)))\n"
    "d.axis(0).parallelize(X)\n",
    "sum of d (T0) changes its sharding, but is a communication only if it reduces exactly one "
    "axis and that axis is over devices (it reduces 2, of which 1 are over devices); first reduce "
    "the other axes of d (T0), and then the one over devices, in another sum",
    2, 13 },
  { "13-two-obeyed", 2, NULL,
    "d = fd.define_tensor([2, 8, 4], True)\n"
    "c = fd.ops.sum(d, [1])\n"
    "b = fd.ops.sum(c, [0])\n"
    "fd.add_output(b)\n"
    "for t in [d, c, b]: t.set_device_mesh(multidevice.DeviceMesh(range(2)))\n"
    "for t in [d, c]: t.axis(0).parallelize(X)\n",
    NULL, 0, 0 },
  { "12add", 2, "InsertReshardings",
    "mesh = multidevice.DeviceMesh(range(2))\n"
    "d = fd.define_tensor([2, 8], True)\n"
    "e = fd.define_tensor([2, 8], True)\n"
    "b = fd.ops.add(d, e)\n"
    "fd.add_output(b)\n"
    "for t in [b, d, e]: t.set_device_mesh(mesh)\n"
    "d.axis(0).parallelize(X)\n",
    "the add that computes b (T2) cannot become a communication: the op has 2 operands, and its "
    "result is sharded differently from one of them",
    4, 13 },
  { "14gather", 4, NULL,
    "import torch\n"
    "d = fd.define_tensor([2, 8], True)\n"
    "b = fd.ops.set(d)\n"
    "fd.add_output(b)\n"
    "d.set_device_mesh(multidevice.DeviceMesh(torch.arange(4).reshape(2, 2)))\n"
    "b.set_device_mesh(multidevice.DeviceMesh([0, 1]))\n"
    "d.axis(0).parallelize(X)\n",
    "the Set that computes b (T1) cannot become a communication: axis ideviceIdx.x0{2} of d (T0) "
    "is on DeviceMesh{{0 1}{2 3}}, but a Gather supports only one-dimensional meshes",
    7, 9 },
  { "14scatterdims", 4, NULL,
    "import torch\n"
    "d = fd.define_tensor([2, 8], True)\n"
    "b = fd.ops.set(d)\n"
    "fd.add_output(b)\n"
    "b.set_device_mesh(multidevice.DeviceMesh(torch.arange(4).reshape(2, 2)))\n"
    "d.set_device_mesh(multidevice.DeviceMesh([0, 1]))\n"
    "b.axis(0).parallelize(X)\n",
    "the Set that computes b (T1) cannot become a communication: axis ideviceIdx.x2{2} of b (T1) "
    "is on DeviceMesh{{0 1}{2 3}}, but a Scatter supports only one-dimensional meshes",
    7, 9 },
  { "14reduce", 4, NULL,
    "import torch\n"
    "d = fd.define_tensor([2, 8], True)\n"
    "b = fd.ops.sum(d, [0])\n"
    "fd.add_output(b)\n"
    "d.set_device_mesh(multidevice.DeviceMesh(torch.arange(4).reshape(2, 2)))\n"
    "b.set_device_mesh(multidevice.DeviceMesh([0, 1]))\n"
    "d.axis(0).parallelize(X)\n",
    "the sum that computes b (T1) cannot become a communication: axis ideviceIdx.x0{2} of d (T0) "
    "is on DeviceMesh{{0 1}{2 3}}, but a Reduce supports only one-dimensional meshes",
    7, 9 },
  { "22before", 2, NULL,
    "mesh = multidevice.DeviceMesh(range(2))\n"
    "d = fd.define_tensor([2, 8], True)\n"
    "e = fd.define_tensor([2, 8], True)\n"
    "c = fd.ops.set(d)\n"
    "b = fd.ops.add(c, e)\n"
    "fd.add_output(b)\n"
    "for t in [b, d, c, e]: t.set_device_mesh(mesh)\n"
    "c.axis(1).parallelize(S)\n"
    "c.axis(0).parallelize(X)\n"
    "e.axis(0).parallelize(X)\n",
    "add reshards, so a set of c (T2) must be inserted before it, but axis iStreamIdx5{8} of c "
    "(T2) is stream-parallel, which a set cannot take over",
    8, 9 },
  { "rfactor", 1, NULL,
    "a = fd.define_tensor([4, 8], True)\n"
    "b = fd.ops.sum(a, [1])\n"
    "fd.add_output(b)\n"
    "b.rfactor([1])\n",
    "rfactor: all reduced axes of b (T1) are named, but one must remain for the second step", 4,
    9 },
  { "rfactor-kept", 1, NULL,
    "a = fd.define_tensor([4, 8], True)\n"
    "b = fd.ops.sum(a, [1])\n"
    "fd.add_output(b)\n"
    "b.rfactor([0])\n",
    "rfactor: axis iS2{4} of b (T1) is not reduced", 4, 9 },
  { "rfactor-stream", 1, NULL,
    "a = fd.define_tensor([4, 12], True)\n"
    "b = fd.ops.sum(a, [1])\n"
    "fd.add_output(b)\n"
    "b.split(1, 4)\n"
    "c = b.rfactor([2])\n"
    "c.axis(1).parallelize(S)\n",
    "axis iStreamIdx8{3}rf of c (T2) cannot be a stream axis, because rfactor made it by splitting "
    "an axis that sum reads whole",
    6, 9 },
  { "cache_before", 1, NULL,
    "a = fd.define_tensor([4, 8], True)\n"
    "b = fd.ops.sum(a, [1])\n"
    "fd.add_output(b)\n"
    "a.cache_before()\n",
    "cache_before: a (T0) is an input of the fusion, so no op computes it", 4, 9 },
  { "cache_fork", 1, NULL,
    "a = fd.define_tensor([4, 8], True)\n"
    "b = fd.ops.sum(a, [1])\n"
    "fd.add_output(b)\n"
    "b.cache_fork()\n",
    "cache_fork: b (T1) is not read by any op, so there is nothing to fork", 4, 9 },
  { "allocation", 1, NULL,
    "a = fd.define_tensor([4, 8], True)\n"
    "b = fd.ops.set(a)\n"
    "fd.add_output(b)\n"
    "b.set_allocation_domain([b.axis(0)], True)\n",
    "set_allocation_domain: axis iS3{8} of b (T1) is missing", 4, 9 },
};

static char *
make_script (const Row *row)
{
  GString *text = g_string_new (HEAD);
  g_auto (GStrv) lines = g_strsplit (row->body, "\n", -1);

  for (guint i = 0; lines[i] != NULL && *lines[i] != '\0'; i++)
    g_string_append_printf (text, "        %s\n", lines[i]);
  return g_string_free (text, FALSE);
}

/* Returns the error of reading or lowering the row's script. */
static GError *
dup_refusal (const Row *row)
{
  g_autofree char *text = make_script (row);
  HirSource *source = hir_source_new ("row.py", text, -1);
  g_autoptr (HirScript) script = hir_script_parse (source, NULL);
  const HirScriptOptions options = { .n_devices = row->n_devices };
  g_autoptr (HirPipeline) pipeline = hir_pipeline_new (HIR_PIPELINE_EXECUTOR);
  g_autoptr (HirLowering) lowering = NULL;
  g_autoptr (HirContainer) fusion = NULL;
  GError *error = NULL;

  hir_source_unref (source);
  fusion = hir_script_run (script, "f", &options, NULL, &error);
  if (fusion == NULL)
    return error;
  g_assert_true (row->disabled == NULL ||
                 hir_pipeline_set_enabled (pipeline, row->disabled, FALSE, &error));
  /* Not every device runs the rejected op. */
  for (int rank = 0; rank < row->n_devices; rank++)
    {
      g_clear_pointer (&lowering, hir_lowering_free);
      lowering = hir_pipeline_run (pipeline, fusion, rank, row->n_devices, NULL);
      if (lowering->error != NULL)
        return g_error_copy (lowering->error);
    }
  return NULL;
}

static void
test_row (gconstpointer data)
{
  const Row *row = data;
  g_autoptr (GError) error = dup_refusal (row);
  HirPos pos;

  if (row->message == NULL)
    {
      g_assert_no_error (error);
      return;
    }
  g_assert_nonnull (error);
  g_assert_true (error->domain == HIR_ERROR);
  pos = hir_error_get_pos (error);
  if (!g_str_has_prefix (error->message, row->message) || pos.line != row->line + HEAD_LINES ||
      pos.column != row->column)
    g_error ("%s: at %u:%u, expected %u:%u: %s", row->name, pos.line, pos.column,
             row->line + HEAD_LINES, row->column, error->message);
  g_assert_null (strchr (error->message, '\n'));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *path = g_strconcat ("/errors-3-8/", rows[i].name, NULL);

      g_test_add_data_func (path, &rows[i], test_row);
    }
  return g_test_run ();
}
