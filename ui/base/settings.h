/* What the window remembers: a key file, settings.ini, in the user's config folder. Whatever is in it, each
 * setting has a value that makes sense. One thread. */
#pragma once

#include <glib-object.h>

G_BEGIN_DECLS

#define HIR_TYPE_SETTINGS (hir_settings_get_type ())
G_DECLARE_FINAL_TYPE (HirSettings, hir_settings, HIR, SETTINGS, GObject)

typedef enum
{
  HIR_SETTING_STYLE,      /* HirStyle */
  HIR_SETTING_ANIMATION,  /* bool */
  HIR_SETTING_MAP,        /* bool: of the graph */
  HIR_SETTING_LEGEND,     /* bool: of the graph */
  HIR_SETTING_TEXT_SIZE,  /* per cent */
  HIR_SETTING_ON_GPU,     /* bool: the back end that a new window offers */
  HIR_SETTING_STREAMS,    /* numberOfStreams of a new window */
  HIR_SETTING_MODEL_CLOCK, /* bool */
  HIR_SETTING_WINDOW_WIDTH,
  HIR_SETTING_WINDOW_HEIGHT,
  HIR_SETTING_MAXIMIZED,
  HIR_SETTING_PASSES_WIDTH,
  HIR_SETTING_TEXT_WIDTH,
  HIR_SETTING_INSPECTOR_WIDTH,
  HIR_SETTING_TIMELINE_HEIGHT,
  HIR_SETTING_SHOW_PASSES,
  HIR_SETTING_SHOW_INSPECTOR,
  HIR_SETTING_SHOW_TIMELINE,
  HIR_SETTING_TOUR_SEEN,
  HIR_N_SETTINGS,
} HirSetting;

typedef enum
{
  HIR_STYLE_SYSTEM,
  HIR_STYLE_LIGHT,
  HIR_STYLE_DARK,
} HirStyle;

/* Signal: changed (HirSetting), detail: its name in the file ("text-size").
 * @path: the file, nullable for hirscope/settings.ini in the user's config folder. What can't be read counts
 * as empty; a file that is no key file is put aside as @path~ before it is written over. */
HirSettings *hir_settings_new (const char *path);
/* As the file says where that is in range, else the default. Bools are 0 and 1. */
int hir_settings_get (HirSettings *self, HirSetting setting);
/* Clamped; told by `changed`, and written soon (hir_settings_save()). */
void hir_settings_set (HirSettings *self, HirSetting setting, int value);
/* Writes what was set here into the file as it is by now: what others wrote, and what this version does not know,
 * stays. FALSE where that fails (@error). Nothing to write is TRUE. Also done at the end of the object, without a word. */
gboolean hir_settings_save (HirSettings *self, GError **error);

G_END_DECLS
