#include "inspector/overview.h"

#include <string.h>

#include "base/trace-memory.h"
#include "document/open-job.h"
#include "inspector/event-facts.h"
#include "inspector/fact-card.h"
#include "program/request-edit.h"
#include "program/run-command.h"
#include "program/run-settings.h"
#include "trace/recording/recording.h"
#include "view/domain-tree.h"

/* Longer lists are cut and counted. */
#define MAX_LISTED 8

static void
add_number (HirFactCard *card, const char *name, guint64 number)
{
  g_autofree char *text = hir_count_to_string (number);

  hir_fact_card_add (card, name, text, NULL);
}

/* Adds the tensors with @role, "input" or "output", of a fusion. */
static void
add_ends (HirFactCard *card, const HirProgramView *fusion, const char *role)
{
  g_autofree char *name = g_strconcat (role, "s", NULL);
  guint n = 0;

  for (guint i = 0; i < fusion->graph->nodes->len; i++)
    {
      const HirGraphNode *node = &g_array_index (fusion->graph->nodes, HirGraphNode, i);
      const HirNodeInfo *info = hir_program_view_lookup (fusion, node->id);
      const char *own = info != NULL ? hir_node_info_get_fact (info, "role") : NULL;
      g_autofree char *text = NULL;
      g_autofree char *uri = NULL;
      char hex[17];

      if (node->kind != HIR_GRAPH_TENSOR || own == NULL || strstr (own, role) == NULL ||
          n++ >= MAX_LISTED)
        continue;
      hir_id_to_hex (node->id, hex);
      uri = g_strdup_printf ("step0/%s", hex);
      text = g_strdup_printf ("%s %s", node->title, node->subtitle);
      hir_fact_card_add (card, n > 1 ? "" : name, text, uri);
    }
  hir_fact_card_add_rest (card, n, MAX_LISTED);
}

static GtkWidget *
create_program (HirProgram *program)
{
  HirFactCard *card = hir_fact_card_new ();
  HirRequest *request = program->request;
  guint n_changed = 0;

  if (request != NULL)
    {
      g_autofree char *base = g_path_get_basename (request->source->path);

      hir_fact_card_add (card, "script", base, NULL);
      if (request->function != NULL)
        hir_fact_card_add (card, "function", request->function, NULL);
      add_number (card, "devices", (guint64) MAX (request->n_devices, 1));
    }
  for (guint i = 1; i < program->views->len; i++)
    n_changed += ((HirProgramView *) program->views->pdata[i])->changed;
  if (program->views->len > 1)
    {
      g_autofree char *text =
          g_strdup_printf ("%u, %u with changes", program->views->len - 1, n_changed);

      hir_fact_card_add (card, "passes", text, NULL);
    }
  if (program->views->len > 0)
    {
      const HirProgramView *fusion = program->views->pdata[0];

      add_ends (card, fusion, "input");
      add_ends (card, fusion, "output");
    }
  for (guint i = 0; i < program->notes->len; i++)
    hir_fact_card_add_note (card, ((HirDiagnostic *) program->notes->pdata[i])->message);
  return GTK_WIDGET (card);
}

/* Returns a readable form of a recording's meta value; "" if there is nothing to display. */
static char *
dup_meta (const char *key, const char *value)
{
  if (g_str_equal (key, "clock"))
    return g_strdup (g_str_equal (value, "model")  ? "modelled"
                     : g_str_equal (value, "wall") ? "measured"
                                                   : value);
  if (g_str_equal (key, "backend"))
    return g_strdup (g_str_equal (value, "cpu")    ? "CPU"
                     : g_str_equal (value, "cuda") ? "GPU"
                                                   : value);
  if (g_str_equal (key, HIR_META_STOPPED))
    return g_strdup (value);
  if (g_str_equal (key, "created"))
    {
      g_autoptr (GDateTime) time = g_date_time_new_from_iso8601 (value, NULL);
      g_autoptr (GDateTime) local = time != NULL ? g_date_time_to_local (time) : NULL;

      return local != NULL ? g_date_time_format (local, "%-d %B %Y, %H:%M") : g_strdup (value);
    }
  return hir_run_settings_to_words (value);
}

