/* Internal declarations of HirTrace. */
#pragma once

#include "trace/baseline.h"
#include "trace/columns.h"
#include "trace/comm-records.h"
#include "trace/edge.h"
#include "trace/event-source.h"
#include "trace/flow.h"
#include "trace/intern.h"
#include "trace/pyramid.h"
#include "trace/trace-values.h"

G_BEGIN_DECLS

typedef struct
{
  HirTrack info;
  HirColumns columns;
  HirPyramid pyramid;
  guint n_lanes, n_crowded;
  double least, largest; /* of a counter's samples; both 0 if there are none */
} HirTrackData;

/* A communication record and its event. */
typedef struct
{
  HirCommRecord record;
  guint track;
  guint index;             /* HIR_NO_EVENT: not in the trace */
  gint64 start_ns, end_ns; /* of all events with its rank and correlation, including copies */
} HirCommRecordRow;

/* An edge and its events. HIR_NO_EVENT: not in the trace. */
typedef struct
{
  HirEdge edge;
  guint from_index, to_index;
} HirEdgeRow;

struct _HirTrace
{
  gatomicrefcount ref_count;
  GPtrArray *tracks; /* HirTrackData* */
  HirStringTable strings;
  HirIdTable instructions;   /* index 0 is id 0: none */
  GArray *meetings;          /* HirCommRecordRow; sorted once finished */
  GArray *meetings_by_event; /* guint: indices in meetings, sorted by track and index */
  GArray *meetings_by_call;  /* guint: indices in meetings, sorted by rank and correlation */
  GArray *edges;             /* HirEdgeRow */
  GArray *edges_by_event;    /* guint: see edge.c */
  GArray *flows;             /* HirFlowPoint, in the order of the source */
  GArray *values;            /* HirTraceValue */
  GArray *baselines;         /* HirBaseline; sorted once finished */
  GArray *samples;           /* HirBaselineSample; reduced to baselines when finished */
  GPtrArray *sources;        /* HirEventSource*: files with the arguments of events */
  GHashTable *meta;
  GPtrArray *account; /* char*, NULL-terminated once finished */
  GArray *left_out;   /* HirEventRef, sorted: see left-out.h */
  GHashTable *fused;  /* set of guint32: names of kernels that compute and communicate */
  guint64 n_events;
  gint64 start_ns, end_ns; /* without the events left out */
};

/* Creates a trace with the string "" and the instruction "none". Returns NULL if out of memory. */
HirTrace *hir_trace_new_empty (void);
/* Creates an array that owns HirTraceValue items. */
GArray *hir_trace_values_new (void);
/* Adds a record. Returns FALSE if it is invalid or the table is full. */
gboolean hir_comm_records_add (HirTrace *trace, const HirCommRecord *record);
/* Finds the events of all records and sorts the records. Call when the tracks are sorted. */
void hir_comm_records_finish (HirTrace *trace);
/* Sorts the records again, after their numbers changed. */
void hir_comm_records_sort (HirTrace *trace);
/* Returns how long the communication of record @at transfers: the shortest time of its ranks, since
 * the last one to start waits for no other. A send that ends before its receive starts does not
 * count: its data was buffered. Returns 0 if the trace has no event of it. */
gint64 hir_comm_records_get_transfer_ns (const HirTrace *trace, guint at);
/* Computes start_ns and end_ns from all events that are not left out. */
void hir_trace_measure_span (HirTrace *trace);
/* Adds a line (transfer full) to the account of a finished trace. */
void hir_trace_add_account (HirTrace *trace, char *line);
/* Reduces the samples to baselines, and sorts those. */
void hir_baselines_finish (HirTrace *trace);
/* Adds an edge. Returns FALSE if it is invalid or the table is full. Add the tracks first. */
gboolean hir_edges_add (HirTrace *trace, const HirEdge *edge);
/* Finds the events of all edges. Call when the tracks are sorted. */
void hir_edges_finish (HirTrace *trace);
#define HIR_ALL_RANKS G_MININT
/* Adds @shift_ns to the times of the flow points of @rank, or of HIR_ALL_RANKS. */
void hir_flows_shift (HirTrace *trace, int rank, gint64 shift_ns);

G_END_DECLS
