/* The preferences window. */
#pragma once

#include <gtk/gtk.h>

#include "base/settings.h"

G_BEGIN_DECLS

/* Shows the window. Changes take effect immediately. @gpu_missing (nullable) is the reason why
 * programs cannot run on GPUs. */
void hir_preferences_present (GtkWindow *parent, HirSettings *settings, const char *gpu_missing);

G_END_DECLS
