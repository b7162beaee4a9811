#include "debugger/debug-status.h"

#include "base/focus.h"
#include "base/links.h"
#include "config.h"
#include "debugger/debug-waits.h"

/* Longer tables are available with `info`. */
#define LONG_CHARS 11
#define WIDE_PX 480
#define MAX_ROWS 100

struct _HirDebugStatus
{
  GtkWidget parent_instance;

  GtkWidget *scroller;
  GtkWidget *box; /* of left and right */
  guint idle;
  GtkBox *left, *right; /* streams and communications; memory */
  GtkWidget *hint;
  char *waits; /* nullable: displayed text about blocked ranks */
};

G_DEFINE_FINAL_TYPE (HirDebugStatus, hir_debug_status, GTK_TYPE_WIDGET)

static GtkWidget *
label_new (const char *text, const char *css_class)
{
  GtkWidget *label = gtk_label_new (NULL);

  hir_links_set_text (GTK_LABEL (label), text, NULL, NULL);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_widget_set_valign (label, GTK_ALIGN_START);
  if (css_class != NULL)
    gtk_widget_add_css_class (label, css_class);
  return label;
}

static GtkGrid *
add_table (GtkBox *box, const char *title)
{
  GtkWidget *grid = gtk_grid_new ();

  gtk_grid_set_column_spacing (GTK_GRID (grid), 14);
  gtk_grid_set_row_spacing (GTK_GRID (grid), 1);
  gtk_box_append (box, label_new (title, "heading-small"));
  gtk_box_append (box, grid);
  return GTK_GRID (grid);
}

static void
add_cell (GtkGrid *grid, int row, int column, const char *text, const char *css_class)
{
  GtkWidget *label = label_new (text, css_class);

  gtk_label_set_wrap (GTK_LABEL (label), column == 1);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  gtk_grid_attach (grid, label, column, row, 1, 1);
}

/* Adds a cell that wraps if there is little room, but not at less than LONG_CHARS. */
static void
add_long_cell (GtkGrid *grid, int row, int column, const char *text)
{
  GtkWidget *label = label_new (text, NULL);

  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_width_chars (GTK_LABEL (label), MIN (g_utf8_strlen (text, -1), LONG_CHARS));
  gtk_grid_attach (grid, label, column, row, 1, 1);
}

static void
on_link (GtkButton *button)
{
  GVariant *parameter = g_object_get_data (G_OBJECT (button), "parameter");
  const char *action = g_object_get_data (G_OBJECT (button), "action");

  gtk_widget_activate_action_variant (GTK_WIDGET (button), action, parameter);
}

/* Creates a link that activates @action (a static string) with @parameter. */
static GtkWidget *
link_new (const char *text, const char *tooltip, const char *action, GVariant *parameter)
{
  GtkWidget *button = gtk_button_new ();
  GtkWidget *label = label_new (text, NULL);

  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  gtk_button_set_child (GTK_BUTTON (button), label);
  gtk_widget_add_css_class (button, "flat");
  gtk_widget_add_css_class (button, "debug-link");
  gtk_widget_set_halign (button, GTK_ALIGN_START);
  gtk_widget_set_tooltip_text (button, tooltip);
  g_object_set_data (G_OBJECT (button), "action", (gpointer) action);
  g_object_set_data_full (G_OBJECT (button), "parameter", g_variant_ref_sink (parameter),
                          (GDestroyNotify) g_variant_unref);
  g_signal_connect (button, "clicked", G_CALLBACK (on_link), NULL);
  return button;
}

/* Lists the blocked communications, above all other tables. */
static void
fill_waits (HirDebugStatus *self, const HirDebugState *state)
{
  g_autofree char *title = NULL;
  g_autoptr (GPtrArray) waits = hir_debug_waits_new (state, &title);
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 2);

  g_free (self->waits);
  self->waits = g_strdup (title);
  if (waits->len == 0)
    {
      g_object_ref_sink (box);
      g_object_unref (box);
      return;
    }
  gtk_widget_add_css_class (box, "debug-waits");
  gtk_box_append (GTK_BOX (box), label_new (title, "heading-small"));
  for (guint i = 0; i < MIN (waits->len, MAX_ROWS); i++)
    {
      const HirDebugWait *wait = waits->pdata[i];
      g_autofree char *line = g_strdup_printf ("rank %d", wait->rank);
      g_autofree char *all = g_strdup_printf ("%s\n%s %s", self->waits, wait->waits, wait->awaited);
      g_autofree char *show = g_strdup_printf ("Show rank %d", wait->rank);

      gtk_box_append (GTK_BOX (box),
                      link_new (wait->waits, "Show the blocked instruction", "win.debug-show",
                                g_variant_new_uint64 (wait->instruction)));
      gtk_box_append (GTK_BOX (box), link_new (wait->awaited, show, "win.debug-line",
                                               g_variant_new_string (line)));
      g_free (self->waits);
      self->waits = g_steal_pointer (&all);
    }
  gtk_box_append (self->left, box);
}

