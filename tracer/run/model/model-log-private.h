/* Internal declarations of the logs of the modelled clock. */
#pragma once

#include "run/model/model-log.h"

G_BEGIN_DECLS

struct _HirModelMark
{
  gatomicrefcount ref_count;
  gboolean known;
  gint64 time_ns;
};

typedef enum
{
  HIR_MODEL_ENTRY_ISSUE,
  HIR_MODEL_ENTRY_ISSUED,
  HIR_MODEL_ENTRY_RUN,
  HIR_MODEL_ENTRY_RECORD,
  HIR_MODEL_ENTRY_WAIT,
  HIR_MODEL_ENTRY_POST,
  HIR_MODEL_ENTRY_SYNCHRONIZE,
  HIR_MODEL_ENTRY_COUNT_BEGIN,
  HIR_MODEL_ENTRY_COUNT_END,
} HirModelEntryKind;

/* A rendezvous of several ranks, or of the two sides of a message. */
typedef struct
{
  guint n, n_arrived;
  gint64 bytes;
  gint64 start_ns; /* start of the last participant */
} HirModelRendezvous;

/* A HirModelMeeting that is resolved in another group. */
typedef struct
{
  char *key; /* owned */
  char side;
  guint n;
  gint64 bytes;
} HirModelWanted;

typedef struct
{
  HirModelEntryKind kind;
  guint stream, channel;
  gint64 bytes, flops;
  gboolean launches, has_event;
  guint64 instruction; /* ISSUE */
  HirEvent event;
  HirModelMark *mark;  /* owned; nullable */
  GPtrArray *meetings; /* POST: HirModelPlace*, borrowed from the group */
  gint64 start_ns;     /* POST: start, once known */
  GArray *wanted;      /* HirModelWanted: replaces meetings in a deferred group */
} HirModelEntry;

/* Work of a stream or channel. */
typedef struct
{
  gint64 start_ns, end_ns;
} HirModelSpan;

struct _HirModelGroup
{
  gboolean is_deferred; /* deferred: no log is resolved here */
  GMutex lock;
  GPtrArray *logs;      /* HirModelLog* */
  GHashTable *meetings; /* "key#number" -> HirModelPlace */
};

struct _HirModelLog
{
  HirModel *model;
  HirRecorder *recorder;
  HirModelGroup *group;
  GQueue entries;       /* HirModelEntry*, not resolved */
  GQueue posted;        /* HirModelEntry*: started, with unknown end */
  GHashTable *n_posted; /* "key/side" -> count */
  gint64 issue_start_ns, issue_end_ns;
  gint64 count_start_ns, counted_ns;
  GArray *spans; /* HirModelSpan: work and transfers; NULL if not needed */
};

/* Appends a copy of @entry to @log; takes ownership of its contents. @event is nullable. */
void hir_model_log_push (HirModelLog *log, const HirModelEntry *entry, const HirEvent *event);
/* Creates a mark without a time. */
HirModelMark *hir_model_mark_new (void);
/* Frees a HirModelEntry. */
void hir_model_entry_free (gpointer entry);

G_END_DECLS
