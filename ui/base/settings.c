#include "base/settings.h"

#include <gio/gio.h>
#include <glib/gstdio.h>

typedef struct
{
  const char *group, *name;
  int minimum, maximum, initial;
  const char *const *words; /* nullable: names of the values, from the minimum on */
} Row;

static const char *const style_words[] = { "system", "light", "dark", NULL };
static const char *const wrap_words[] = { "false", "true", "auto", NULL };
static const char *const bool_words[] = { "false", "true", NULL };

/* Indexed by HirSetting. */
static const Row rows[] = {
  { "look", "style", 0, 2, 0, style_words },
  { "look", "animation", 0, 1, 1, bool_words },
  { "look", "map", 0, 1, 1, bool_words },
  { "look", "legend", 0, 1, 0, bool_words },
  { "look", "wheel-zooms", 0, 1, 0, bool_words },
  { "look", "wrap", 0, 2, 2, wrap_words },
  { "look", "abbreviate", 0, 1, 0, bool_words },
  { "look", "text-size", 100, 200, 100, NULL },
  { "run", "gpu", 0, 1, 0, bool_words },
  { "run", "streams", 1, 64, 4, NULL },
  { "run", "model-clock", 0, 1, 1, bool_words },
  { "run", "time-limit", 1, 86400, 10, NULL },
  { "window", "width", 640, 16384, 1480, NULL },
  { "window", "height", 420, 16384, 920, NULL },
  { "window", "maximized", 0, 1, 0, bool_words },
  { "window", "passes-width", 160, 4096, 284, NULL },
  { "window", "text-width", 240, 8192, 440, NULL },
  { "window", "inspector-width", 200, 4096, 272, NULL },
  { "window", "timeline-height", 120, 4096, 304, NULL },
  { "window", "passes-width-small", 160, 4096, 210, NULL },
  { "window", "text-width-small", 220, 8192, 300, NULL },
  { "window", "inspector-width-small", 200, 4096, 220, NULL },
  { "window", "passes-width-large", 160, 4096, 284, NULL },
  { "window", "text-width-large", 240, 8192, 760, NULL },
  { "window", "inspector-width-large", 200, 4096, 300, NULL },
  { "window", "timeline-height-low", 120, 4096, 250, NULL },
  { "window", "show-passes", 0, 1, 1, bool_words },
  { "window", "show-inspector", 0, 1, 1, bool_words },
  { "window", "show-timeline", 0, 1, 1, bool_words },
  { "tour", "seen", 0, 1, 0, bool_words },
};

/* Group and name, indexed by HirTextSetting. */
static const char *const text_rows[HIR_N_TEXT_SETTINGS][2] = {
  { "trace", "comm-pattern" },
  { "trace", "copy-pattern" },
  { "events", "columns" },
  { "events", "widths" },
};

G_STATIC_ASSERT (G_N_ELEMENTS (rows) == HIR_N_SETTINGS);

struct _HirSettings
{
  GObject parent_instance;

  char *path;
  int values[HIR_N_SETTINGS];
  gboolean is_dirty[HIR_N_SETTINGS];
  char *texts[HIR_N_TEXT_SETTINGS];
  gboolean is_text_dirty[HIR_N_TEXT_SETTINGS];
  guint save_timer;
};

static guint changed_signal;

G_DEFINE_FINAL_TYPE (HirSettings, hir_settings, G_TYPE_OBJECT)

/* Returns FALSE if @text is not a valid value. */
static gboolean
parse (const Row *row, const char *text, int *value)
{
  gint64 number;

  for (int i = 0; row->words != NULL && row->words[i] != NULL; i++)
    if (g_str_equal (row->words[i], text))
      {
        *value = row->minimum + i;
        return TRUE;
      }
  if (row->words != NULL ||
      !g_ascii_string_to_signed (text, 10, row->minimum, row->maximum, &number, NULL))
    return FALSE;
  *value = (int) number;
  return TRUE;
}

/* Returns an empty key file if @path cannot be read. Sets *@is_broken if it contains something
 * else. */
static GKeyFile *
load (const char *path, gboolean *is_broken)
{
  GKeyFile *file = g_key_file_new ();
  g_autofree char *text = NULL;
  gsize length;

  *is_broken = FALSE;
  if (!g_file_get_contents (path, &text, &length, NULL))
    return file;
  if (g_key_file_load_from_data (file, text, length, G_KEY_FILE_KEEP_COMMENTS, NULL))
    return file;
  *is_broken = TRUE;
  g_key_file_free (file);
  return g_key_file_new ();
}

static void
read_values (HirSettings *self)
{
  gboolean is_broken;
  g_autoptr (GKeyFile) file = load (self->path, &is_broken);

  for (guint i = 0; i < HIR_N_SETTINGS; i++)
    {
      g_autofree char *text = g_key_file_get_string (file, rows[i].group, rows[i].name, NULL);

      if (text == NULL || !parse (&rows[i], g_strstrip (text), &self->values[i]))
        self->values[i] = rows[i].initial;
    }
  for (guint i = 0; i < HIR_N_TEXT_SETTINGS; i++)
    {
      self->texts[i] = g_key_file_get_string (file, text_rows[i][0], text_rows[i][1], NULL);
      if (self->texts[i] == NULL)
        self->texts[i] = g_strdup ("");
    }
}

