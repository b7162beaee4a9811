/* Columns of Nsight's tables that Hirscope reads from the arguments of an event. */
#pragma once

#include "trace/trace.h"

G_BEGIN_DECLS

typedef enum
{
  HIR_NSIGHT_CONTEXT,
  HIR_NSIGHT_GRID_X,
  HIR_NSIGHT_GRID_Y,
  HIR_NSIGHT_GRID_Z,
  HIR_NSIGHT_BLOCK_X,
  HIR_NSIGHT_BLOCK_Y,
  HIR_NSIGHT_BLOCK_Z,
  HIR_NSIGHT_REGISTERS,
  HIR_NSIGHT_STATIC_MEMORY,
  HIR_NSIGHT_DYNAMIC_MEMORY,
  HIR_NSIGHT_COPY_KIND,
  HIR_NSIGHT_COPY_FROM,
  HIR_NSIGHT_COPY_TO,
  HIR_NSIGHT_FILL_VALUE,
  HIR_NSIGHT_FILL_MEMORY,
  HIR_NSIGHT_SYNC_TYPE,
  HIR_NSIGHT_EVENT_ID,
  HIR_N_NSIGHT_VALUES,
} HirNsightValue;

/* Sets @values, of HIR_N_NSIGHT_VALUES numbers, from @args, JSON members without braces (nullable),
 * and from the @name of the event. Unknown kinds of memory are -1, other unknown values 0. */
void hir_nsight_values_read (gint64 *values, HirEventKind kind, const char *name, const char *args);

G_END_DECLS
