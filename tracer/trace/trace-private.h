/* Inside of HirTrace, for trace.c, trace-builder.c and their tests. */
#pragma once

#include "trace/columns.h"
#include "trace/intern.h"
#include "trace/pyramid.h"

G_BEGIN_DECLS

typedef struct
{
  HirTrack info;
  HirColumns columns;
  HirPyramid pyramid;
  guint n_lanes;
} HirTrackData;

struct _HirTrace
{
  gatomicrefcount ref_count;
  GPtrArray *tracks; /* HirTrackData* */
  HirStringTable strings;
  HirIdTable instructions; /* place 0 is id 0: none */
  GHashTable *meta;
  GPtrArray *account; /* char*, NULL-terminated once finished */
  guint64 n_events;
  gint64 start_ns, end_ns;
};

/* With one string, "", and one instruction, none. NULL where memory can't be had. */
HirTrace *hir_trace_new_empty (void);

G_END_DECLS
