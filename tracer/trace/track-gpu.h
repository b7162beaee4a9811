/* Which tracks are of one GPU. */
#pragma once

#include "trace/trace.h"

G_BEGIN_DECLS

/* Returns whether devices of a run could share GPUs. @run (nullable) is the metadata entry "run".
 */
gboolean hir_run_may_share_gpus (const char *run);
/* Returns whether @a and @b are of one device, or both of its host. If @share is TRUE, the names of
 * streams tell which ranks share a GPU. */
gboolean hir_track_is_on_same_gpu (const HirTrack *a, const HirTrack *b, gboolean share);

G_END_DECLS
