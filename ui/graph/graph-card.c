#include "graph/graph-card.h"

#include "base/focus.h"
#include "inspector/fact-card.h"

#define DELAY_MS 350
#define WIDTH 320
#define MAX_ORIGINS 4

struct _HirGraphCard
{
  GtkWidget parent_instance;

  HirSelection *selection;
  HirGraphView *view; /* borrowed: the widget below */
  GtkWidget *card;
  guint64 shown;  /* node id of the displayed card; 0 if hidden */
  gboolean stays; /* opened by key: not closed when the pointer leaves the box */
  guint timeout;
};

G_DEFINE_FINAL_TYPE (HirGraphCard, hir_graph_card, GTK_TYPE_WIDGET)

static void
add_fact (HirFactCard *card, const HirNodeInfo *info, const char *fact_name, const char *as)
{
  const HirFact *fact = hir_fact_find (info, fact_name);

  if (fact != NULL)
    hir_fact_card_add (card, as, fact->value, NULL);
}

/* Adds the domain of a tensor, or of the tensor that an Expr produces. */
static void
add_domain (HirFactCard *card, const HirProgramView *view, const HirNodeInfo *info)
{
  static const char *const outputs[] = { "output", "buffer" };

  for (guint i = 0; info->is_expr && i < G_N_ELEMENTS (outputs); i++)
    {
      const HirFact *fact = hir_fact_find (info, outputs[i]);

      if (fact != NULL && fact->id != 0 && hir_program_view_lookup (view, fact->id) != NULL)
        {
          info = hir_program_view_lookup (view, fact->id);
          break;
        }
    }
  if (info->is_expr)
    return;
  add_fact (card, info, "loop domain", "domain");
  add_fact (card, info, "shape", "extents");
  add_fact (card, info, "size", "bytes");
  add_fact (card, info, "mesh", "mesh");
}

/* Adds the pass that created the node, its origins and its position in the script. */
static void
add_provenance (HirGraphCard *self, HirFactCard *card, guint64 id, const HirNodeInfo *info)
{
  HirProgram *program = hir_selection_get_program (self->selection);
  g_autoptr (GString) origins = g_string_new (NULL);
  guint first = 0;

  while (first < program->views->len &&
         hir_program_view_lookup (program->views->pdata[first], id) == NULL)
    first++;
  if (first < program->views->len)
    hir_fact_card_add (card, "made by",
                       first == 0 ? hir_fact_get_author (program)
                                  : ((HirProgramView *) program->views->pdata[first])->pass_name,
                       NULL);
  for (guint i = 0; first > 0 && i < MIN (info->n_origins, MAX_ORIGINS); i++)
    for (guint step = MIN (first, program->views->len); step-- > 0;)
      {
        const HirNodeInfo *origin =
            hir_program_view_lookup (program->views->pdata[step], info->origins[i]);

        if (origin == NULL)
          continue;
        g_string_append_printf (origins, "%s%s", origins->len > 0 ? "\n" : "", origin->label);
        break;
      }
  if (origins->len > 0)
    hir_fact_card_add (card, "made from", origins->str, NULL);
  hir_fact_card_add_script (card, program, info->pos.line);
}

static GtkWidget *
create_card (HirGraphCard *self, const HirProgramView *view, guint64 id, const HirNodeInfo *info)
{
  HirFactCard *card = hir_fact_card_new ();
  g_autofree char *title = NULL;

  hir_fact_card_set_only_seen (card);
  /* Cut to one line: names can have 10,000 characters. */
  title = hir_text_dup_line (info->label != NULL ? info->label : info->kind);
  hir_fact_card_add (card, NULL, title, NULL);
  hir_fact_card_add (card, "kind", info->kind, NULL);
  add_domain (card, view, info);
  add_fact (card, info, "stream", "stream");
  add_fact (card, info, "inside", "inside");
  add_fact (card, info, "waits for", "waits for");
  add_fact (card, info, "trips", "trips");
  add_provenance (self, card, id, info);
  return GTK_WIDGET (card);
}

static gboolean
find_rect (HirGraphCard *self, guint64 id, HirRect *rect)
{
  HirPicture *picture = hir_graph_view_get_picture (self->view);

  for (guint i = 0; picture != NULL && i < picture->graph->nodes->len; i++)
    if (g_array_index (picture->graph->nodes, HirGraphNode, i).id == id)
      return hir_graph_view_get_node_rect (self->view, i, rect);
  return FALSE;
}

/* Places the card to the right of the box; if there is no space, to the left, otherwise below or
 * above. It never leaves the pane. */
static void
move_to_box (HirGraphCard *self, const HirRect *box)
{
  int pane_width = gtk_widget_get_width (GTK_WIDGET (self->view));
  int pane_height = gtk_widget_get_height (GTK_WIDGET (self->view));
  int width, height, x, y;

  gtk_widget_measure (self->card, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &width, NULL, NULL);
  width = MIN (width, WIDTH);
  gtk_widget_measure (self->card, GTK_ORIENTATION_VERTICAL, width, NULL, &height, NULL, NULL);
  x = (int) (box->x + box->width) + 12;
  if (x + width > pane_width - 8)
    x = (int) box->x - width - 12;
  y = (int) box->y;
  if (x < 8)
    {
      x = (int) box->x;
      y = (int) (box->y + box->height) + 12;
      if (y + height > pane_height - 8 && box->y > pane_height / 2.0f)
        y = (int) box->y - height - 12;
    }
  x = CLAMP (x, 8, MAX (pane_width - width - 8, 8));
  y = CLAMP (y, 8, MAX (pane_height - height - 8, 8));
  gtk_widget_set_size_request (GTK_WIDGET (self), width, -1);
  gtk_widget_set_margin_start (GTK_WIDGET (self), x);
  gtk_widget_set_margin_top (GTK_WIDGET (self), y);
}