/* Returns "20 on 4 devices, with default streams; 4 tracks of communicators". */
static char *
dup_streams (const HirTrace *trace)
{
  g_autoptr (GHashTable) devices =
      g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  guint n_streams = 0, n_links = 0;
  gboolean has_default = FALSE;
  GString *text;

  for (guint i = 0; i < hir_trace_get_n_tracks (trace); i++)
    {
      const HirTrack *track = hir_trace_get_track (trace, i);
      gint64 device = (gint64) ((guint64) (guint32) track->rank << 32 | (guint32) track->device);

      n_links += track->kind == HIR_TRACK_LINK;
      if (track->kind != HIR_TRACK_STREAM)
        continue;
      n_streams++;
      has_default |= g_strcmp0 (track->name, HIR_DEFAULT_STREAM_NAME) == 0;
      g_hash_table_add (devices, g_memdup2 (&device, sizeof device));
    }
  text = g_string_new (NULL);
  g_string_printf (text, "%u on %u device%s%s", n_streams, g_hash_table_size (devices),
                   g_hash_table_size (devices) == 1 ? "" : "s",
                   has_default ? ", with default streams" : "");
  if (n_links > 0)
    g_string_append_printf (text, "; %u track%s of communicators", n_links,
                            n_links == 1 ? "" : "s");
  return g_string_free (text, FALSE);
}

static GtkWidget *
create_recording (HirSelection *selection, HirProgram *program, HirTrace *trace)
{
  static const char *const keys[] = { "inputs", "clock",          "backend",
                                      "run",    HIR_META_STOPPED, "created" };
  HirFactCard *card = hir_fact_card_new ();
  const char *command = hir_trace_get_meta (trace, HIR_META_COMMAND);
  const char *verdict = hir_trace_get_verdict (trace);
  gint64 start_ns, end_ns;
  const char *const *account;
  g_autofree char *length = NULL, *memory = NULL, *streams = dup_streams (trace);

  hir_trace_get_span (trace, &start_ns, &end_ns);
  length = hir_format_duration (end_ns - start_ns);
  hir_fact_card_add (card, "length", length, NULL);
  add_number (card, "events", hir_trace_get_n_events (trace));
  hir_fact_card_add (card, "streams", streams, NULL);
  memory = hir_trace_memory_dup_text (selection);
  hir_fact_card_add (card, "memory", memory, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      const char *value = hir_trace_get_meta (trace, keys[i]);
      g_autofree char *text = value != NULL ? dup_meta (keys[i], value) : NULL;

      if (text != NULL && *text != '\0')
        hir_fact_card_add (card, keys[i], text, NULL);
    }
  if (verdict != NULL)
    hir_fact_card_add (card, "check", verdict, NULL);
  if (command != NULL)
    {
      g_autofree char *words = program != NULL && program->request != NULL
                                   ? hir_request_dup_words (program->request)
                                   : NULL;
      /* Not if the run is of an earlier text. */
      g_autofree char *remark = words != NULL && strstr (command, words) != NULL
                                    ? hir_run_dup_remark (program->request)
                                    : NULL;
      g_autofree char *text = g_strconcat (command, remark, NULL);

      hir_fact_card_add_copied (card, "command", text);
    }
  account = hir_trace_get_account (trace);
  for (guint i = 0; account != NULL && account[i] != NULL; i++)
    hir_fact_card_add_note (card, account[i]);
  return GTK_WIDGET (card);
}

static GtkWidget *
create_hint (gboolean has_passes)
{
  GtkWidget *label =
      gtk_label_new (has_passes ? "Select a line, a box of the graph or a bar of the timeline "
                                  "to highlight it everywhere and to show its details here."
                                : "Select a bar of the timeline to show its details here. Drag "
                                  "along the ruler to select a range for the statistics.");

  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_widget_add_css_class (label, "dim-label");
  gtk_widget_add_css_class (label, "hint");
  gtk_widget_set_margin_top (label, 12);
  gtk_widget_set_margin_start (label, 4);
  gtk_widget_set_margin_end (label, 4);
  return label;
}

void
hir_overview_add (HirSelection *selection, HirOverviewFunc add, gpointer user_data)
{
  HirProgram *program = hir_selection_get_program (selection);
  HirTrace *trace = hir_selection_get_trace (selection);

  gboolean has_passes = program == NULL || program->request != NULL || program->views->len > 0;

  if (program != NULL && has_passes)
    add ("Program", create_program (program), user_data);
  if (trace != NULL && hir_trace_get_n_events (trace) > 0)
    add (has_passes ? "Recording" : "Trace", create_recording (selection, program, trace),
         user_data);
  add (NULL, create_hint (has_passes), user_data);
}
