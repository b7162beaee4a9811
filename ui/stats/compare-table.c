#include "stats/compare-table.h"

#include "config.h"

#include <math.h>
#include <string.h>

#include "base/names.h"
#include "canvas/canvas.h"
#include "draw/measure.h"
#include "trace/duration.h"

struct _HirCompareItem
{
  GObject parent_instance;

  HirCompareRow row;
  char *name;  /* owns row.name */
  char *shown; /* the name in the table */
};

typedef struct
{
  HirCompareActivated activated;
  gpointer user_data;
} Activation;

static const char *const heads[HIR_COMPARE_N_COLUMNS] = {
  "Name", "Count A", "Count B", "Sum A", "Sum B", "B \342\210\222 A", "B / A", "Largest Slowdown",
};

#define BY_DIFFERENCE 5
#define SLOWEST 7

G_DEFINE_FINAL_TYPE (HirCompareItem, hir_compare_item, G_TYPE_OBJECT)

static void
hir_compare_item_finalize (GObject *object)
{
  g_free (HIR_COMPARE_ITEM (object)->name);
  g_free (HIR_COMPARE_ITEM (object)->shown);
  G_OBJECT_CLASS (hir_compare_item_parent_class)->finalize (object);
}

static void
hir_compare_item_class_init (HirCompareItemClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = hir_compare_item_finalize;
}

static void
hir_compare_item_init (HirCompareItem *self)
{
}

/* For example "+12.3 µs", "−4 ns", "0 ns". */
static char *
dup_signed (gint64 ns)
{
  g_autofree char *text = hir_format_duration (ABS (ns));

  return g_strdup_printf ("%s%s", ns > 0 ? "+" : ns < 0 ? "\342\210\222" : "", text);
}

static double
get_ratio (const HirCompareRow *row)
{
  return row->sum_a_ns > 0 ? (double) row->sum_b_ns / (double) row->sum_a_ns : NAN;
}

static char *
dup_cell (const HirCompareItem *item, guint column)
{
  const HirCompareRow *row = &item->row;

  switch (column)
    {
    case 0:
      return g_strdup (item->shown);
    case 1:
      return g_strdup_printf ("%" G_GUINT64_FORMAT, row->count_a);
    case 2:
      return g_strdup_printf ("%" G_GUINT64_FORMAT, row->count_b);
    case 3:
      return row->count_a > 0 ? hir_format_duration (row->sum_a_ns) : g_strdup ("\342\200\223");
    case 4:
      return row->count_b > 0 ? hir_format_duration (row->sum_b_ns) : g_strdup ("\342\200\223");
    case 5:
      return dup_signed (row->sum_b_ns - row->sum_a_ns);
    case 6:
      return isnan (get_ratio (row)) ? g_strdup ("only B")
             : row->count_b == 0     ? g_strdup ("only A")
                                     : g_strdup_printf ("%.3f", get_ratio (row));
    default:
      return row->n_pairs > 0 ? dup_signed (row->max_slower_ns) : g_strdup ("\342\200\223");
    }
}

static double
get_value (const HirCompareRow *row, guint column)
{
  const double values[HIR_COMPARE_N_COLUMNS] = {
    0,
    (double) row->count_a,
    (double) row->count_b,
    (double) row->sum_a_ns,
    (double) row->sum_b_ns,
    fabs ((double) row->sum_b_ns - (double) row->sum_a_ns), /* largest change in either direction */
    isnan (get_ratio (row)) ? HUGE_VAL : get_ratio (row),
    (double) row->max_slower_ns,
  };

  return values[column];
}

static int
compare_items (gconstpointer a, gconstpointer b, gpointer user_data)
{
  const HirCompareItem *x = a, *y = b;
  guint column = GPOINTER_TO_UINT (user_data);
  double u = get_value (&x->row, column), v = get_value (&y->row, column);

  if (column == 0)
    return strcmp (x->shown, y->shown);
  return u < v ? -1 : u > v;
}

/* The table owns the activation. */
static gboolean
on_slowest (GtkLabel *label, const char *uri, GtkListItem *item)
{
  GtkWidget *view = gtk_widget_get_ancestor (GTK_WIDGET (label), GTK_TYPE_COLUMN_VIEW);
  const Activation *activation = g_object_get_data (G_OBJECT (view), "hir-activation");
  const HirCompareItem *row = gtk_list_item_get_item (item);

  activation->activated (&row->row, TRUE, activation->user_data);
  return TRUE;
}

