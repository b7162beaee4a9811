/* The child's end of asking for values: what a run leaves is kept until the watching process goes. */
#pragma once

#include "record/recorder.h"
#include "program/run-engine.h"
#include "run/session/control.h"
#include "run/session/session.h"

G_BEGIN_DECLS

/* At most so much of what a program deallocates stays. */
#define HIR_RUN_KEPT_BYTES ((gsize) 256 * 1024 * 1024)

/* A session that is done, and what it stands on. */
typedef struct
{
  HirSession *session;
  HirRunEngine *engine;
  HirRecorder *recorder;
} HirRunKept;

/* Takes all three. */
HirRunKept *hir_run_kept_new (HirSession *session, HirRunEngine *engine, HirRecorder *recorder);
void hir_run_kept_free (HirRunKept *kept);

/* LOOK frames on their way from the thread that reads to the one that answers. */
typedef struct _HirRunQuestions HirRunQuestions;

HirRunQuestions *hir_run_questions_new (void);
void hir_run_questions_free (HirRunQuestions *self);
/* Any thread. References @payload. */
void hir_run_questions_add (HirRunQuestions *self, GVariant *payload);
/* No more will come. Any thread. */
void hir_run_questions_end (HirRunQuestions *self);
/* Answers until hir_run_questions_end(), or until the other end has gone. @kept: nullable. */
void hir_run_questions_serve (HirRunQuestions *self, HirRunKept *kept, HirControlWriter *writer, GCancellable *cancellable);

G_END_DECLS
