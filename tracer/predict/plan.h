/* The work of a program as a graph: what the hosts issue, what runs on streams and channels, and
 * what waits for what. Made by a dry run; durations come from a recording (measure.h). */
#pragma once

#include "program/program.h"
#include "record/recorder.h"

G_BEGIN_DECLS

#define HIR_PLAN_NONE G_MAXUINT

/* What work needs of a GPU. */
typedef enum
{
  HIR_WORK_FREE,          /* no multiprocessors: fills, copy engines, and work of other back ends */
  HIR_WORK_KERNEL,        /* a kernel that computes */
  HIR_WORK_COMMUNICATION, /* a kernel that communicates */
  HIR_WORK_COPY,          /* a copy on the device */
  HIR_N_WORK_CLASSES,
} HirWorkClass;

/* A piece of the work of a node. */
typedef struct
{
  const char *name;  /* borrowed from the recording; NULL: that of the node */
  guint8 kind;       /* HirEventKind */
  guint8 work_class; /* HirWorkClass */
  gint64 gap_ns;     /* from the end of the piece before; 0 for the first */
  gboolean is_known; /* ns is measured */
  double ns;         /* with nothing beside it, once all members have started it */
  gint64 bytes, flops;
} HirPlanPart;

typedef enum
{
  HIR_PLAN_WORK, /* a task on a stream */
  HIR_PLAN_WAIT, /* a stream waits */
  HIR_PLAN_POST, /* a communication on a channel */
} HirPlanKind;

typedef struct
{
  guint8 kind; /* HirPlanKind */
  gboolean is_dropped;
  guint rank;        /* index in ranks */
  guint issue;       /* index in issues */
  guint previous;    /* the node before on its stream or channel */
  guint after;       /* POST: the last node of the stream that posts; WAIT: what it waits for */
  guint after_issue; /* WAIT: it waits for no time before the start of this issue */
  guint occurrence;  /* number among the nodes of its rank, instruction and iteration */
  guint first_member, n_members; /* POST: in members: what it takes part in */
  guint transfer;                /* POST: the part that transfers */
  gboolean is_silent;            /* POST: it has no event, but other members do; its part takes no
                                  * time and ends with theirs */
  gint64 launch_ns;              /* from the start of the issue; -1: its end */
  HirEvent event;                /* of the dry run */
  GArray *parts;                 /* HirPlanPart; owned */
} HirPlanNode;

typedef struct
{
  gboolean has_event, launches, is_dropped;
  guint rank;
  guint64 instruction;
  guint occurrence; /* number among the issues of its rank, instruction and iteration */
  HirEvent event;   /* iteration -1 if it has none */
  gint64 gap_ns;    /* from the end of the issue before */
  gint64 ns;
} HirPlanIssue;

/* A communication of several ranks. */
typedef struct
{
  guint n;       /* members that have to start it */
  GArray *nodes; /* guint: its posts */
} HirPlanMeeting;

typedef struct
{
  HirProgram *program;   /* owned */
  HirRecorder *recorder; /* borrowed: has the tracks and strings of the events */
  GArray *ranks;         /* int: numbers of the ranks */
  GArray *issues;        /* HirPlanIssue; those of a rank are contiguous, in order */
  GArray *nodes;         /* HirPlanNode; those of a rank are contiguous, in order */
  GArray *meetings;      /* HirPlanMeeting */
  GArray *members;       /* guint: indices in meetings */
  GArray *starts;        /* guint: first issue of each rank */
} HirPlan;

/* Identifies an execution of an instruction. */
typedef struct
{
  guint64 instruction;
  gint32 iteration;
  guint rank, occurrence;
  guint kind; /* what is meant by it */
} HirPlanKey;

/* Hashes a HirPlanKey. */
guint hir_plan_key_hash (gconstpointer key);
/* Compares two HirPlanKey. */
gboolean hir_plan_key_equal (gconstpointer a, gconstpointer b);

/**
 * hir_plan_new:
 * @program: a lowered or printed program
 * @n_streams: numberOfStreams
 * @recorder: must outlive the plan
 *
 * Executes @program without computing. Work has no parts and issues have no times yet.
 *
 * Returns: (transfer full): NULL and sets @error if the program cannot run
 */
HirPlan *hir_plan_new (HirProgram *program,
                       gint64 n_streams,
                       HirRecorder *recorder,
                       GCancellable *cancellable,
                       GError **error) G_GNUC_WARN_UNUSED_RESULT;
void hir_plan_free (HirPlan *plan);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirPlan, hir_plan_free)

/* Returns a copy of @plan, whose durations may be changed. */
HirPlan *hir_plan_copy (const HirPlan *plan);
/* Drops all executions of @instruction, a Synchronize or Wait. Returns their number. */
guint hir_plan_drop (HirPlan *plan, guint64 instruction);

#define hir_plan_get_node(plan, i) (&g_array_index ((plan)->nodes, HirPlanNode, (i)))
#define hir_plan_get_issue(plan, i) (&g_array_index ((plan)->issues, HirPlanIssue, (i)))
#define hir_plan_get_part(node, i) (&g_array_index ((node)->parts, HirPlanPart, (i)))

G_END_DECLS
