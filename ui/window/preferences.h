/* The preferences window. */
#pragma once

#include <gtk/gtk.h>

#include "base/settings.h"

G_BEGIN_DECLS

/* Changes take effect at once. @gpu_missing: nullable, why there is no GPU to run on. */
void hir_preferences_present (GtkWindow *parent, HirSettings *settings, const char *gpu_missing);

G_END_DECLS
