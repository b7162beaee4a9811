/* The settings of the window, stored in the key file settings.ini in the user's config folder.
 * Invalid values in the file are ignored. Main thread. */
#pragma once

#include <glib-object.h>

G_BEGIN_DECLS

#define HIR_TYPE_SETTINGS (hir_settings_get_type ())
G_DECLARE_FINAL_TYPE (HirSettings, hir_settings, HIR, SETTINGS, GObject)

typedef enum
{
  HIR_SETTING_STYLE,       /* HirStyle */
  HIR_SETTING_ANIMATION,   /* bool */
  HIR_SETTING_MAP,         /* bool: show the map of the graph */
  HIR_SETTING_LEGEND,      /* bool: show the legend of the graph */
  HIR_SETTING_WHEEL_ZOOMS, /* bool: the wheel zooms the timeline instead of scrolling it */
  HIR_SETTING_WRAP,        /* 0: scroll long lines of text; 1: wrap them; 2: in large windows */
  HIR_SETTING_ABBREVIATE,  /* bool: show only the names of tensors in program text */
  HIR_SETTING_TEXT_SIZE,   /* percent */
  HIR_SETTING_ON_GPU,      /* bool: a new window runs programs on GPUs */
  HIR_SETTING_STREAMS,     /* numberOfStreams of a new window */
  HIR_SETTING_MODEL_CLOCK, /* bool */
  HIR_SETTING_TIME_LIMIT,  /* of runs: seconds without progress */
  HIR_SETTING_WINDOW_WIDTH,
  HIR_SETTING_WINDOW_HEIGHT,
  HIR_SETTING_MAXIMIZED,
  HIR_SETTING_PASSES_WIDTH, /* in pixels, of medium windows */
  HIR_SETTING_TEXT_WIDTH,
  HIR_SETTING_INSPECTOR_WIDTH,
  HIR_SETTING_TIMELINE_HEIGHT,    /* of high windows, in pixels */
  HIR_SETTING_PASSES_WIDTH_SMALL, /* of small windows */
  HIR_SETTING_TEXT_WIDTH_SMALL,
  HIR_SETTING_INSPECTOR_WIDTH_SMALL,
  HIR_SETTING_PASSES_WIDTH_LARGE, /* of large windows */
  HIR_SETTING_TEXT_WIDTH_LARGE,
  HIR_SETTING_INSPECTOR_WIDTH_LARGE,
  HIR_SETTING_TIMELINE_HEIGHT_LOW, /* of low windows */
  HIR_SETTING_SHOW_PASSES,
  HIR_SETTING_SHOW_INSPECTOR,
  HIR_SETTING_SHOW_TIMELINE,
  HIR_SETTING_TOUR_SEEN,
  HIR_N_SETTINGS,
} HirSetting;

typedef enum
{
  HIR_SETTING_COMM_PATTERN,   /* names of device work that communicates, see trace-rules.h */
  HIR_SETTING_COPY_PATTERN,   /* names of device work that copies */
  HIR_SETTING_EVENTS_COLUMNS, /* chosen columns of the events table in their order; "": default */
  HIR_SETTING_EVENTS_WIDTHS,  /* widths that the user chose: "name=200 dur_ns=80" */
  HIR_N_TEXT_SETTINGS,
} HirTextSetting;

typedef enum
{
  HIR_STYLE_SYSTEM,
  HIR_STYLE_LIGHT,
  HIR_STYLE_DARK,
} HirStyle;

/**
 * hir_settings_new:
 * @path: (nullable): the file, or NULL for hirscope/settings.ini in the user's config folder
 *
 * Reads the settings. Treats an unreadable file as empty. A file that is not a key file is renamed
 * to @path~ before it is replaced.
 *
 * The signal "changed" has the HirSetting as argument, and its name in the file (such as
 * "text-size") as detail.
 */
HirSettings *hir_settings_new (const char *path);

/* Key under which the application has its settings as data. */
#define HIR_SETTINGS_KEY "hir-settings"

/* Returns the settings of the running application (borrowed), or NULL if it has none. */
HirSettings *hir_settings_get_default (void);

/* Returns the value of the file if it is valid, otherwise the default. Booleans are 0 and 1. */
int hir_settings_get (HirSettings *self, HirSetting setting);

/* Sets @setting to @value, clamped to its range. Emits "changed" and saves the settings within 1
 * s. */
void hir_settings_set (HirSettings *self, HirSetting setting, int value);

/* Returns a text (borrowed), "" by default. */
const char *hir_settings_get_text (HirSettings *self, HirTextSetting setting);
/* Sets a text and saves the settings within 1 s. */
void hir_settings_set_text (HirSettings *self, HirTextSetting setting, const char *text);

/**
 * hir_settings_save:
 *
 * Writes the changed settings. Everything else in the file is kept, including changes of other
 * windows and unknown settings. Also called when @self is finalized.
 *
 * Returns: FALSE with @error if the file cannot be written; TRUE if nothing was changed
 */
gboolean hir_settings_save (HirSettings *self, GError **error);

G_END_DECLS
