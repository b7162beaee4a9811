/* Shared by the files of the modelled clock's log. */
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

/* Several ranks, or two sides of a message, in one place. */
typedef struct
{
  guint n, n_arrived;
  gint64 bytes;
  gint64 start_ns; /* of the last */
} HirModelPlace;

/* A HirModelMeeting whose place is elsewhere. */
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
  GPtrArray *meetings; /* HirModelPlace*, borrowed from the board; POST */
  gint64 start_ns;     /* POST, once it has begun */
  GArray *wanted;      /* HirModelWanted, in place of meetings: of a log that is packed */
} HirModelEntry;

/* What a stream or channel did. */
typedef struct
{
  gint64 start_ns, end_ns;
} HirModelSpan;

struct _HirModelGroup
{
  gboolean elsewhere; /* no log of it is settled here */
  GMutex lock;
  GPtrArray *logs;      /* HirModelLog* */
  GHashTable *meetings; /* "key#number" -> HirModelPlace */
};

struct _HirModelLog
{
  HirModel *model;
  HirRecorder *recorder;
  HirModelGroup *board;
  GQueue entries;       /* HirModelEntry*, not settled */
  GQueue posted;        /* HirModelEntry*: begun, end not known */
  GHashTable *n_posted; /* "key/side" -> count */
  gint64 issue_start_ns, issue_end_ns;
  gint64 count_start_ns, counted_ns;
  GArray *spans; /* HirModelSpan: work and transfers; NULL: nobody asks */
};

/* Takes what @entry owns. @event: nullable. */
void hir_model_log_push (HirModelLog *log, const HirModelEntry *entry, const HirEvent *event);
HirModelMark *hir_model_mark_new (void);
void hir_model_entry_free (gpointer entry);

G_END_DECLS
