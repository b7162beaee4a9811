/* The state of a paused program as data, for the control protocol and the window. Immutable. */
#pragma once

#include <gio/gio.h>

#include "debugger/debugger.h"

G_BEGIN_DECLS

typedef struct
{
  char *name;
  gboolean is_current;
  HirStreamState doing;
  char *label; /* "" if idle */
  gint32 iteration;
  char *waits_for; /* "": none */
  guint n_queued;
} HirDebugStateStream;

typedef struct
{
  guint64 size_bytes;
  gboolean is_input;
  GArray *names; /* int: names of tensors */
} HirDebugStateBuffer;

/* A communication that a rank has posted but not waited for. */
typedef struct
{
  guint64 instruction;
  char *label; /* "T5 = Allgather(T4) ..." */
} HirDebugStatePending;

typedef struct
{
  int rank;
  guint64 instruction; /* id of the next instruction; 0: the rank has ended or is inside one */
  guint number;        /* its line in the text, from 1 */
  gint32 iteration;
  guint depth;
  guint64 n_steps;
  char *place;        /* "before program line 12, Allgather T5 in iteration 2" */
  GPtrArray *streams; /* HirDebugStateStream* */
  GPtrArray *buffers; /* HirDebugStateBuffer* */
  GPtrArray *pending; /* HirDebugStatePending* */
} HirDebugStateRank;

typedef struct
{
  char *where; /* "Allgather T5 in iteration 1 on rank 0" */
  guint64 instruction;
  gboolean is_waited_in; /* a stream is blocked in it; otherwise it is queued */
  GArray *posted;        /* gint64 ranks */
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

/* A displayed expression; see the command display. */
typedef struct
{
  guint number;
  char *text;   /* the expression */
  char *value;  /* in one line; why there is none if is_error */
  char *detail; /* all that print shows */
  gboolean is_error;
  guint64 digest; /* of all elements: differs if one of them does */
} HirDebugStateDisplay;

typedef struct
{
  char *text;                 /* output of the console; never NULL */
  char *error;                /* nullable: why the line was rejected */
  guint column;               /* of the error in the line; 0: none */
  gboolean is_running;        /* started; the members below are valid */
  gboolean is_over, is_alone; /* is_over: ended, and all issued work has finished */
  char *failure;              /* why the program cannot continue; "": it can */
  guint focus;                /* index of the displayed rank */
  guint64 round;
  GPtrArray *ranks;       /* HirDebugStateRank* */
  GPtrArray *comms;       /* HirDebugStateComm*: unfinished */
  GPtrArray *breakpoints; /* HirDebugStateBreak* */
  GPtrArray *displays;    /* HirDebugStateDisplay* */
} HirDebugState;

void hir_debug_state_free (HirDebugState *state);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirDebugState, hir_debug_state_free)

/**
 * hir_debug_state_to_variant:
 * @text: output of the last line
 * @error: (nullable): error of the last line
 * @displays: (nullable): hir_console_displays_to_variant(); takes a floating reference
 *
 * Serializes the state of @debugger. Call after hir_debug_run_quiesce().
 *
 * Returns: (transfer floating): a{sv}
 */
GVariant *hir_debug_state_to_variant (HirDebugger *debugger,
                                      const char *text,
                                      const GError *error,
                                      GVariant *displays);
/* Reads any a{sv}. Missing values are empty, and inconsistent values are ignored. */
HirDebugState *hir_debug_state_new_from_variant (GVariant *variant);

G_END_DECLS
