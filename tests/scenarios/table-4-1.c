/* docs/host-ir.md#table-41, both suites: StreamParallelType alone on a segmented program, and the
 * whole pipeline. The sizes are those of the table. */
#include "scenario.h"

#define SCRIPT "tests/data/fusions/stream_lowering.py"
#define PASS "SegmentFusion StreamParallelType"
#define LOOP " GetCurrentStream FOR FOR"
#define BODY(op) "SetCurrentStream " op " SetCurrentStream Synchronize"
#define SELECT "HirAliasSelect "

/* A row in both suites. */
#define ROW(function, ...)                                                                         \
  { "/4.1/HirLowerStreamTest/" #function, SCRIPT, NULL, 1, .passes = PASS, __VA_ARGS__ },          \
  {                                                                                                \
    "/4.1/MultiDeviceExecutorLowerStreamTest/" #function, SCRIPT, NULL, 1, __VA_ARGS__             \
  }
#define REFUSED(function, ...)                                                                     \
  ROW (function, .refusal = "StreamParallelType|cannot be a stream axis|" __VA_ARGS__)

static const Scenario rows[] = {
  REFUSED (InputsAreNotStreamParallelized, "input of the fusion"),
  REFUSED (Split, "result of the split"),
  REFUSED (Merge, "result of the merge"),
  ROW (SingleSetOp, .top = "ALLOCATE" LOOP, .body = BODY (SELECT SELECT "Set"), .inputs = "4x8"),
  ROW (SingleSetOpNonOutermost,
       .top = "ALLOCATE" LOOP,
       .body = BODY (SELECT SELECT "Set"),
       .inputs = "4x8"),
  ROW (SingleBinaryOp,
       .top = "ALLOCATE" LOOP,
       .body = BODY (SELECT SELECT SELECT "binary"),
       .inputs = "4x4 4x4"),
  ROW (TwoSetOps,
       .top = "ALLOCATE ALLOCATE" LOOP,
       .body = BODY (SELECT SELECT "Set " SELECT "Set"),
       .inputs = "4x8"),
  ROW (ThreeSetOpsWithDisjointsForLoops,
       .top = "ALLOCATE" LOOP " Set ALLOCATE" LOOP,
       .body = BODY (SELECT SELECT "Set"),
       .inputs = "4x8"),
  REFUSED (ReductionUnsupported, "reduced by sum"),
  ROW (Reduction,
       .top = "ALLOCATE" LOOP,
       .body = BODY (SELECT SELECT "reduction"),
       .inputs = "4x8x2"),
  ROW (Matmul_M,
       .top = "ALLOCATE" LOOP,
       .body = BODY (SELECT SELECT "matmul"),
       .inputs = "8x4 4x2"),
  ROW (BatchedMatmul,
       .top = "ALLOCATE" LOOP,
       .body = BODY (SELECT SELECT "matmul"),
       .inputs = "16x8x4 4x2"),
  ROW (Matmul_N,
       .top = "ALLOCATE" LOOP,
       .body = BODY (SELECT SELECT "matmul"),
       .inputs = "8x4 4x2"),
  REFUSED (Matmul_K, "matmul sums over"),
  REFUSED (DoNotSupportPostOnStream, "inside HostUnit"),
  REFUSED (DoNotSupportPostOnStream_unit, "inside HostUnit"),
};

void
add_table_4_1 (void)
{
  scenario_add (rows, G_N_ELEMENTS (rows));
}
