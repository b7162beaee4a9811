/* Value queries in the run process: the finished run is kept until the parent closes the socket. */
#pragma once

#include "program/run-engine.h"
#include "record/recorder.h"
#include "run/session/control.h"
#include "run/session/session.h"

G_BEGIN_DECLS

/* Maximum memory of retained values that the program has deallocated. */
#define HIR_RUN_KEPT_BYTES ((gsize) 256 * 1024 * 1024)

/* A finished session and the objects that it uses. */
typedef struct
{
  HirSession *session;
  HirRunEngine *engine;
  HirRecorder *recorder;
} HirRunKept;

/* Takes all arguments. */
HirRunKept *hir_run_kept_new (HirSession *session, HirRunEngine *engine, HirRecorder *recorder);
/* Frees @kept (nullable). */
void hir_run_kept_free (HirRunKept *kept);

/* Queue of LOOK frames from the reading thread to the answering thread. */
typedef struct _HirRunQuestions HirRunQuestions;

HirRunQuestions *hir_run_questions_new (void);
void hir_run_questions_free (HirRunQuestions *self);
/* Adds a query and references @payload. Any thread. */
void hir_run_questions_add (HirRunQuestions *self, GVariant *payload);
/* Ends the queue. Any thread. */
void hir_run_questions_end (HirRunQuestions *self);
/* Answers queries until hir_run_questions_end() or until the parent is gone. If @kept is NULL, the
 * answers are errors. */
void hir_run_questions_serve (HirRunQuestions *self,
                              HirRunKept *kept,
                              HirControlWriter *writer,
                              GCancellable *cancellable);

G_END_DECLS
