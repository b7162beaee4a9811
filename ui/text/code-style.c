#include "text/code-style.h"

#include <string.h>

#include <adwaita.h>

/* Coloring longer texts would take too long. */
#define COLORED_CHARS (512 * 1024)

/* Foreground and background in the dark and the light style; NULL for the color of the theme. */
typedef struct
{
  const char *tag;
  const char *dark_ink, *light_ink;
  const char *dark_paper, *light_paper;
} Style;

/* Later rows override earlier ones, because the priority of a text tag is the order of creation. */
static const Style styles[] = {
  { "number", "#e3b98a", "#8a4b00", NULL, NULL },
  { "axis", "#9aa0ab", "#6b7280", NULL, NULL },
  { "tensor", "#dfe3ea", "#1f2937", NULL, NULL },
  { "keyword", "#7db4ff", "#1a5fb4", NULL, NULL },
  { "selected", "#ffffff", "#0b2a5b", "#3c66ad", "#a9cbf7" },
};

static void
set_colors (GtkTextTag *tag, const Style *style, gboolean dark)
{
  const char *ink = dark ? style->dark_ink : style->light_ink;
  const char *paper = dark ? style->dark_paper : style->light_paper;

  if (ink != NULL)
    g_object_set (tag, "foreground", ink, NULL);
  if (paper != NULL)
    g_object_set (tag, "background", paper, NULL);
}

static void
follow_scheme (AdwStyleManager *manager, GParamSpec *pspec, gpointer user_data)
{
  GtkSourceBuffer *buffer = user_data;
  GtkTextTagTable *table = gtk_text_buffer_get_tag_table (GTK_TEXT_BUFFER (buffer));
  gboolean dark = adw_style_manager_get_dark (manager);
  GtkSourceStyleSchemeManager *schemes = gtk_source_style_scheme_manager_get_default ();

  gtk_source_buffer_set_style_scheme (buffer, gtk_source_style_scheme_manager_get_scheme (
                                                  schemes, dark ? "Adwaita-dark" : "Adwaita"));
  for (guint i = 0; i < G_N_ELEMENTS (styles); i++)
    set_colors (gtk_text_tag_table_lookup (table, styles[i].tag), &styles[i], dark);
}

/* Without this tag, Pango adds hyphens to words that it wraps, which are no part of the code. */
static void
on_inserted (
    GtkTextBuffer *buffer, const GtkTextIter *end, const char *text, int length, gpointer user_data)
{
  GtkTextIter start = *end;

  gtk_text_iter_backward_chars (&start, (int) g_utf8_strlen (text, length));
  gtk_text_buffer_apply_tag_by_name (buffer, "code", &start, end);
}

HirCodeView *
hir_code_style_create_view (GtkSourceBuffer *buffer)
{
  GtkWidget *view = hir_code_view_new (buffer);
  AdwStyleManager *manager = adw_style_manager_get_default ();

  for (guint i = 0; i < G_N_ELEMENTS (styles); i++)
    gtk_text_buffer_create_tag (GTK_TEXT_BUFFER (buffer), styles[i].tag, NULL);
  gtk_text_buffer_create_tag (GTK_TEXT_BUFFER (buffer), "code", "insert-hyphens", FALSE, NULL);
  g_signal_connect_after (buffer, "insert-text", G_CALLBACK (on_inserted), NULL);
  gtk_text_buffer_create_tag (GTK_TEXT_BUFFER (buffer), "abbreviated", "invisible", TRUE, NULL);
  gtk_text_buffer_create_tag (GTK_TEXT_BUFFER (buffer), "error", "underline",
                              PANGO_UNDERLINE_DOUBLE, "underline-rgba",
                              &(GdkRGBA){ 1, 0.35f, 0.4f, 1 }, NULL);
  g_signal_connect_object (manager, "notify::dark", G_CALLBACK (follow_scheme), buffer, 0);
  follow_scheme (manager, NULL, buffer);

  gtk_text_view_set_monospace (GTK_TEXT_VIEW (view), TRUE);
  gtk_text_view_set_editable (GTK_TEXT_VIEW (view), FALSE);
  gtk_text_view_set_cursor_visible (GTK_TEXT_VIEW (view), FALSE);
  gtk_text_view_set_accepts_tab (GTK_TEXT_VIEW (view), FALSE);
  gtk_text_view_set_left_margin (GTK_TEXT_VIEW (view), 10);
  gtk_text_view_set_right_margin (GTK_TEXT_VIEW (view), 10);
  gtk_text_view_set_top_margin (GTK_TEXT_VIEW (view), 6);
  gtk_text_view_set_bottom_margin (GTK_TEXT_VIEW (view), 6);
  gtk_text_view_set_pixels_above_lines (GTK_TEXT_VIEW (view), 1);
  gtk_text_view_set_pixels_below_lines (GTK_TEXT_VIEW (view), 1);
  gtk_text_view_set_pixels_inside_wrap (GTK_TEXT_VIEW (view), 2);
  gtk_widget_add_css_class (view, "code");
  /* A new allocation measures the text. If drawing measured it instead, the scroll bars would move
   * after their own allocation, and GTK would print a warning. */
  g_signal_connect_object (buffer, "changed", G_CALLBACK (gtk_widget_queue_allocate), view,
                           G_CONNECT_SWAPPED);
  g_object_unref (buffer);
  return HIR_CODE_VIEW (view);
}