static char *
dup_doing (const HirDebugStateStream *stream)
{
  g_autofree char *iteration = stream->iteration >= 0
                                   ? g_strdup_printf (" in iteration %d", stream->iteration)
                                   : g_strdup ("");

  switch (stream->doing)
    {
    case HIR_STREAM_IDLE:
      return g_strdup ("idle");
    case HIR_STREAM_RUNNING:
      return g_strdup_printf ("running %s%s", stream->label, iteration);
    case HIR_STREAM_WAITING:
      return g_strdup_printf ("waiting for %s: %s%s", stream->waits_for, stream->label, iteration);
    case HIR_STREAM_HELD:
      return g_strdup_printf ("held before %s%s", stream->label, iteration);
    default:
      return g_strdup ("");
    }
}

static void
fill_streams (HirDebugStatus *self, const HirDebugStateRank *rank)
{
  g_autofree char *title = g_strdup_printf ("Streams of rank %d", rank->rank);
  GtkGrid *grid = add_table (self->left, title);

  for (guint i = 0; i < MIN (rank->streams->len, MAX_ROWS); i++)
    {
      const HirDebugStateStream *stream = rank->streams->pdata[i];
      g_autofree char *text = dup_doing (stream);
      g_autofree char *queued =
          stream->n_queued > 0 ? g_strdup_printf ("%u queued", stream->n_queued) : g_strdup ("");

      add_cell (grid, (int) i, 0, stream->name, stream->is_current ? "debug-current" : NULL);
      add_cell (grid, (int) i, 1, text, stream->doing == HIR_STREAM_IDLE ? "dim-label" : NULL);
      add_cell (grid, (int) i, 2, queued, "dim-label");
    }
}

static void
append_ranks (GString *out, const char *before, const GArray *ranks)
{
  g_string_append (out, before);
  for (guint i = 0; i < ranks->len; i++)
    g_string_append_printf (out, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : " ",
                            g_array_index (ranks, gint64, i));
  if (ranks->len == 0)
    g_string_append (out, " none");
}

static gboolean
is_active (const HirDebugState *state, guint64 id)
{
  for (guint i = 0; i < state->comms->len; i++)
    if (((const HirDebugStateComm *) state->comms->pdata[i])->instruction == id)
      return TRUE;
  return FALSE;
}

static void
fill_comms (HirDebugStatus *self, const HirDebugState *state, const HirDebugStateRank *rank)
{
  GtkGrid *grid = add_table (self->left, "Active communications");
  int row = 0;

  for (guint i = 0; i < MIN (state->comms->len, MAX_ROWS); i++)
    {
      const HirDebugStateComm *comm = state->comms->pdata[i];
      g_autoptr (GString) ranks = g_string_new (NULL);

      append_ranks (ranks, "posted:", comm->posted);
      append_ranks (ranks, "; missing:", comm->missing);
      add_cell (grid, row, 0, comm->where, NULL);
      add_cell (grid, row++, 1, ranks->str, comm->missing->len > 0 ? "debug-awaited" : "dim-label");
    }
  for (guint i = 0; i < MIN (rank->pending->len, MAX_ROWS); i++)
    {
      const HirDebugStatePending *pending = rank->pending->pdata[i];
      g_autofree char *text = g_strdup_printf ("%s: done, not waited for yet", pending->label);

      if (is_active (state, pending->instruction))
        continue;
      gtk_grid_attach (grid,
                       link_new (text, "Show the communication", "win.debug-show",
                                 g_variant_new_uint64 (pending->instruction)),
                       0, row++, 2, 1);
    }
  if (row == 0)
    add_cell (grid, 0, 0, "none", "dim-label");
}

static char *
dup_bytes (const HirDebugStateRank *rank)
{
  guint64 total = 0;

  for (guint i = 0; i < rank->buffers->len; i++)
    total += ((const HirDebugStateBuffer *) rank->buffers->pdata[i])->size_bytes;
  return g_format_size_full (total, G_FORMAT_SIZE_IEC_UNITS);
}

static const char *
get_current_stream (const HirDebugStateRank *rank)
{
  for (guint i = 0; i < rank->streams->len; i++)
    if (((const HirDebugStateStream *) rank->streams->pdata[i])->is_current)
      return ((const HirDebugStateStream *) rank->streams->pdata[i])->name;
  return "";
}

static void
fill_ranks (HirDebugStatus *self, const HirDebugState *state)
{
  GtkGrid *grid;

  if (state->ranks->len < 2)
    return;
  grid = add_table (self->left, "Ranks");
  for (guint i = 0; i < MIN (state->ranks->len, MAX_ROWS); i++)
    {
      const HirDebugStateRank *rank = state->ranks->pdata[i];
      g_autofree char *name = g_strdup_printf ("rank %d", rank->rank);
      g_autofree char *bytes = dup_bytes (rank);

      add_cell (grid, (int) i, 0, name, i == state->focus ? "debug-current" : NULL);
      add_long_cell (grid, (int) i, 1, rank->place);
      add_cell (grid, (int) i, 2, get_current_stream (rank), "dim-label");
      add_cell (grid, (int) i, 3, bytes, "dim-label");
    }
}