static void
hide (HirGraphCard *self)
{
  self->shown = 0;
  self->stays = FALSE;
  hir_focus_leave (GTK_WIDGET (self), GTK_WIDGET (self->view));
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
  g_clear_pointer (&self->card, gtk_widget_unparent);
}

static gboolean
show (HirGraphCard *self, guint64 id)
{
  HirPicture *picture = hir_graph_view_get_picture (self->view);
  const HirProgramView *view = hir_selection_get_view (self->selection);
  const HirNodeInfo *info = view != NULL ? hir_program_view_lookup (view, id) : NULL;
  HirRect rect;

  hide (self);
  /* A node removed by this step is described as it was in the base snapshot. */
  if (info == NULL && picture != NULL && picture->choice->base != NULL)
    {
      view = picture->choice->base;
      info = hir_program_view_lookup (view, id);
    }
  if (info == NULL || !find_rect (self, id, &rect))
    return FALSE;
  self->card = create_card (self, view, id, info);
  gtk_widget_set_parent (self->card, GTK_WIDGET (self));
  self->shown = id;
  move_to_box (self, &rect);
  gtk_widget_set_visible (GTK_WIDGET (self), TRUE);
  return TRUE;
}

static gboolean
on_timeout (gpointer user_data)
{
  HirGraphCard *self = user_data;

  self->timeout = 0;
  if (hir_graph_view_get_hovered (self->view) != 0)
    show (self, hir_graph_view_get_hovered (self->view));
  return G_SOURCE_REMOVE;
}

static void
on_changed (HirGraphCard *self)
{
  guint64 hovered = hir_graph_view_get_hovered (self->view);

  if (self->stays)
    {
      if (!hir_selection_has_node_at (self->selection, hir_selection_get_step (self->selection),
                                      self->shown))
        hide (self);
      return;
    }
  if (hovered == self->shown && hovered != 0)
    return;
  g_clear_handle_id (&self->timeout, g_source_remove);
  if (self->shown != 0)
    hide (self);
  if (hovered != 0)
    self->timeout = g_timeout_add (DELAY_MS, on_timeout, self);
}

void
hir_graph_card_toggle (HirGraphCard *self)
{
  GArray *ids =
      hir_selection_get_nodes_at (self->selection, hir_selection_get_step (self->selection));
  gboolean was_shown = self->stays;

  hide (self);
  for (guint i = 0; !was_shown && i < ids->len && !self->stays; i++)
    self->stays = show (self, g_array_index (ids, guint64, i));
}

static void
hir_graph_card_dispose (GObject *object)
{
  HirGraphCard *self = HIR_GRAPH_CARD (object);

  g_clear_handle_id (&self->timeout, g_source_remove);
  g_clear_pointer (&self->card, gtk_widget_unparent);
  self->view = NULL;
  g_clear_object (&self->selection);
  G_OBJECT_CLASS (hir_graph_card_parent_class)->dispose (object);
}

static void
hir_graph_card_measure (GtkWidget *widget,
                        GtkOrientation orientation,
                        int for_size,
                        int *minimum,
                        int *natural,
                        int *minimum_baseline,
                        int *natural_baseline)
{
  HirGraphCard *self = HIR_GRAPH_CARD (widget);

  if (self->card != NULL)
    gtk_widget_measure (self->card, orientation, for_size, minimum, natural, minimum_baseline,
                        natural_baseline);
}

static void
hir_graph_card_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  HirGraphCard *self = HIR_GRAPH_CARD (widget);

  if (self->card != NULL)
    gtk_widget_allocate (self->card, width, height, baseline, NULL);
}

/* Needed because the size of a bin layout is constant: the height of one letter per line. */
static GtkSizeRequestMode
hir_graph_card_get_request_mode (GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static void
hir_graph_card_class_init (HirGraphCardClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = hir_graph_card_dispose;
  GTK_WIDGET_CLASS (klass)->measure = hir_graph_card_measure;
  GTK_WIDGET_CLASS (klass)->size_allocate = hir_graph_card_size_allocate;
  GTK_WIDGET_CLASS (klass)->get_request_mode = hir_graph_card_get_request_mode;
  gtk_widget_class_set_css_name (GTK_WIDGET_CLASS (klass), "graphcard");
}

static void
hir_graph_card_init (HirGraphCard *self)
{
  gtk_widget_set_halign (GTK_WIDGET (self), GTK_ALIGN_START);
  gtk_widget_set_valign (GTK_WIDGET (self), GTK_ALIGN_START);
  /* Let pointer events pass: otherwise the card would take the hover from the box. */
  gtk_widget_set_can_target (GTK_WIDGET (self), FALSE);
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
}

GtkWidget *
hir_graph_card_new (HirSelection *selection, HirGraphView *view)
{
  HirGraphCard *self = g_object_new (HIR_TYPE_GRAPH_CARD, NULL);

  self->selection = g_object_ref (selection);
  self->view = view;
  g_signal_connect_object (view, "changed", G_CALLBACK (on_changed), self, G_CONNECT_SWAPPED);
  return GTK_WIDGET (self);
}
