/* A run of the history: its program, settings and trace, in memory or as a recording on disk. */
#pragma once

#include "join/join.h"
#include "program/document-recording.h"
#include "program/run-settings.h"

G_BEGIN_DECLS

typedef enum
{
  HIR_RUN_KIND_RUN,
  HIR_RUN_KIND_DEBUG,     /* a session of the debugger */
  HIR_RUN_KIND_RECORDING, /* an opened recording */
  HIR_RUN_KIND_ATTACHED,  /* a trace of another profiler, tied to the program */
} HirRunKind;

typedef enum
{
  HIR_RUN_RUNNING,
  HIR_RUN_UNCHECKED,
  HIR_RUN_CORRECT,
  HIR_RUN_INCORRECT,
  HIR_RUN_UNDECIDED, /* see HIR_CHECK_UNDECIDED */
  HIR_RUN_STOPPED,
  HIR_RUN_FAILED,
} HirRunVerdict;

/* The program of a run, compared with the current one of its document. */
typedef enum
{
  HIR_RUN_PROGRAM_OPEN,           /* the same */
  HIR_RUN_PROGRAM_EARLIER,        /* before a change */
  HIR_RUN_PROGRAM_OTHER_FUNCTION, /* of the same script */
  HIR_RUN_PROGRAM_OTHER_SCRIPT,
} HirRunProgram;

/* Belongs to the thread of the document. A worker may hold a reference, but reads only @program,
 * @ranks and @trace, which do not change meanwhile. */
typedef struct
{
  guint number;  /* 1, 2, ... in the order in which they were added */
  guint ordinal; /* the number in the title: among the runs of its session */
  HirRunKind kind;
  HirRunVerdict verdict;
  HirRunSettings settings;
  gboolean has_settings; /* FALSE: the recording does not contain them */
  HirRequest *request;
  guint64 end_hash;       /* see hir_program_get_end_hash() */
  HirProgram *program;    /* NULL while only on disk, like the next two */
  HirRankPrograms *ranks; /* nullable: not known */
  HirTrace *trace;        /* also NULL before the first events */
  HirJoin *join;          /* nullable: how an attached trace was tied, without its events */
  char *path;             /* nullable: recording on disk */
  gboolean owns_path;     /* it is in the cache: delete it with the entry, unless it stays */
  gboolean stays;         /* for later sessions */
  gboolean is_kept;       /* of an earlier session */
  guint shown_order;      /* the higher, the later it was displayed; 0: not in this session */
  guint64 file_bytes;     /* size at @path if it is owned */
  gint64 start_us;        /* wall time, since 1970 */
  gint64 total_ns;        /* from the first to the last event */
  char *stopped;          /* nullable: see HIR_META_STOPPED */
  char *name;             /* nullable; a run with a name is pinned */
  gboolean was_shown;     /* displayed when it was deleted */
  gboolean is_saved;      /* under a path that the user chose */
  gboolean is_writing;    /* a worker writes the recording */
  gboolean cannot_write;  /* writing has failed before */
} HirRunEntry;

/* Creates an entry for a run of @program that starts now. @settings is nullable. */
HirRunEntry *hir_run_entry_new (HirRunKind kind,
                                HirProgram *program,
                                HirRankPrograms *ranks,
                                const HirRunSettings *settings);
/* Creates an entry without anything, for a run that is only on disk. */
HirRunEntry *hir_run_entry_new_empty (void);
HirRunEntry *hir_run_entry_ref (HirRunEntry *entry);
/* Deletes the owned recording with the last reference. */
void hir_run_entry_unref (HirRunEntry *entry);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirRunEntry, hir_run_entry_unref)

/* Sets the trace (nullable) and the total. */
void hir_run_entry_set_trace (HirRunEntry *entry, HirTrace *trace);
/* Returns TRUE if there are events, in memory or on disk. */
gboolean hir_run_entry_has_events (const HirRunEntry *entry);
/* Returns the memory of trace and program, an estimate. */
gsize hir_run_entry_get_size_bytes (const HirRunEntry *entry);

/* Returns "Run 3", "Debug session 4", "Recording file.hirs", or the name (transfer full). */
char *hir_run_entry_dup_title (const HirRunEntry *entry);
/* Like hir_run_entry_dup_title(), but says which runs are of an earlier session, whose titles may
 * occur again in this one: "Run 3 of an earlier session". */
char *hir_run_entry_dup_long_title (const HirRunEntry *entry);
/* Returns "Correct", "Stopped", ...; "" if there is nothing to say. */
const char *hir_run_verdict_get_text (HirRunVerdict verdict);

G_END_DECLS
