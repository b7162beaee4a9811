#include "view/program-view.h"

HirNodeInfo *
hir_node_info_new (guint64 id, gboolean is_expr)
{
  HirNodeInfo *info = g_new0 (HirNodeInfo, 1);

  info->id = id;
  info->is_expr = is_expr;
  return info;
}

static void
clear_fact (gpointer data)
{
  HirFact *fact = data;

  g_free (fact->name);
  g_free (fact->value);
}

void
hir_node_info_add_fact (HirNodeInfo *info, const char *name, const char *value, guint64 id)
{
  HirFact fact = { g_strdup (name), g_strdup (value), id };

  if (info->facts == NULL)
    {
      info->facts = g_array_new (FALSE, FALSE, sizeof (HirFact));
      g_array_set_clear_func (info->facts, clear_fact);
    }
  g_array_append_val (info->facts, fact);
}

void
hir_node_info_free (HirNodeInfo *info)
{
  if (info == NULL)
    return;
  g_free (info->kind);
  g_free (info->label);
  g_free (info->origins);
  g_clear_pointer (&info->facts, g_array_unref);
  g_free (info);
}

gboolean
hir_node_info_is_part (const HirNodeInfo *info)
{
  return g_strcmp0 (info->kind, "IterDomain") == 0 || g_strcmp0 (info->kind, "HostUnit") == 0;
}

HirProgramView *
hir_program_view_new_empty (void)
{
  HirProgramView *view = g_new0 (HirProgramView, 1);

  g_atomic_ref_count_init (&view->ref_count);
  /* The key is part of the value. */
  view->nodes = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL,
                                       (GDestroyNotify) hir_node_info_free);
  return view;
}

void
hir_program_view_add_node (HirProgramView *view, HirNodeInfo *info)
{
  /* Readers need not check for NULL. */
  if (info->facts == NULL)
    {
      info->facts = g_array_new (FALSE, FALSE, sizeof (HirFact));
      g_array_set_clear_func (info->facts, clear_fact);
    }
  g_hash_table_replace (view->nodes, &info->id, info);
}

HirProgramView *
hir_program_view_ref (HirProgramView *view)
{
  g_atomic_ref_count_inc (&view->ref_count);
  return view;
}

void
hir_program_view_unref (HirProgramView *view)
{
  if (view == NULL || !g_atomic_ref_count_dec (&view->ref_count))
    return;
  g_free (view->pass_name);
  g_free (view->text);
  g_clear_pointer (&view->spans, g_array_unref);
  hir_graph_free (view->graph);
  g_hash_table_unref (view->nodes);
  g_free (view);
}

const HirNodeInfo *
hir_program_view_lookup (const HirProgramView *view, guint64 id)
{
  return g_hash_table_lookup (view->nodes, &id);
}

HirChange
hir_program_view_get_change (const HirProgramView *before, const HirProgramView *after, guint64 id)
{
  const HirNodeInfo *old = before != NULL ? hir_program_view_lookup (before, id) : NULL;
  const HirNodeInfo *new = hir_program_view_lookup (after, id);

  if (old == NULL)
    return new != NULL ? HIR_CHANGE_CREATED : HIR_CHANGE_NONE;
  if (new == NULL)
    return HIR_CHANGE_REMOVED;
  return old->content_hash == new->content_hash ? HIR_CHANGE_NONE : HIR_CHANGE_CHANGED;
}

HirChange
hir_program_view_get_line_change (const HirProgramView *before,
                                  const HirProgramView *after,
                                  guint64 id)
{
  return hir_program_view_get_box_change (before, after, id, NULL);
}

HirChange
hir_program_view_get_box_change (const HirProgramView *before,
                                 const HirProgramView *after,
                                 guint64 id,
                                 GHashTable *boxes)
{
  HirChange change = hir_program_view_get_change (before, after, id);
  const HirNodeInfo *info = hir_program_view_lookup (after, id);

  if (change != HIR_CHANGE_NONE || info == NULL || !info->is_expr)
    return change;
  for (guint i = 0; i < info->facts->len; i++)
    {
      const HirFact *fact = &g_array_index (info->facts, HirFact, i);

      if (g_str_equal (fact->name, "output") && fact->id != 0 &&
          (boxes == NULL || !g_hash_table_contains (boxes, &fact->id)) &&
          hir_program_view_get_change (before, after, fact->id) == HIR_CHANGE_CHANGED)
        return HIR_CHANGE_CHANGED;
    }
  return HIR_CHANGE_NONE;
}

