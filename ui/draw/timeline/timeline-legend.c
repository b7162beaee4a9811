#include "draw/timeline/timeline-legend.h"

#include <math.h>
#include <string.h>

#include "draw/timeline/function-name.h"
#include "draw/timeline/timeline-bars.h"
#include "draw/timeline/timeline-explain.h"
#include "draw/timeline/timeline-summary.h"

#define LABEL_PX 11.5
#define ROW 18.0
#define SWATCH 12.0
#define INDENT 18.0 /* distance from a color swatch to its text */
#define EVENTS_A_LOOK 65536
#define MAX_NAMES 4    /* maximum number of names per color */
#define MAX_LETTERS 40 /* maximum length of such a name */

typedef struct
{
  char *name; /* for a C++ kernel, the name of its function */
  HirLook look;
  guint64 n;
} Name;

typedef struct
{
  GArray *names;       /* Name */
  GHashTable *by_key;  /* name and kind of an event -> index in names + 1 */
  GHashTable *by_text; /* name and appearance -> index in names + 1 */
} Names;

typedef struct
{
  char *label;
  HirLook look;
  guint64 n;
} Entry;

static void
clear_entry (gpointer data)
{
  g_free (((Entry *) data)->label);
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  const Name *x = a, *y = b;

  if (x->n != y->n)
    return x->n > y->n ? -1 : 1;
  return strcmp (x->name, y->name);
}

static int
compare_entries (gconstpointer a, gconstpointer b)
{
  const Entry *x = a, *y = b;

  if (x->n != y->n)
    return x->n > y->n ? -1 : 1;
  return (int) x->look - (int) y->look;
}

static void
clear_name (gpointer data)
{
  g_free (((Name *) data)->name);
}

/* Returns 1 + the index of the name for @event. */
static guint
intern_name (const HirTimelineScene *scene, const HirEvent *event, Names *names)
{
  gboolean named = event->kind == HIR_EVENT_KERNEL || event->kind == HIR_EVENT_COMMUNICATION;
  const char *text = hir_trace_get_string (scene->rows->trace, event->name);
  Name name = { NULL, hir_event_get_look (event->kind, text), 0 };
  g_autofree char *key = NULL;
  guint at;

  if (!named || text == NULL)
    name.name = g_strdup (hir_event_kind_get_label (event->kind));
  else if ((name.name = hir_dup_function_name (text)) == NULL)
    name.name = g_strdup (text);
  key = g_strdup_printf ("%u:%s", name.look, name.name);
  at = GPOINTER_TO_UINT (g_hash_table_lookup (names->by_text, key));
  if (at > 0)
    {
      g_free (name.name);
      return at;
    }
  g_array_append_val (names->names, name);
  g_hash_table_insert (names->by_text, g_steal_pointer (&key),
                       GUINT_TO_POINTER (names->names->len));
  return names->names->len;
}

static void
count_event (const HirTimelineScene *scene, const HirEvent *event, Names *names)
{
  gboolean named = event->kind == HIR_EVENT_KERNEL || event->kind == HIR_EVENT_COMMUNICATION;
  guint key = (named ? event->name * HIR_N_EVENT_KINDS : 0) + event->kind + 1;
  guint at = GPOINTER_TO_UINT (g_hash_table_lookup (names->by_key, GUINT_TO_POINTER (key)));

  if (at == 0)
    {
      at = intern_name (scene, event, names);
      g_hash_table_insert (names->by_key, GUINT_TO_POINTER (key), GUINT_TO_POINTER (at));
    }
  g_array_index (names->names, Name, at - 1).n++;
}

