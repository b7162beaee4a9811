/* Internal declarations of the pipeline: settings (pipeline.c) and runs (pipeline-run.c). */
#pragma once

#include "pipeline.h"

G_BEGIN_DECLS

/* Settings of one pass. */
typedef struct
{
  const HirPass *pass;
  gboolean enabled;
  GHashTable *options; /* name -> value for every option of the pass; owned */
} HirPassSetting;

struct _HirPipeline
{
  GPtrArray *settings; /* HirPassSetting*, in pipeline order */
  GArray *hooks;       /* HirPassHooks added by the user */
};

G_END_DECLS
