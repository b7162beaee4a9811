#include "trace/track-gpu.h"

#include <string.h>

gboolean
hir_run_may_share_gpus (const char *run)
{
  g_autoptr (GVariant) dict =
      run != NULL ? g_variant_parse (G_VARIANT_TYPE_VARDICT, run, NULL, NULL, NULL) : NULL;
  gboolean share = FALSE;

  return dict != NULL && g_variant_lookup (dict, "share-gpus", "b", &share) && share;
}

/* Returns the length of "GPU 0," at the start of the name of a stream, or 0. */
static gsize
get_gpu_length (const char *name)
{
  const char *end = g_str_has_prefix (name, "GPU ") ? strchr (name, ',') : NULL;

  return end != NULL ? (gsize) (end - name) + 1 : 0;
}

gboolean
hir_track_is_on_same_gpu (const HirTrack *a, const HirTrack *b, gboolean share)
{
  gsize length = get_gpu_length (a->name);

  if (hir_track_is_of_device (a) != hir_track_is_of_device (b))
    return FALSE;
  if (a->rank == b->rank && a->device == b->device)
    return TRUE;
  return share && length > 0 && strncmp (a->name, b->name, length) == 0;
}
