/* Modelled clock of several ranks. The end time of a collective depends on ranks that may not have
 * reached it yet. Each rank therefore logs its operations; their times are computed as soon as all
 * inputs are known. They are the same in every run, regardless of thread timing. */
#pragma once

#include "record/recorder.h"
#include "run/model/model.h"

G_BEGIN_DECLS

/* State shared by the logs of one run. Thread-safe. */
typedef struct _HirModelGroup HirModelGroup;
HirModelGroup *hir_model_group_new (void);
/* Creates a group whose logs are not timed here, but packed or taken as tapes and resolved in
 * another group. */
HirModelGroup *hir_model_group_new_deferred (void);
void hir_model_group_free (HirModelGroup *group); /* its logs must be freed before */

/* A point in time on a stream: the end of all work queued so far. */
typedef struct _HirModelMark HirModelMark;
HirModelMark *hir_model_mark_ref (HirModelMark *mark);
void hir_model_mark_unref (HirModelMark *mark);

/* Log of one rank, used only by its host thread. Events (nullable) are passed to the recorder
 * (nullable) with their times, by the thread of any rank. */
typedef struct _HirModelLog HirModelLog;
HirModelLog *hir_model_log_new (HirModel *model, HirRecorder *recorder, HirModelGroup *group);
void hir_model_log_free (HirModelLog *log);

/* Logs hir_model_issue() of @instruction, a node id. */
void hir_model_log_issue (HirModelLog *log, guint64 instruction, gboolean launches);
/* the event of the last issue */
void hir_model_log_issued (HirModelLog *log, const HirEvent *event);
/* Logs hir_model_run(). */
void hir_model_log_run (
    HirModelLog *log, guint stream, gint64 bytes, gint64 flops, const HirEvent *event);
/* Logs hir_model_record(). Returns a mark for its time. */
HirModelMark *hir_model_log_record (HirModelLog *log, guint stream);
/* Logs hir_model_wait() for @mark. */
void hir_model_log_wait (HirModelLog *log, guint stream, HirModelMark *mark, const HirEvent *event);
/* Logs hir_model_synchronize(). */
void hir_model_log_synchronize (HirModelLog *log);

/* A rendezvous: post k with some key and side matches post k of each other side or rank, @n in all.
 */
typedef struct
{
  const char *key;
  char side;
  guint n;
  gint64 bytes; /* transferred over the link */
} HirModelMeeting;

/* Logs a transfer on @channel (any stream index) after the work of @stream. It starts for this rank
 * when the channel is free, and ends for all ranks once the last has started and the bytes are
 * transferred. Returns a mark for its end. */
HirModelMark *hir_model_log_post (HirModelLog *log,
                                  guint stream,
                                  guint channel,
                                  const HirModelMeeting *meetings,
                                  guint n_meetings,
                                  const HirEvent *event);

/* Computes all times that are known by now, for all ranks of the group. */
void hir_model_log_resolve (HirModelLog *log);
/* Returns FALSE if an entry depends on something that has not been logged. */
gboolean hir_model_log_is_resolved (HirModelLog *log);

/* Starts counting the time of the host's clock. */
void hir_model_log_begin_count (HirModelLog *log);
/* Stops counting. */
void hir_model_log_end_count (HirModelLog *log);
/* Returns the sum of all counted times. */
gint64 hir_model_log_get_counted_ns (HirModelLog *log);

/* Saves the state of @log. Returns NULL if an entry is not resolved or the group is deferred. All
 * hosts must be paused. */
typedef struct _HirModelLogState HirModelLogState;
HirModelLogState *hir_model_log_save (HirModelLog *log);
/* Frees @state. */
void hir_model_log_state_free (HirModelLogState *state);
/* Restores @state and forgets later entries. Restore all logs of the group before any rank
 * continues. */
void hir_model_log_restore (HirModelLog *log, const HirModelLogState *state);

/* Serializes all unresolved entries (floating), for the same program in another process. */
GVariant *hir_model_log_pack (HirModelLog *log);
/* Changes track and name of @event to those of the recorder of the log. Returns FALSE if it does
 * not know them. */
typedef gboolean (*HirModelTranslate) (HirEvent *event, gpointer user_data);
/* Appends the entries of @packed to @log, a new one. @translate is nullable. Sets HIR_ERROR_RUN if
 * @packed is not from hir_model_log_pack() of this version. */
gboolean hir_model_log_unpack (HirModelLog *log,
                               GVariant *packed,
                               HirModelTranslate translate,
                               gpointer user_data,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