static void
color_matches (GtkTextBuffer *buffer,
               const GtkTextIter *from_iter,
               const char *text,
               const char *pattern,
               const char *tag_name)
{
  g_autoptr (GRegex) regex = g_regex_new (pattern, G_REGEX_OPTIMIZE, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;
  GtkTextTag *tag = gtk_text_tag_table_lookup (gtk_text_buffer_get_tag_table (buffer), tag_name);
  GtkTextIter end;
  int at = 0; /* byte offset of end */

  end = *from_iter;
  g_regex_match (regex, text, 0, &match);
  while (g_match_info_matches (match))
    {
      GtkTextIter start;
      int from, to;

      g_match_info_fetch_pos (match, 0, &from, &to);
      gtk_text_iter_forward_chars (&end, (int) g_utf8_strlen (text + at, from - at));
      start = end;
      gtk_text_iter_forward_chars (&end, (int) g_utf8_strlen (text + from, to - from));
      at = to;
      gtk_text_buffer_apply_tag (buffer, tag, &start, &end);
      g_match_info_next (match, NULL);
    }
}

void
hir_code_style_apply (GtkSourceBuffer *source_buffer, guint first, guint last)
{
  GtkTextBuffer *buffer = GTK_TEXT_BUFFER (source_buffer);
  GtkTextIter start, end;
  g_autofree char *text = NULL;

  gtk_text_buffer_get_iter_at_line (buffer, &start, (int) first);
  if (gtk_text_iter_get_offset (&start) > COLORED_CHARS)
    return;
  gtk_text_buffer_get_iter_at_line (buffer, &end, (int) last);
  text = gtk_text_buffer_get_text (buffer, &start, &end, TRUE);
  color_matches (buffer, &start, text, "[\\[{][^\\[\\]]*[}\\]]", "axis");
  color_matches (buffer, &start, text, "\\bT\\d+(_[a-z_0-9]+)?", "tensor");
  color_matches (
      buffer, &start, text,
      "\\b(FOR|IN|IF|ELSE|in|to|into|ALLOCATE|Deallocate|HirAliasSelect|Set(\\.Permute)?|matmul|"
      "linear|reduction|broadcast|squeeze|expand|view|slice|pad|cat|select|GetCurrentStream|"
      "SetCurrentStream|Synchronize|Wait|Communication|P2PCommunication|StartCoalescing|"
      "EndCoalescing|PostOnStream|HostUnit\\d*|Inputs|Outputs|%HostIrContainer|%kernel_math|"
      "%kernel)\\b",
      "keyword");
}

void
hir_code_style_abbreviate (GtkSourceBuffer *source_buffer, guint first, guint last)
{
  GtkTextBuffer *buffer = GTK_TEXT_BUFFER (source_buffer);
  GtkTextIter start, end;
  g_autofree char *text = NULL;

  gtk_text_buffer_get_iter_at_line (buffer, &start, (int) first);
  if (gtk_text_iter_get_offset (&start) > COLORED_CHARS)
    return;
  gtk_text_buffer_get_iter_at_line (buffer, &end, (int) last);
  text = gtk_text_buffer_get_text (buffer, &start, &end, TRUE);
  color_matches (buffer, &start, text, "\\bT\\d+\\w*\\K\\[[^\\[\\]]*\\]( \\(DeviceMesh[^()]*\\))?",
                 "abbreviated");
}

void
hir_code_style_show_hidden (GtkSourceBuffer *buffer, gboolean is_shown)
{
  GtkTextTagTable *tags = gtk_text_buffer_get_tag_table (GTK_TEXT_BUFFER (buffer));

  g_object_set (gtk_text_tag_table_lookup (tags, "abbreviated"), "invisible", !is_shown, NULL);
}

GtkSourceLanguage *
hir_code_style_get_language (const char *id)
{
  static const char path[] = "resource:///org/hirscope/Hirscope/languages/";
  GtkSourceLanguageManager *manager = gtk_source_language_manager_get_default ();

  if (!g_strv_contains (gtk_source_language_manager_get_search_path (manager), path))
    gtk_source_language_manager_append_search_path (manager, path);
  return gtk_source_language_manager_get_language (manager, id);
}
