/* The modelled clock of several ranks. When a collective ends depends on ranks whose host may not
 * have come there yet, so what a host does is noted down, and given its times as soon as they are
 * known: the same in every run, however the threads interleave. */
#pragma once

#include "record/recorder.h"
#include "run/model/model.h"

G_BEGIN_DECLS

/* What the logs of one run share. Thread-safe. */
typedef struct _HirModelGroup HirModelGroup;
HirModelGroup *hir_model_group_new (void);
/* Its logs are packed, and settled in another process, on a board that has all ranks' logs. Here
 * nothing gets a time. */
HirModelGroup *hir_model_group_new_deferred (void);
void hir_model_group_free (HirModelGroup *board); /* its logs must be gone */

/* A moment on a stream: when all that is queued there is done. */
typedef struct _HirModelMark HirModelMark;
HirModelMark *hir_model_mark_ref (HirModelMark *mark);
void hir_model_mark_unref (HirModelMark *mark);

/* One rank's; used by its host thread alone. Events (nullable) go to the recorder (nullable) with
 * their times, from whatever rank's thread settles them. */
typedef struct _HirModelLog HirModelLog;
HirModelLog *hir_model_log_new (HirModel *model, HirRecorder *recorder, HirModelGroup *board);
void hir_model_log_free (HirModelLog *log);

/* As in model.h. @instruction: node id. */
void hir_model_log_issue (HirModelLog *log, guint64 instruction, gboolean launches);
void hir_model_log_issued (HirModelLog *log, const HirEvent *event); /* the span of that issue */
void hir_model_log_run (
    HirModelLog *log, guint stream, gint64 bytes, gint64 flops, const HirEvent *event);
HirModelMark *hir_model_log_record (HirModelLog *log, guint stream);
void hir_model_log_wait (HirModelLog *log, guint stream, HirModelMark *mark, const HirEvent *event);
void hir_model_log_synchronize (HirModelLog *log);

/* Where ranks meet: the k-th post with some key and side meets the k-th of each other side or rank;
 * @n of them in all. */
typedef struct
{
  const char *key;
  char side;
  guint n;
  gint64 bytes; /* over the link */
} HirModelMeeting;

/* A transfer on @channel (any stream index) behind what @stream has: it begins for this rank when
 * the channel is free, and ends, for all, once the last has begun and the bytes are through. */
HirModelMark *hir_model_log_post (HirModelLog *log,
                                  guint stream,
                                  guint channel,
                                  const HirModelMeeting *meetings,
                                  guint n_meetings,
                                  const HirEvent *event);

/* Gives times to what can have them by now, of all ranks. */
void hir_model_log_resolve (HirModelLog *log);
/* FALSE: something waits for what has not come. */
gboolean hir_model_log_is_resolved (HirModelLog *log);

/* What the host's clock shows between the two is counted; together over all such pairs. */
void hir_model_log_begin_count (HirModelLog *log);
void hir_model_log_end_count (HirModelLog *log);
gint64 hir_model_log_get_counted_ns (HirModelLog *log);

/* Where the log stands. NULL: something is not settled, or it is settled elsewhere. While all hosts stand. */
typedef struct _HirModelLogState HirModelLogState;
HirModelLogState *hir_model_log_save (HirModelLog *log);
void hir_model_log_state_free (HirModelLogState *state);
/* There again; of what was noted down since, nothing is known. Restore all logs of the board before any goes on. */
void hir_model_log_restore (HirModelLog *log, const HirModelLogState *state);

/* All that is not settled: floating. For the same program, another process. */
GVariant *hir_model_log_pack (HirModelLog *log);
/* As if it had been noted down in @log, a new one. @translate: nullable, changes an event's track
 * and name to what the log's recorder knows; FALSE: it knows no such. HIR_ERROR_RUN where @packed
 * is not of hir_model_log_pack() of this version. */
typedef gboolean (*HirModelTranslate) (HirEvent *event, gpointer user_data);
gboolean hir_model_log_unpack (HirModelLog *log,
                               GVariant *packed,
                               HirModelTranslate translate,
                               gpointer user_data,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
