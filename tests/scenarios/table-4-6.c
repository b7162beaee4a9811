/* docs/host-ir.md#table-46. The passes of 2025 reject what nvFuser of 2026 first copies to another
 * layout. */
#include "scenario.h"

#define SCRIPT "tests/data/fusions/lower_communication.py"
#define FINALIZE "FinalizeMultideviceDomains|not contiguous in memory"
#define INNER "ConvertOpToCommunication|not the outermost axis in memory"

static const Scenario rows[] = {
  { "/4.6/LowerGather/0,1-to-0", SCRIPT, "LowerGather_01_to_0", 2,
    .brief = "ALLOCATE(T1) Gather(0 1)@0 Wait" },
  { "/4.6/LowerGather/0,1-to-1", SCRIPT, "LowerGather_01_to_1", 2, .brief = "Gather(0 1)@1 Wait" },
  { "/4.6/LowerGather/0,1-to-0,2", SCRIPT, "LowerGather_01_to_02", 3, .rank = 2,
    .brief = "ALLOCATE(T1) Gather(0 1)@0 Wait ALLOCATE(T1) Gather(0 1 2)@2 Wait" },
  { "/4.6/LowerGather/1,2-to-0", SCRIPT, "LowerGather_12_to_0", 3,
    .brief = "ALLOCATE(T1) Gather(1 2 0)@0 Wait" },
  { "/4.6/LowerGather/1,2-to-1", SCRIPT, "LowerGather_12_to_1", 3, .rank = 2,
    .brief = "Gather(1 2)@1 Wait" },
  { "/4.6/LowerGather/1,2-to-0,2", SCRIPT, "LowerGather_12_to_02", 3,
    .brief = "ALLOCATE(T1) Gather(1 2 0)@0 Wait ALLOCATE(T1) Gather(1 2)@2 Wait" },
  /* A fourth device is on no mesh, and its program is empty. */
  { "/4.6/LowerGather/in-no-mesh", SCRIPT, "LowerGather_12_to_02", 4, .rank = 3, .brief = "" },
  { "/4.6/LowerScatter/0-to-0,1", SCRIPT, "LowerScatter_0_to_01", 2, .rank = 1,
    .brief = "ALLOCATE(T1) Scatter(0 1)@0 Wait" },
  { "/4.6/LowerScatter/1-to-0,1", SCRIPT, "LowerScatter_1_to_01", 2, .rank = 1,
    .brief = "ALLOCATE(T1) Scatter(0 1)@1 Wait" },
  { "/4.6/LowerScatter/0,2-to-1,2", SCRIPT, "LowerScatter_02_to_12", 3,
    .brief = "Scatter(1 2)@2 Wait" },
  /* A mesh of one device is not sharded: its only shard is the whole. */
  { "/4.6/LowerSendRecv/0-to-1", SCRIPT, "LowerSendRecv_0_to_1", 2, .rank = 1,
    .brief = "ALLOCATE(T1) Broadcast(1 0)@0 Wait" },
  { "/4.6/LowerSendRecv/1-to-0", SCRIPT, "LowerSendRecv_1_to_0", 2, .rank = 1,
    .brief = "Broadcast(0 1)@1 Wait" },
  { "/4.6/LowerSendRecv/1,2-to-0,1", SCRIPT, "LowerSendRecv_12_to_01", 3, .rank = 1,
    .brief = "ALLOCATE(T1) SendRecv(1 0)@1 Wait ALLOCATE(T1) SendRecv(2 1)@2 Wait" },
  { "/4.6/LowerSendRecv/1,2-to-1,0", SCRIPT, "LowerSendRecv_12_to_10", 3, .rank = 0,
    .brief = "ALLOCATE(T1) SendRecv(1 1)@1 Wait ALLOCATE(T1) SendRecv(2 0)@2 Wait" },
  { "/4.6/Allgather", SCRIPT, NULL, 3, .rank = 1, .brief = "ALLOCATE(T1) Allgather(0 1 2) Wait" },
  { "/4.6/Allgather/2d", SCRIPT, "Allgather2d", 4, .rank = 2,
    .brief = "ALLOCATE(T1) Allgather(2 3) Wait" },
  { "/4.6/Allgather_LoopSplit", SCRIPT, NULL, 4, .rank = 3,
    .brief = "ALLOCATE(T1) Allgather(0 1 2 3) Wait", .inputs = "12" },
  { "/4.6/Broadcast", SCRIPT, NULL, 3, .rank = 1, .brief = "ALLOCATE(T1) Broadcast(0 1 2)@0 Wait" },
  { "/4.6/Broadcast/from-outside", SCRIPT, "Broadcast_from_outside", 3, .rank = 2,
    .brief = "Broadcast(0 1 2)@2 Wait" },
  { "/4.6/Reduce", SCRIPT, NULL, 3, .rank = 2, .brief = "Reduce(0 1 2)@0:add Wait" },
  { "/4.6/Reduce/to-outside", SCRIPT, "Reduce_to_outside", 3, .rank = 2,
    .brief = "ALLOCATE(T1) Reduce(0 1 2)@2:add Wait" },
  { "/4.6/Allreduce", SCRIPT, NULL, 3, .rank = 2,
    .brief = "ALLOCATE(T1) Allreduce(0 1 2):add Wait" },
  /* With one device, the reduced axis is a broadcast, and there is nothing to add. */
  { "/4.6/Allreduce_Concrete/1", SCRIPT, "Allreduce_Concrete", 1, .brief = "PostOnStream(T1)" },
  { "/4.6/Allreduce_Concrete/2", SCRIPT, "Allreduce_Concrete", 2,
    .brief = "ALLOCATE(T1) Allreduce(0 1):add Wait" },
  { "/4.6/ReduceScatter", SCRIPT, NULL, 2, .rank = 1,
    .brief = "reduction(T2) ALLOCATE(T1) ReduceScatter(0 1):add Wait", .inputs = "4x6" },
  { "/4.6/ReduceScatter_LogicalSplit", SCRIPT, NULL, 3, .rank = 2,
    .brief = "ALLOCATE(T1) ReduceScatter(0 1 2):add Wait" },
  { "/4.6/ReduceScatter_StaticShape", SCRIPT, NULL, 2, .rank = 1,
    .brief = "ALLOCATE(T1) ReduceScatter(0 1):add Wait", .inputs = "2x6" },
  { "/4.6/ReduceScatter_Allgather", SCRIPT, NULL, 2, .rank = 1,
    .brief = "ALLOCATE(T1) ReduceScatter(0 1):add Wait ALLOCATE(T2) Allgather(0 1) Wait" },
  { "/4.6/ReduceScatterNoncontig", SCRIPT, NULL, 2, .refusal = INNER "|tv1" },
  { "/4.6/AllreduceNoncontig", SCRIPT, NULL, 2, .refusal = FINALIZE "|tv0" },
  { "/4.6/Allgather_CompliantAllocation", SCRIPT, NULL, 2, .rank = 1,
    .brief = "ALLOCATE(T1) Allgather(0 1) Wait", .inputs = "6x2" },
  { "/4.6/Allgather_NonCompliantAllocation", SCRIPT, NULL, 2, .refusal = INNER "|tv0" },
  { "/4.6/Allgather_NoncontiguousOutput", SCRIPT, NULL, 2, .refusal = FINALIZE "|tv1" },
};

void
add_table_4_6 (void)
{
  scenario_add (rows, G_N_ELEMENTS (rows));
}