static void
on_setup (GtkSignalListItemFactory *factory, GtkListItem *item, gpointer user_data)
{
  GtkWidget *label = gtk_label_new (NULL);
  gboolean is_name = GPOINTER_TO_UINT (user_data) == 0;

  gtk_label_set_xalign (GTK_LABEL (label), is_name ? 0 : 1);
  gtk_widget_set_overflow (label, GTK_OVERFLOW_HIDDEN);
  if (is_name)
    gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_MIDDLE);
  else
    gtk_widget_add_css_class (label, "numeric");
  if (GPOINTER_TO_UINT (user_data) == SLOWEST)
    {
      /* The keys belong to the row. */
      gtk_widget_set_can_focus (label, FALSE);
      g_signal_connect (label, "activate-link", G_CALLBACK (on_slowest), item);
    }
  gtk_list_item_set_child (item, label);
}

static void
on_bind (GtkSignalListItemFactory *factory, GtkListItem *item, gpointer user_data)
{
  HirCompareItem *row = gtk_list_item_get_item (item);
  GtkWidget *label = gtk_list_item_get_child (item);
  guint column = GPOINTER_TO_UINT (user_data);
  g_autofree char *text = dup_cell (row, column);
  g_autofree char *line = hir_text_dup_line (text);

  if (column == SLOWEST && row->row.max_slower_ns > 0)
    {
      g_autofree char *link = g_markup_printf_escaped ("<a href=\"slowest\">%s</a>", line);

      gtk_label_set_markup (GTK_LABEL (label), link);
    }
  else
    gtk_label_set_text (GTK_LABEL (label), line);
  hir_names_set_tooltip (label, column == 0         ? text
                                : column == SLOWEST ? "Select this event of B (Shift+Enter)"
                                                    : NULL);
}

static void
on_activate (GtkColumnView *view, guint position, gpointer user_data)
{
  Activation *activation = user_data;
  g_autoptr (HirCompareItem) item =
      g_list_model_get_item (G_LIST_MODEL (gtk_column_view_get_model (view)), position);

  if (item != NULL)
    activation->activated (&item->row, FALSE, activation->user_data);
}

/* Selects the event of the largest slowdown of the current row. */
static gboolean
on_shift_enter (GtkWidget *view, GVariant *arguments, gpointer user_data)
{
  const Activation *activation = user_data;
  GtkSelectionModel *model = gtk_column_view_get_model (GTK_COLUMN_VIEW (view));
  const HirCompareItem *item =
      gtk_single_selection_get_selected_item (GTK_SINGLE_SELECTION (model));

  if (item != NULL && item->row.max_slower_ns > 0)
    activation->activated (&item->row, TRUE, activation->user_data);
  return TRUE;
}

static void
add_key (GtkWidget *view, gpointer activation)
{
  GtkEventController *controller = gtk_shortcut_controller_new ();

  gtk_event_controller_set_propagation_phase (controller, GTK_PHASE_CAPTURE);
  gtk_shortcut_controller_add_shortcut (GTK_SHORTCUT_CONTROLLER (controller),
                                        gtk_shortcut_new (gtk_shortcut_trigger_parse_string (
                                                              "<Shift>Return|<Shift>KP_Enter"),
                                                          gtk_callback_action_new (on_shift_enter,
                                                                                   activation,
                                                                                   NULL)));
  gtk_widget_add_controller (view, controller);
}

static GtkColumnViewColumn *
add_column (GtkColumnView *view, guint column)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  GtkColumnViewColumn *added = gtk_column_view_column_new (heads[column], factory);
  g_autoptr (GtkSorter) sorter =
      GTK_SORTER (gtk_custom_sorter_new (compare_items, GUINT_TO_POINTER (column), NULL));

  g_signal_connect (factory, "setup", G_CALLBACK (on_setup), GUINT_TO_POINTER (column));
  g_signal_connect (factory, "bind", G_CALLBACK (on_bind), GUINT_TO_POINTER (column));
  gtk_column_view_column_set_sorter (added, sorter);
  gtk_column_view_column_set_expand (added, column == 0);
  gtk_column_view_column_set_resizable (added, TRUE);
  gtk_column_view_append_column (view, added);
  g_object_unref (added);
  return added;
}

