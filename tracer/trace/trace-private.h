/* Inside of HirTrace, for trace.c, trace-builder.c and their tests. */
#pragma once

#include "trace/columns.h"
#include "trace/edge.h"
#include "trace/event-source.h"
#include "trace/intern.h"
#include "trace/comm-records.h"
#include "trace/pyramid.h"
#include "trace/trace-values.h"

G_BEGIN_DECLS

typedef struct
{
  HirTrack info;
  HirColumns columns;
  HirPyramid pyramid;
  guint n_lanes, n_crowded;
  double least, largest; /* of a counter's samples; both 0 where there are none */
} HirTrackData;

/* A row of the table of meetings, and its event. */
typedef struct
{
  HirCommRecord meeting;
  guint track;
  guint index; /* HIR_NO_EVENT: the trace does not have it */
  gint64 start_ns, end_ns; /* of all events with its rank and correlation, copies too */
} HirCommRecordRow;

/* A row of the table of edges, and its events. HIR_NO_EVENT: the trace does not have it. */
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
  HirIdTable instructions; /* place 0 is id 0: none */
  GArray *meetings;          /* HirCommRecordRow; sorted once finished */
  GArray *meetings_by_event; /* guint: places in meetings, by track and index */
  GArray *meetings_by_call;  /* guint: places in meetings, by rank and correlation */
  GArray *edges;             /* HirEdgeRow */
  GArray *edges_by_event;    /* guint: see edge.c */
  GArray *values;            /* HirTraceValue */
  GPtrArray *sources;        /* HirEventSource*: files that events have their args in */
  GHashTable *meta;
  GPtrArray *account; /* char*, NULL-terminated once finished */
  guint64 n_events;
  gint64 start_ns, end_ns;
};

/* With one string, "", and one instruction, none. NULL where memory can't be had. */
HirTrace *hir_trace_new_empty (void);
/* Of HirTraceValue, which it owns. */
GArray *hir_trace_values_new (void);
/* FALSE: there are too many, or it makes no sense. */
gboolean hir_comm_records_add (HirTrace *trace, const HirCommRecord *meeting);
/* Once the tracks are sorted: finds the events, and sorts. */
void hir_comm_records_finish (HirTrace *trace);
/* Anew, after numbers changed. */
void hir_comm_records_sort (HirTrace *trace);
/* Computes start_ns and end_ns from all events. */
void hir_trace_measure_span (HirTrace *trace);
/* A line of a finished trace's account. Takes @line. */
void hir_trace_add_account (HirTrace *trace, char *line);
/* The same for edges; to be added once the tracks are there. */
gboolean hir_edges_add (HirTrace *trace, const HirEdge *edge);
void hir_edges_finish (HirTrace *trace);

G_END_DECLS
