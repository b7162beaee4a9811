/* docs/host-ir.md#table-42, from the example scripts, on 1 to 8 devices. */
#include "scenario.h"

#define SCRIPT "app/examples/multi_device.py"
#define TOP " GetCurrentStream FOR FOR"
#define BODY(op) "SetCurrentStream " op " SetCurrentStream Synchronize"
#define COMM(type) "HirAliasSelect HirAliasSelect ALLOCATE " type " Wait"
#define EXCHANGE "IF{HirAliasSelect Set}ELSE{StartCoalescing recv send EndCoalescing Wait}"

/* A row on 2, 3, 4 and 8 devices. */
#define ON(n, row, script_function, ...)                                                           \
  {                                                                                                \
    "/4.2/" row "/" #n, SCRIPT, script_function, n, __VA_ARGS__                                    \
  }
#define ROW(row, script_function, ...)                                                             \
  ON (2, row, script_function, __VA_ARGS__), ON (3, row, script_function, __VA_ARGS__),            \
      ON (4, row, script_function, __VA_ARGS__), ON (8, row, script_function, __VA_ARGS__)

static const Scenario rows[] = {
  ROW ("Allgather", "allgather", .top = "ALLOCATE" TOP, .body = BODY (COMM ("Allgather"))),
  ROW ("Allreduce", "allreduce", .top = "ALLOCATE" TOP, .body = BODY (COMM ("Allreduce:add"))),
  ROW ("ReduceScatter",
       "reduce_scatter",
       .top = "ALLOCATE" TOP,
       .body = BODY (COMM ("ReduceScatter:add"))),
  ROW ("AG_matmul",
       "ag_matmul",
       .top = "ALLOCATE ALLOCATE" TOP,
       .body = BODY (COMM ("Allgather") " HirAliasSelect matmul")),
  ROW ("matmul_AR",
       "matmul_AR",
       .top = "ALLOCATE ALLOCATE" TOP,
       .body = BODY ("HirAliasSelect HirAliasSelect matmul HirAliasSelect ALLOCATE Allreduce:add "
                     "Wait")),
  ROW ("matmul_RS_through_bcast",
       "matmul_RS_through_bcast",
       .top = "PostOnStream ALLOCATE ALLOCATE" TOP,
       .body = BODY ("HirAliasSelect HirAliasSelect HirAliasSelect matmul HirAliasSelect ALLOCATE "
                     "ReduceScatter:add Wait")),
  ROW ("AllgatherP2p",
       "allgather_p2p",
       .top = "ALLOCATE" TOP,
       .body = BODY ("HirAliasSelect " EXCHANGE)),
  ROW ("AG_matmul_P2p",
       "AG_matmul_P2p",
       .top = "ALLOCATE ALLOCATE" TOP,
       .body = BODY ("HirAliasSelect " EXCHANGE " HirAliasSelect matmul")),
};

void
add_table_4_2 (void)
{
  scenario_add (rows, G_N_ELEMENTS (rows));
}
