/* Writes the documented schema. */
#include <string.h>

#include "query/query-private.h"

static void
write_tables (const HirQueryTable *tables, HirTextOut *out)
{
  for (const HirQueryTable *table = tables; table->name != NULL; table++)
    {
      hir_text_out_printf (out, "-- %s\nCREATE TABLE %s (\n", table->help, table->name);
      for (const HirQueryColumn *column = table->columns; column->name != NULL; column++)
        hir_text_out_printf (out, "  %-15s %s%-*s -- %s\n", column->name, column->type,
                             8 - (int) strlen (column->type), column[1].name != NULL ? "," : "",
                             column->help);
      hir_text_out_add (out, ");\n\n");
    }
}

void
hir_query_write_schema (HirTextOut *out)
{
  write_tables (hir_query_get_event_tables (), out);
  write_tables (hir_query_get_row_tables (), out);
  write_tables (hir_query_get_program_tables (), out);
  hir_text_out_add (out,
                    "-- arg(event_id, 'key'): an argument that another profiler recorded, or NULL\n"
                    "-- percentile(value, percent): nearest-rank percentile of a group\n");
}