gboolean
hir_settings_save (HirSettings *self, GError **error)
{
  g_autoptr (GKeyFile) file = NULL;
  g_autofree char *folder = g_path_get_dirname (self->path);
  g_autofree char *aside = g_strconcat (self->path, "~", NULL);
  gboolean is_broken, is_needed = FALSE;

  g_clear_handle_id (&self->save_timer, g_source_remove);
  for (guint i = 0; i < HIR_N_SETTINGS; i++)
    is_needed |= self->is_dirty[i];
  for (guint i = 0; i < HIR_N_TEXT_SETTINGS; i++)
    is_needed |= self->is_text_dirty[i];
  if (!is_needed)
    return TRUE;
  file = load (self->path, &is_broken);
  if (is_broken)
    g_rename (self->path, aside);
  for (guint i = 0; i < HIR_N_SETTINGS; i++)
    {
      if (self->is_dirty[i] && rows[i].words != NULL)
        g_key_file_set_string (file, rows[i].group, rows[i].name,
                               rows[i].words[self->values[i] - rows[i].minimum]);
      else if (self->is_dirty[i])
        g_key_file_set_integer (file, rows[i].group, rows[i].name, self->values[i]);
    }
  for (guint i = 0; i < HIR_N_TEXT_SETTINGS; i++)
    if (self->is_text_dirty[i])
      g_key_file_set_string (file, text_rows[i][0], text_rows[i][1], self->texts[i]);
  g_mkdir_with_parents (folder, 0700);
  if (!g_key_file_save_to_file (file, self->path, error))
    return FALSE;
  for (guint i = 0; i < HIR_N_SETTINGS; i++)
    self->is_dirty[i] = FALSE;
  for (guint i = 0; i < HIR_N_TEXT_SETTINGS; i++)
    self->is_text_dirty[i] = FALSE;
  return TRUE;
}

static gboolean
save_soon (gpointer user_data)
{
  HirSettings *self = user_data;

  self->save_timer = 0;
  /* If the file cannot be written, the settings last as long as the program. */
  hir_settings_save (self, NULL);
  return G_SOURCE_REMOVE;
}

int
hir_settings_get (HirSettings *self, HirSetting setting)
{
  g_return_val_if_fail ((guint) setting < HIR_N_SETTINGS, 0);
  return self->values[setting];
}

void
hir_settings_set (HirSettings *self, HirSetting setting, int value)
{
  const Row *row;

  g_return_if_fail ((guint) setting < HIR_N_SETTINGS);
  row = &rows[setting];
  value = CLAMP (value, row->minimum, row->maximum);
  if (self->values[setting] == value)
    return;
  self->values[setting] = value;
  self->is_dirty[setting] = TRUE;
  if (self->save_timer == 0)
    self->save_timer = g_timeout_add (500, save_soon, self);
  g_signal_emit (self, changed_signal, g_quark_from_static_string (row->name), setting);
}

const char *
hir_settings_get_text (HirSettings *self, HirTextSetting setting)
{
  g_return_val_if_fail ((guint) setting < HIR_N_TEXT_SETTINGS, "");
  return self->texts[setting];
}

void
hir_settings_set_text (HirSettings *self, HirTextSetting setting, const char *text)
{
  g_return_if_fail ((guint) setting < HIR_N_TEXT_SETTINGS);
  if (g_str_equal (self->texts[setting], text))
    return;
  g_free (self->texts[setting]);
  self->texts[setting] = g_strdup (text);
  self->is_text_dirty[setting] = TRUE;
  if (self->save_timer == 0)
    self->save_timer = g_timeout_add (500, save_soon, self);
}

static void
hir_settings_finalize (GObject *object)
{
  HirSettings *self = HIR_SETTINGS (object);

  hir_settings_save (self, NULL);
  for (guint i = 0; i < HIR_N_TEXT_SETTINGS; i++)
    g_free (self->texts[i]);
  g_free (self->path);
  G_OBJECT_CLASS (hir_settings_parent_class)->finalize (object);
}

static void
hir_settings_class_init (HirSettingsClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = hir_settings_finalize;
  changed_signal =
      g_signal_new ("changed", HIR_TYPE_SETTINGS, G_SIGNAL_RUN_LAST | G_SIGNAL_DETAILED, 0, NULL,
                    NULL, NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
}

static void
hir_settings_init (HirSettings *self)
{
}

HirSettings *
hir_settings_new (const char *path)
{
  HirSettings *self = g_object_new (HIR_TYPE_SETTINGS, NULL);

  self->path = path != NULL
                   ? g_strdup (path)
                   : g_build_filename (g_get_user_config_dir (), "hirscope", "settings.ini", NULL);
  read_values (self);
  return self;
}

HirSettings *
hir_settings_get_default (void)
{
  GApplication *application = g_application_get_default ();

  return application != NULL ? g_object_get_data (G_OBJECT (application), HIR_SETTINGS_KEY) : NULL;
}