/* Marks in @drawn the appearances in the summary of a folded rank. */
static void
mark_summary (const HirTimelineScene *scene, int rank, gboolean *drawn)
{
  guint n = (guint) MAX (floor (scene->width - scene->header_width), 1);
  g_autofree float *cover = g_new (float, 2 * (gsize) n);
  g_autofree HirLook *looks = g_new (HirLook, 2 * (gsize) n);

  memset (drawn, 0, HIR_N_LOOKS * sizeof *drawn);
  hir_timeline_summary_get_cover (scene->rows, rank, scene->start_ns, scene->end_ns, n, cover,
                                  cover + n);
  hir_timeline_summary_get_looks (scene->rows, rank, scene->start_ns, scene->end_ns, n, looks,
                                  looks + n);
  for (guint c = 0; c < 2 * n; c++)
    drawn[looks[c]] |= cover[c] > 0;
}

/* Returns whether a color of @event is drawn. @drawn: of the summary of its rank; NULL if its track
 * has a row. */
static gboolean
is_drawn (const HirTimelineScene *scene, const HirEvent *event, const gboolean *drawn)
{
  return drawn == NULL ||
         (event->kind != HIR_EVENT_SYNC && event->kind != HIR_EVENT_ISSUE &&
          event->kind != HIR_EVENT_HOST &&
          drawn[hir_timeline_rows_get_look (scene->rows, event->kind, event->name)]);
}

/* Collects names of kernels and communications and kinds of other events in the visible time, most
 * frequent first. */
static GArray *
collect_names (const HirTimelineScene *scene)
{
  const HirTrace *trace = scene->rows->trace;
  g_autoptr (GHashTable) by_key = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) by_text = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  Names names = { g_array_new (FALSE, TRUE, sizeof (Name)), by_key, by_text };
  gboolean drawn[HIR_N_LOOKS] = { 0 };

  g_array_set_clear_func (names.names, clear_name);
  for (guint r = 0; r < scene->rows->all->len; r++)
    {
      const HirTimelineRow *row = &g_array_index (scene->rows->all, HirTimelineRow, r);
      gboolean is_folded = hir_timeline_rows_get_collapsed (scene->rows, row->rank);
      gboolean has_row =
          !row->is_header && hir_timeline_rows_get_track (scene->rows, row->track) != NULL;
      guint n = row->is_header || (!has_row && !is_folded)
                    ? 0
                    : hir_trace_get_track_n_events (trace, row->track);
      guint first = n > 0 ? hir_trace_find_first (trace, row->track, scene->start_ns - 1) : 0;

      if (row->is_header && is_folded)
        mark_summary (scene, row->rank, drawn);

      for (guint i = first; i < n; i++)
        {
          HirEvent event;

          if ((i - first) % EVENTS_A_LOOK == 0 &&
              !hir_export_progress_should_continue (scene->progress, NULL))
            break;
          hir_trace_get_event (trace, row->track, i, &event);
          if (event.start_ns > scene->end_ns)
            break;
          if (event.end_ns >= scene->start_ns && is_drawn (scene, &event, has_row ? NULL : drawn))
            count_event (scene, &event, &names);
        }
    }
  g_array_sort (names.names, compare_names);
  return names.names;
}

static void
append_name (GString *text, const char *name)
{
  if (g_utf8_strlen (name, -1) <= MAX_LETTERS)
    {
      g_string_append (text, name);
      return;
    }
  g_string_append_len (text, name, g_utf8_offset_to_pointer (name, MAX_LETTERS - 1) - name);
  g_string_append (text, "\342\200\246");
}

/* Returns a label such as "pointwise: exp, add, mul, neg and 3 more". */
static char *
dup_label (const GArray *names, HirLook look, guint n_names)
{
  GString *text = g_string_new (NULL);
  guint n = 0;

  if (n_names > 1)
    g_string_append_printf (text, "%s: ", hir_look_get_label (look));
  for (guint i = 0; i < names->len && n < MAX_NAMES; i++)
    {
      const Name *name = &g_array_index (names, Name, i);

      if (name->look != look)
        continue;
      if (n_names == 1)
        g_string_append (text, name->name);
      else
        {
          g_string_append (text, n > 0 ? ", " : "");
          append_name (text, name->name);
        }
      n++;
    }
  if (n_names > n)
    g_string_append_printf (text, " and %u more", n_names - n);
  return g_string_free (text, FALSE);
}

