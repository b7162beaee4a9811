/* The controls of the header bar that set the options of the next run: streams, clock, device, and
 * whether each instruction also runs alone. */
#pragma once

#include <gtk/gtk.h>

#include "base/settings.h"
#include "program/run-settings.h"
#include "script/script.h"

G_BEGIN_DECLS

typedef struct
{
  GtkDropDown *streams;
  GtkDropDown *clock;
  GtkToggleButton *baseline; /* --baseline */
  GtkToggleButton *gpu;      /* insensitive if this machine has no usable GPU */
  HirScriptExecutor script;  /* options that the open script sets */
  guint chosen;              /* selected streams without the script */
  gint64 extra;              /* number of streams behind the usual ones, or 0 */
} HirRunControls;

/* Creates the widgets. The caller adds them to a container. */
void hir_run_controls_init (HirRunControls *self);

/* Selects what @settings contains. */
void hir_run_controls_restore (HirRunControls *self, HirSettings *settings);

/* Selects the options of @settings, a run that was recorded. */
void hir_run_controls_select (HirRunControls *self, const HirRunSettings *settings);

/* Offers and selects the number of streams that the open script sets, and uses its transport on
 * GPUs. Keeps the choice of the user while the script sets the same. */
void hir_run_controls_follow (HirRunControls *self, const HirScriptExecutor *script);

/* Shows or hides all controls. */
void hir_run_controls_set_visible (HirRunControls *self, gboolean is_visible);

/* Returns the number of streams of the next run. */
int hir_run_controls_get_n_streams (const HirRunControls *self);

/* Initializes @settings for a checked run with the selected options. */
void hir_run_controls_get_settings (const HirRunControls *self, HirRunSettings *settings);

G_END_DECLS