/* Aligns the headings of numeric columns to the right, as their cells. GtkColumnView has no
 * property for this. */
static void
align_headings (GtkWidget *view)
{
  GtkWidget *header = gtk_widget_get_first_child (view);
  GtkWidget *title = header != NULL ? gtk_widget_get_first_child (header) : NULL;

  for (guint column = 0; title != NULL; title = gtk_widget_get_next_sibling (title), column++)
    {
      GtkWidget *label = title, *arrow;

      while (label != NULL && !GTK_IS_LABEL (label))
        label = gtk_widget_get_first_child (label);
      if (label == NULL || column == 0)
        continue;
      gtk_widget_set_hexpand (label, TRUE);
      gtk_label_set_xalign (GTK_LABEL (label), 1);
      /* The sort arrow takes space even if it is invisible. Put it on the left side, so that the
       * heading ends at the same edge as the numbers. */
      arrow = gtk_widget_get_next_sibling (label);
      if (arrow != NULL && GTK_IS_BOX (gtk_widget_get_parent (label)))
        gtk_box_reorder_child_after (GTK_BOX (gtk_widget_get_parent (label)), arrow, NULL);
    }
}

GtkWidget *
hir_compare_table_new (const HirComparison *comparison,
                       HirCompareActivated activated,
                       gpointer user_data)
{
  GListStore *store = g_list_store_new (HIR_TYPE_COMPARE_ITEM);
  GtkWidget *view = gtk_column_view_new (NULL);
  GtkWidget *scrolled = gtk_scrolled_window_new ();
  Activation *activation = g_new0 (Activation, 1);
  GtkColumnViewColumn *difference = NULL;
  GtkSortListModel *sorted;
  GtkSingleSelection *selection;

  activation->activated = activated;
  activation->user_data = user_data;
  for (guint i = 0; i < comparison->rows->len; i++)
    {
      g_autoptr (HirCompareItem) item = g_object_new (HIR_TYPE_COMPARE_ITEM, NULL);

      item->row = g_array_index (comparison->rows, HirCompareRow, i);
      item->name = g_strdup (item->row.name);
      item->row.name = item->name;
      item->shown = hir_compare_row_dup_name (&item->row);
      item->row.label = NULL; /* owned by the program */
      g_list_store_append (store, item);
    }
  for (guint column = 0; column < HIR_COMPARE_N_COLUMNS; column++)
    {
      GtkColumnViewColumn *added = add_column (GTK_COLUMN_VIEW (view), column);

      if (column == BY_DIFFERENCE)
        difference = added;
    }
  align_headings (view);
  gtk_column_view_sort_by_column (GTK_COLUMN_VIEW (view), difference, GTK_SORT_DESCENDING);
  sorted =
      gtk_sort_list_model_new (G_LIST_MODEL (store),
                               g_object_ref (gtk_column_view_get_sorter (GTK_COLUMN_VIEW (view))));
  selection = gtk_single_selection_new (G_LIST_MODEL (sorted));
  gtk_column_view_set_model (GTK_COLUMN_VIEW (view), GTK_SELECTION_MODEL (selection));
  g_object_unref (selection);
  gtk_column_view_set_single_click_activate (GTK_COLUMN_VIEW (view), TRUE);
  gtk_column_view_set_show_row_separators (GTK_COLUMN_VIEW (view), FALSE);
  gtk_widget_add_css_class (view, "data-table");
  g_signal_connect (view, "activate", G_CALLBACK (on_activate), activation);
  g_object_set_data_full (G_OBJECT (view), "hir-activation", activation, g_free);
  add_key (view, activation);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), view);
  gtk_widget_set_vexpand (scrolled, TRUE);
  return scrolled;
}

#if HIR_TESTING
GPtrArray *
hir_compare_table_dup_cells (GtkWidget *table, guint max)
{
  GtkWidget *view = gtk_scrolled_window_get_child (GTK_SCROLLED_WINDOW (table));
  GListModel *model = G_LIST_MODEL (gtk_column_view_get_model (GTK_COLUMN_VIEW (view)));
  GPtrArray *cells = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < MIN (g_list_model_get_n_items (model), max); i++)
    {
      g_autoptr (HirCompareItem) item = g_list_model_get_item (model, i);

      for (guint column = 0; column < HIR_COMPARE_N_COLUMNS; column++)
        g_ptr_array_add (cells, dup_cell (item, column));
    }
  return cells;
}
#endif