/* Collects one entry per color. */
static GArray *
collect_entries (const HirTimelineScene *scene)
{
  g_autoptr (GArray) names = collect_names (scene);
  GArray *entries = g_array_new (FALSE, TRUE, sizeof (Entry));
  guint n_names[HIR_N_LOOKS] = { 0 };
  guint64 n_events[HIR_N_LOOKS] = { 0 };

  g_array_set_clear_func (entries, clear_entry);
  for (guint i = 0; i < names->len; i++)
    {
      const Name *name = &g_array_index (names, Name, i);

      n_names[name->look]++;
      n_events[name->look] += name->n;
    }
  for (guint look = 0; look < HIR_N_LOOKS; look++)
    if (n_names[look] > 0)
      {
        Entry entry = { dup_label (names, (HirLook) look, n_names[look]), (HirLook) look,
                        n_events[look] };

        g_array_append_val (entries, entry);
      }
  g_array_sort (entries, compare_entries);
  return entries;
}

/* Position of the next entry. */
typedef struct
{
  double x, y, left, width;
} Pen;

/* Moves to the next line if @label does not fit. Returns the width of its text. */
static double
place_entry (const HirTimelineScene *scene, Pen *pen, const char *label)
{
  double width = MIN (hir_measure_get_width (scene->measure, HIR_FONT_SANS, LABEL_PX, label) + 1,
                      pen->width - INDENT - 2);

  if (pen->x > pen->left && pen->x + INDENT + width > pen->left + pen->width)
    {
      pen->x = pen->left;
      pen->y += ROW;
    }
  return width;
}

/* Draws the text of an entry, and moves behind it. */
static void
end_entry (
    const HirTimelineScene *scene, HirDisplayList *list, Pen *pen, const char *label, double width)
{
  if (list != NULL)
    hir_display_list_add_text (list, hir_rect (pen->x + INDENT, pen->y, width, ROW), label,
                               HIR_FONT_SANS, LABEL_PX, scene->theme->text, HIR_ALIGN_START);
  pen->x += INDENT + width + 18;
}

static void
draw_path_entry (const HirTimelineScene *scene, HirDisplayList *list, Pen *pen)
{
  static const char label[] = "critical path; dotted: nothing runs";
  double width = place_entry (scene, pen, label);

  if (list != NULL)
    hir_timeline_path_draw_sample (scene->theme, list, hir_rect (pen->x, pen->y, SWATCH, ROW));
  end_entry (scene, list, pen, label, width);
}

double
hir_timeline_legend_draw (
    const HirTimelineScene *scene, HirDisplayList *list, double x, double y, double width)
{
  g_autoptr (GArray) entries = collect_entries (scene);
  Pen pen = { x, y, x, width };

  for (guint i = 0; i < entries->len; i++)
    {
      const Entry *entry = &g_array_index (entries, Entry, i);
      double label = place_entry (scene, &pen, entry->label);

      HirColor color = hir_theme_get_look_color (scene->theme, entry->look);
      HirRect swatch = hir_rect (pen.x, pen.y + 4, SWATCH, 10);

      if (list != NULL && hir_look_is_hollow (entry->look))
        hir_timeline_bars_draw_hollow (scene->theme, list, swatch, color);
      else if (list != NULL)
        hir_display_list_add_round_rect (list, swatch, 2, color, 0, 0, HIR_DASH_NONE);
      end_entry (scene, list, &pen, entry->label, label);
    }
  if (entries->len == 0)
    return 0;
  if (scene->explain != NULL && scene->shows_path)
    draw_path_entry (scene, list, &pen);
  return pen.y + ROW - y;
}
