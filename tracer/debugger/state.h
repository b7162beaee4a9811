/* Where a debugged program stands, as data: what goes over the control protocol, and what a window
 * shows. Immutable once it is made. */
#pragma once

#include <gio/gio.h>

#include "debugger/debugger.h"

G_BEGIN_DECLS

typedef struct
{
  char *name;
  gboolean is_current;
  HirStreamState doing;
  char *label;     /* "" where it rests */
  gint32 iteration;
  char *waits_for; /* "": for none */
  guint n_queued;
} HirDebugStateStream;

typedef struct
{
  guint64 size_bytes;
  gboolean is_input;
  GArray *names; /* int: T<name> */
} HirDebugStateBuffer;

/* A communication that a rank has posted and not waited for. */
typedef struct
{
  guint64 instruction;
  char *label; /* "T5 = Allgather(T4) ..." */
} HirDebugStatePending;

typedef struct
{
  int rank;
  guint64 instruction; /* the next one; 0: at its end, or inside one */
  guint number;        /* of it in the text, from 1 */
  gint32 iteration;
  guint depth;
  guint64 n_steps;
  char *place;         /* "before #12 Allgather T5 in iteration 2" */
  GPtrArray *streams;  /* HirDebugStateStream* */
  GPtrArray *buffers;  /* HirDebugStateBuffer* */
  GPtrArray *pending;  /* HirDebugStatePending* */
} HirDebugStateRank;

typedef struct
{
  char *where;     /* "Allgather T5 in iteration 1 on rank 0" */
  guint64 instruction;
  gboolean is_waited_in; /* a stream stands in it; else it is queued behind other work */
  GArray *posted;  /* gint64 ranks */
  GArray *missing;
} HirDebugStateComm;

typedef struct
{
  guint number;
  gboolean is_watch, is_temporary, is_disabled;
  guint n_hits;
  char *text;
  GArray *ids; /* guint64; empty: any instruction */
} HirDebugStateBreak;

typedef struct
{
  char *text;          /* what the console says; "" */
  char *error;         /* nullable: why the line was not done */
  guint column;        /* of that in the line; 0: none */
  gboolean is_running; /* started; what follows is of use */
  gboolean is_over, is_alone; /* over: ended, and all that was issued is done */
  char *failure;       /* ""; else why it can't go on from here */
  guint focus;         /* which of the ranks is looked at */
  guint64 round;
  GPtrArray *ranks;       /* HirDebugStateRank* */
  GPtrArray *comms;       /* HirDebugStateComm*: not done */
  GPtrArray *breakpoints; /* HirDebugStateBreak* */
} HirDebugState;

void hir_debug_state_free (HirDebugState *state);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirDebugState, hir_debug_state_free)

/* Of @debugger now, after hir_debug_run_quiesce(), and of a line that was just done: its @text, and
 * @error (nullable). Floating, a{sv}. */
GVariant *
hir_debug_state_to_variant (HirDebugger *debugger, const char *text, const GError *error);
/* Takes any a{sv}: what is missing is empty, what contradicts itself is left out. */
HirDebugState *hir_debug_state_new_from_variant (GVariant *variant);

G_END_DECLS
