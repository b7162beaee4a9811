/* What pipeline.c (settings) and pipeline-run.c (a run) share. */
#pragma once

#include "pipeline.h"

G_BEGIN_DECLS

/* How one pass of the table is to be run. */
typedef struct
{
  const HirPass *pass;
  gboolean enabled;
  GHashTable *options; /* name -> value, every option of the pass; owned texts */
} HirPassSetting;

struct _HirPipeline
{
  GPtrArray *settings; /* HirPassSetting*, in pipeline order */
  GArray *hooks;       /* HirPassHooks, the user's */
};

G_END_DECLS