void
hir_program_view_count_changes (const HirProgramView *before,
                                const HirProgramView *after,
                                guint *n_created,
                                guint *n_changed,
                                guint *n_removed)
{
  GHashTableIter iter;
  gpointer info;

  *n_created = *n_changed = *n_removed = 0;
  g_hash_table_iter_init (&iter, after->nodes);
  while (g_hash_table_iter_next (&iter, NULL, &info))
    {
      HirChange change = hir_program_view_get_change (before, after, ((HirNodeInfo *) info)->id);

      if (hir_node_info_is_part (info))
        continue;
      *n_created += change == HIR_CHANGE_CREATED;
      *n_changed += change == HIR_CHANGE_CHANGED;
    }
  if (before == NULL)
    return;
  g_hash_table_iter_init (&iter, before->nodes);
  while (g_hash_table_iter_next (&iter, NULL, &info))
    if (!hir_node_info_is_part (info) &&
        hir_program_view_lookup (after, ((HirNodeInfo *) info)->id) == NULL)
      (*n_removed)++;
}

/* Set of ids in order of insertion. */
typedef struct
{
  GArray *ids;
  GHashTable *seen; /* const gint64* */
} IdSet;

static void
id_set_init (IdSet *set)
{
  set->ids = g_array_new (FALSE, FALSE, sizeof (guint64));
  set->seen = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
}

static void
id_set_add (IdSet *set, guint64 id)
{
  if (g_hash_table_add (set->seen, g_memdup2 (&id, sizeof id)))
    g_array_append_val (set->ids, id);
}

static void
id_set_clear (IdSet *set)
{
  g_array_unref (set->ids);
  g_hash_table_unref (set->seen);
}

static int
compare_ids (gconstpointer a, gconstpointer b)
{
  guint64 left = *(const guint64 *) a, right = *(const guint64 *) b;

  return left < right ? -1 : left > right;
}

/* Maps the ids @old to the following snapshot @view. An id that is missing there is kept as well,
 * because nodes derived from it may appear later. */
static void
step_forward (const HirProgramView *view, const IdSet *old, IdSet *new)
{
  g_autoptr (GHashTable) gone = g_hash_table_new (g_int64_hash, g_int64_equal);
  g_autoptr (GArray) derived = g_array_new (FALSE, FALSE, sizeof (guint64));
  GHashTableIter iter;
  gpointer value;

  for (guint i = 0; i < old->ids->len; i++)
    {
      guint64 *id = &g_array_index (old->ids, guint64, i);

      id_set_add (new, *id);
      if (hir_program_view_lookup (view, *id) == NULL)
        g_hash_table_add (gone, id);
    }
  if (g_hash_table_size (gone) == 0)
    return;
  g_hash_table_iter_init (&iter, view->nodes);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      const HirNodeInfo *info = value;

      for (guint i = 0; i < info->n_origins; i++)
        if (g_hash_table_contains (gone, &info->origins[i]))
          {
            g_array_append_val (derived, info->id);
            break;
          }
    }
  /* Sort, because the order of a hash table may differ from run to run. */
  g_array_sort (derived, compare_ids);
  for (guint i = 0; i < derived->len; i++)
    id_set_add (new, g_array_index (derived, guint64, i));
}

/* Maps ids backward: an id that is not in @view is replaced by its origins, recursively. @later
 * contains them. */
static void
step_backward (const HirProgramView *later,
               const HirProgramView *view,
               const IdSet *old,
               IdSet *new)
{
  for (guint i = 0; i < old->ids->len; i++)
    id_set_add (new, g_array_index (old->ids, guint64, i));
  for (guint i = 0; i < new->ids->len; i++)
    {
      guint64 id = g_array_index (new->ids, guint64, i);
      const HirNodeInfo *info = hir_program_view_lookup (later, id);

      if (info == NULL || hir_program_view_lookup (view, id) != NULL)
        continue;
      for (guint k = 0; k < info->n_origins; k++)
        id_set_add (new, info->origins[k]);
    }
}

