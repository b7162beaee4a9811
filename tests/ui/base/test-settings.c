/* Tests settings with broken files and with changes by other programs. */
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <string.h>

#include "base/settings.h"

typedef struct
{
  char *folder, *path;
} Place;

static Place
place_new (const char *text)
{
  Place place = { g_dir_make_tmp ("hirscope-test-XXXXXX", NULL), NULL };

  place.path = g_build_filename (place.folder, "deeper", "settings.ini", NULL);
  if (text != NULL)
    {
      g_autofree char *folder = g_path_get_dirname (place.path);

      g_mkdir_with_parents (folder, 0700);
      g_assert_true (g_file_set_contents (place.path, text, -1, NULL));
    }
  return place;
}

static void
place_clear (Place *place)
{
  g_autofree char *folder = g_path_get_dirname (place->path);
  g_autofree char *aside = g_strconcat (place->path, "~", NULL);

  g_unlink (place->path);
  g_unlink (aside);
  g_rmdir (folder);
  g_rmdir (place->folder);
  g_free (place->path);
  g_free (place->folder);
}

static void
assert_defaults (HirSettings *settings)
{
  g_assert_cmpint (hir_settings_get (settings, HIR_SETTING_STYLE), ==, HIR_STYLE_SYSTEM);
  g_assert_cmpint (hir_settings_get (settings, HIR_SETTING_ANIMATION), ==, 1);
  g_assert_cmpint (hir_settings_get (settings, HIR_SETTING_TEXT_SIZE), ==, 100);
  g_assert_cmpint (hir_settings_get (settings, HIR_SETTING_STREAMS), ==, 4);
  g_assert_cmpint (hir_settings_get (settings, HIR_SETTING_WINDOW_WIDTH), ==, 1480);
  g_assert_cmpint (hir_settings_get (settings, HIR_SETTING_TOUR_SEEN), ==, 0);
}

/* Missing, empty and invalid files give the default values. */
static void
test_broken (void)
{
  static const char *const texts[] = {
    NULL,
    "",
    "\xff\xfe\x00\x01 rubbish",
    "no group = 1\n[look]\nstyle=dark",
    "[look\nstyle=dark\n",
    "[look]\nstyle=purple\nanimation=maybe\ntext-size=99999999999999999999\n[run]\nstreams=-3\n"
    "[window]\nwidth=12\n[tour]\nseen=2\n",
    "[look]\nstyle=\ntext-size=1e2\n[run]\nstreams=4 streams\n[window]\nwidth=\xff\n",
  };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      Place place = place_new (texts[i]);
      g_autoptr (HirSettings) settings = hir_settings_new (place.path);

      assert_defaults (settings);
      g_clear_object (&settings);
      place_clear (&place);
    }
}

static void
test_stored (void)
{
  Place place = place_new ("# mine\n[look]\nstyle=light\ntext-size = 150 \nlater=yes\n");
  g_autoptr (HirSettings) settings = hir_settings_new (place.path);
  g_autoptr (HirSettings) other = hir_settings_new (place.path);
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;

  g_assert_cmpint (hir_settings_get (settings, HIR_SETTING_STYLE), ==, HIR_STYLE_LIGHT);
  g_assert_cmpint (hir_settings_get (settings, HIR_SETTING_TEXT_SIZE), ==, 150);
  hir_settings_set (settings, HIR_SETTING_STYLE, HIR_STYLE_DARK);
  hir_settings_set (settings, HIR_SETTING_TEXT_SIZE, 1000);
  hir_settings_set (other, HIR_SETTING_STREAMS, 8);
  g_assert_cmpstr (hir_settings_get_text (settings, HIR_SETTING_COMM_PATTERN), ==, "");
  hir_settings_set_text (settings, HIR_SETTING_COMM_PATTERN, "^my_ring[0-9]+\\b; x");
  g_assert_true (hir_settings_save (settings, &error));
  g_assert_true (hir_settings_save (other, &error));
  g_clear_object (&settings);
  settings = hir_settings_new (place.path);
  g_assert_cmpint (hir_settings_get (settings, HIR_SETTING_STYLE), ==, HIR_STYLE_DARK);
  g_assert_cmpint (hir_settings_get (settings, HIR_SETTING_TEXT_SIZE), ==, 200);
  g_assert_cmpint (hir_settings_get (settings, HIR_SETTING_STREAMS), ==, 8);
  g_assert_cmpstr (hir_settings_get_text (settings, HIR_SETTING_COMM_PATTERN), ==,
                   "^my_ring[0-9]+\\b; x");
  g_assert_true (g_file_get_contents (place.path, &text, NULL, NULL));
  g_assert_nonnull (strstr (text, "# mine"));
  g_assert_nonnull (strstr (text, "later=yes"));
  g_assert_nonnull (strstr (text, "style=dark"));
  g_clear_object (&settings);
  g_clear_object (&other);
  place_clear (&place);
}

/* A file that is not a key file is renamed before the settings are written. */
static void
test_backup (void)
{
  Place place = place_new ("what I noted here");
  g_autofree char *aside = g_strconcat (place.path, "~", NULL);
  g_autofree char *text = NULL;
  HirSettings *settings = hir_settings_new (place.path);

  g_object_unref (settings);
  g_assert_false (g_file_test (aside, G_FILE_TEST_EXISTS));
  settings = hir_settings_new (place.path);
  hir_settings_set (settings, HIR_SETTING_TOUR_SEEN, 1);
  g_object_unref (settings);
  g_assert_true (g_file_get_contents (aside, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, "what I noted here");
  settings = hir_settings_new (place.path);
  g_assert_cmpint (hir_settings_get (settings, HIR_SETTING_TOUR_SEEN), ==, 1);
  g_object_unref (settings);
  place_clear (&place);
}

static void
count (HirSettings *settings, guint setting, guint *n)
{
  g_assert_cmpuint (setting, ==, HIR_SETTING_TEXT_SIZE);
  ++*n;
}

static void
test_notify (void)
{
  Place place = place_new (NULL);
  HirSettings *settings = hir_settings_new (place.path);
  guint n = 0;

  g_signal_connect (settings, "changed::text-size", G_CALLBACK (count), &n);
  hir_settings_set (settings, HIR_SETTING_TEXT_SIZE, 125);
  hir_settings_set (settings, HIR_SETTING_TEXT_SIZE, 125);
  hir_settings_set (settings, HIR_SETTING_STYLE, HIR_STYLE_DARK);
  g_assert_cmpuint (n, ==, 1);
  g_object_unref (settings);
  place_clear (&place);
}

/* Settings work in memory if the file cannot be written. */
static void
test_unwritable (void)
{
  g_autoptr (HirSettings) settings = hir_settings_new ("/proc/nothing/settings.ini");
  g_autoptr (GError) error = NULL;

  hir_settings_set (settings, HIR_SETTING_STREAMS, 2);
  g_assert_cmpint (hir_settings_get (settings, HIR_SETTING_STREAMS), ==, 2);
  g_assert_false (hir_settings_save (settings, &error));
  g_assert_nonnull (error);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/settings/broken", test_broken);
  g_test_add_func ("/settings/stored", test_stored);
  g_test_add_func ("/settings/backup", test_backup);
  g_test_add_func ("/settings/notify", test_notify);
  g_test_add_func ("/settings/unwritable", test_unwritable);
  return g_test_run ();
}