static void
fill_buffers (HirDebugStatus *self, const HirDebugStateRank *rank)
{
  g_autofree char *size = dup_bytes (rank);
  g_autofree char *title = NULL;
  GtkGrid *grid;

  title = g_strdup_printf ("Memory of rank %d: %s", rank->rank, size);
  grid = add_table (self->right, title);
  for (guint i = 0; i < MIN (rank->buffers->len, MAX_ROWS); i++)
    {
      const HirDebugStateBuffer *buffer = rank->buffers->pdata[i];
      g_autofree char *bytes = g_format_size_full (buffer->size_bytes, G_FORMAT_SIZE_IEC_UNITS);
      g_autoptr (GString) names = g_string_new (NULL);

      for (guint k = 0; k < buffer->names->len; k++)
        g_string_append_printf (names, "%sT%d", k > 0 ? ", " : "",
                                g_array_index (buffer->names, int, k));
      add_cell (grid, (int) i, 0, bytes, "dim-label");
      add_cell (grid, (int) i, 1, names->str, NULL);
      add_cell (grid, (int) i, 2, buffer->is_input ? "input" : "", "dim-label");
    }
  if (rank->buffers->len > MAX_ROWS)
    gtk_box_append (self->right, label_new ("For more, use info buffers", "dim-label"));
}

static void
clear (GtkBox *box)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (box))) != NULL)
    gtk_box_remove (box, child);
}

void
hir_debug_status_set (HirDebugStatus *self, const HirDebugState *state)
{
  gboolean has_state = state != NULL && state->is_running && state->focus < state->ranks->len;

  g_clear_pointer (&self->waits, g_free);
  hir_focus_leave (GTK_WIDGET (self), NULL);
  clear (self->left);
  clear (self->right);
  gtk_widget_set_visible (self->hint, !has_state);
  gtk_widget_set_visible (GTK_WIDGET (self->left), has_state);
  gtk_widget_set_visible (GTK_WIDGET (self->right), has_state);
  if (!has_state)
    return;
  fill_waits (self, state);
  fill_ranks (self, state);
  fill_streams (self, state->ranks->pdata[state->focus]);
  fill_comms (self, state, state->ranks->pdata[state->focus]);
  fill_buffers (self, state->ranks->pdata[state->focus]);
}

#if HIR_TESTING
const char *
hir_debug_status_get_waits (HirDebugStatus *self)
{
  return self->waits != NULL ? self->waits : "";
}
#endif

static void
hir_debug_status_dispose (GObject *object)
{
  g_clear_handle_id (&HIR_DEBUG_STATUS (object)->idle, g_source_remove);
  g_clear_pointer (&HIR_DEBUG_STATUS (object)->waits, g_free);
  g_clear_pointer (&HIR_DEBUG_STATUS (object)->scroller, gtk_widget_unparent);
  G_OBJECT_CLASS (hir_debug_status_parent_class)->dispose (object);
}

static void
hir_debug_status_class_init (HirDebugStatusClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = hir_debug_status_dispose;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
}

/* Puts the memory below the rest if there is little room, so that nothing scrolls sideways. */
static gboolean
arrange (gpointer user_data)
{
  HirDebugStatus *self = user_data;
  gboolean is_wide = gtk_widget_get_width (GTK_WIDGET (self)) >= WIDE_PX;

  self->idle = 0;
  gtk_orientable_set_orientation (GTK_ORIENTABLE (self->box),
                                  is_wide ? GTK_ORIENTATION_HORIZONTAL : GTK_ORIENTATION_VERTICAL);
  gtk_box_set_spacing (GTK_BOX (self->box), is_wide ? 28 : 3);
  return G_SOURCE_REMOVE;
}

/* The layout must not change while sizes are allocated. */
static void
on_width (HirDebugStatus *self)
{
  if (self->idle == 0)
    self->idle = g_idle_add (arrange, self);
}

static void
hir_debug_status_init (HirDebugStatus *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 28);

  self->box = box;
  self->left = GTK_BOX (gtk_box_new (GTK_ORIENTATION_VERTICAL, 3));
  self->right = GTK_BOX (gtk_box_new (GTK_ORIENTATION_VERTICAL, 3));
  self->hint =
      label_new ("Streams, communications and memory of a debugged program are shown here.",
                 "dim-label");
  gtk_label_set_wrap (GTK_LABEL (self->hint), TRUE);
  gtk_widget_set_hexpand (self->hint, TRUE);
  gtk_widget_add_css_class (box, "debug-status");
  gtk_widget_set_hexpand (GTK_WIDGET (self->left), TRUE);
  gtk_box_append (GTK_BOX (box), self->hint);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->left));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->right));
  self->scroller = gtk_scrolled_window_new ();
  g_signal_connect_swapped (gtk_scrolled_window_get_hadjustment (
                                GTK_SCROLLED_WINDOW (self->scroller)),
                            "notify::page-size", G_CALLBACK (on_width), self);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (self->scroller), box);
  gtk_widget_set_parent (self->scroller, GTK_WIDGET (self));
}

GtkWidget *
hir_debug_status_new (void)
{
  return g_object_new (HIR_TYPE_DEBUG_STATUS, NULL);
}