GArray *
hir_program_views_follow (GPtrArray *views, guint from, guint to, guint64 id)
{
  GArray *result = g_array_new (FALSE, FALSE, sizeof (guint64));
  const HirProgramView *target;
  IdSet set;

  g_return_val_if_fail (from < views->len && to < views->len, result);

  target = g_ptr_array_index (views, to);
  id_set_init (&set);
  id_set_add (&set, id);
  for (guint at = from; at != to && hir_program_view_lookup (target, id) == NULL;)
    {
      guint next = to > from ? at + 1 : at - 1;
      IdSet stepped;

      id_set_init (&stepped);
      if (to > from)
        step_forward (g_ptr_array_index (views, next), &set, &stepped);
      else
        step_backward (g_ptr_array_index (views, at), g_ptr_array_index (views, next), &set,
                       &stepped);
      id_set_clear (&set);
      set = stepped;
      at = next;
    }
  for (guint i = 0; i < set.ids->len; i++)
    if (hir_program_view_lookup (target, g_array_index (set.ids, guint64, i)) != NULL)
      g_array_append_val (result, g_array_index (set.ids, guint64, i));
  id_set_clear (&set);
  return result;
}

/* Adds the nodes of @view with a position in @line. */
static void
add_of_line (const HirProgramView *view, guint line, IdSet *set)
{
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, view->nodes);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    if (((const HirNodeInfo *) value)->pos.line == line)
      id_set_add (set, ((const HirNodeInfo *) value)->id);
}

/* Adds the tensors of the axes in @set. They are not followed: later passes derive much from them
 * that has nothing to do with the axis. */
static void
add_axis_owners (const HirProgramView *view, const IdSet *set, GHashTable *found)
{
  for (guint i = 0; i < set->ids->len; i++)
    {
      const HirNodeInfo *info =
          hir_program_view_lookup (view, g_array_index (set->ids, guint64, i));

      if (info == NULL)
        continue;
      g_hash_table_add (found, (gpointer) &info->id);
      for (guint f = 0; f < info->facts->len; f++)
        {
          const HirFact *fact = &g_array_index (info->facts, HirFact, f);

          if (g_str_equal (fact->name, "axis of") &&
              hir_program_view_lookup (view, fact->id) != NULL)
            g_hash_table_add (found, (gpointer) &fact->id);
        }
    }
}

/* Moves the ids of @found to an array, in the order of the text. */
static GArray *
dup_ordered (const HirProgramView *view, GHashTable *found)
{
  GArray *ids = g_array_new (FALSE, FALSE, sizeof (guint64));
  GHashTableIter iter;
  gpointer id;
  guint n;

  for (guint pass = 0; pass < 2; pass++)
    for (guint i = 0; view->spans != NULL && i < view->spans->len; i++)
      {
        const HirSpan *span = &g_array_index (view->spans, HirSpan, i);

        if (span->is_expr == (pass == 0) && g_hash_table_remove (found, &span->id))
          g_array_append_val (ids, span->id);
      }
  n = ids->len;
  g_hash_table_iter_init (&iter, found);
  while (g_hash_table_iter_next (&iter, &id, NULL))
    g_array_append_vals (ids, id, 1);
  if (ids->len > n)
    qsort (ids->data + n * sizeof (guint64), ids->len - n, sizeof (guint64), compare_ids);
  return ids;
}

GPtrArray *
hir_program_views_follow_line (GPtrArray *views, guint line)
{
  GPtrArray *result = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  IdSet set;

  id_set_init (&set);
  for (guint i = 0; i < views->len; i++)
    {
      const HirProgramView *view = views->pdata[i];
      g_autoptr (GHashTable) found = g_hash_table_new (g_int64_hash, g_int64_equal);
      IdSet stepped;

      id_set_init (&stepped);
      step_forward (view, &set, &stepped);
      add_of_line (view, line, &stepped);
      id_set_clear (&set);
      set = stepped;
      add_axis_owners (view, &set, found);
      g_ptr_array_add (result, dup_ordered (view, found));
    }
  id_set_clear (&set);
  return result;
}
