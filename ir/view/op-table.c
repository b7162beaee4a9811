#include "view/op-table.h"

#include <string.h>

#define NO_GROUP (-1)

typedef struct
{
  GPtrArray *views;
  GHashTable *ops; /* gint64* id of an instruction -> GArray of guint: its ops */
} Side;

struct _HirOpTable
{
  Side sides[2];
  GArray *ids;         /* guint64: ops, in the order of the fusions */
  GArray *parents;     /* guint: union-find over ops */
  GHashTable *indices; /* gint64* id -> GUINT_TO_POINTER (index in ids) */
  GArray *group_of;    /* guint: op -> index in groups */
  GPtrArray *groups;
  gboolean is_one_script;
};

static const HirProgramView *
get_view (const GPtrArray *views, guint i)
{
  return g_ptr_array_index (views, i);
}

static void
group_free (gpointer data)
{
  HirOpGroup *group = data;

  g_free (group->label);
  g_array_unref (group->lines[0]);
  g_array_unref (group->lines[1]);
  g_free (group);
}

static void
free_array (gpointer array)
{
  g_array_unref (array);
}

/* Returns whether an instruction orders other instructions but comes from none of the script. */
static gboolean
is_control (const HirNodeInfo *info)
{
  static const char *const kinds[] = { "ForLoop",          "IfThenElse",  "GetCurrentStream",
                                       "SetCurrentStream", "Synchronize", NULL };

  return g_strv_contains (kinds, info->kind);
}

/* Returns whether an instruction computes all ops that it was derived from. Others belong to the
 * first one: a buffer may be freed by the op that reads it. */
static gboolean
is_fused (const HirNodeInfo *info)
{
  return g_str_equal (info->kind, "PostOnStream") || g_str_equal (info->kind, "LaunchKernel");
}

static const char *
get_role (const HirNodeInfo *info)
{
  static const char *const roles[][2] = {
    { "PostOnStream", "kernel" },
    { "LaunchKernel", "kernel" },
    { "Communication", "communication" },
    { "CollectivePermute", "communication" },
    { "P2PCommunication", "communication" },
    { "HirAliasSelect", "slice" },
    { "ShardByStream", "slice" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (roles); i++)
    if (g_str_equal (info->kind, roles[i][0]))
      return roles[i][1];
  return info->kind;
}

static guint
find_root (const HirOpTable *table, guint op)
{
  while (g_array_index (table->parents, guint, op) != op)
    op = g_array_index (table->parents, guint, op);
  return op;
}

/* The root of a group is its first op. */
static void
join (HirOpTable *table, guint a, guint b)
{
  guint x = find_root (table, a), y = find_root (table, b);

  g_array_index (table->parents, guint, MAX (x, y)) = MIN (x, y);
}

/* Calls @visit for each Expr of @view in the order of its text. An Expr that is part of another one
 * is visited only in a loop or branch. */
typedef void (*Visit) (
    HirOpTable *table, guint side, const HirNodeInfo *info, guint line, guint depth);

static void
foreach_expr (HirOpTable *table, guint side, const HirProgramView *view, Visit visit)
{
  g_autoptr (GArray) ends = g_array_new (FALSE, FALSE, sizeof (guint)); /* of open loops */
  guint line = 1, at = 0, skip = 0;

  for (guint i = 0; i < view->spans->len; i++)
    {
      const HirSpan *span = &g_array_index (view->spans, HirSpan, i);
      const HirNodeInfo *info = span->is_expr ? hir_program_view_lookup (view, span->id) : NULL;

      if (info == NULL || span->start < skip)
        continue;
      if (hir_node_info_is_part (info))
        break; /* the HostUnits are printed behind the program */
      for (; at < span->start; at++)
        line += view->text[at] == '\n';
      while (ends->len > 0 && g_array_index (ends, guint, ends->len - 1) <= span->start)
        g_array_set_size (ends, ends->len - 1);
      visit (table, side, info, line, ends->len);
      if (is_control (info))
        g_array_append_val (ends, span->end);
      else
        skip = span->end;
    }
}

static void
add_op (HirOpTable *table, guint side, const HirNodeInfo *info, guint line, guint depth)
{
  guint index = table->ids->len;

  if (g_hash_table_contains (table->indices, &info->id))
    {
      table->is_one_script |= side == 1;
      return;
    }
  g_hash_table_insert (table->indices, (gpointer) &info->id, GUINT_TO_POINTER (index));
  g_array_append_val (table->ids, info->id);
  g_array_append_val (table->parents, index);
}

/* Adds the op @id, or that which defines the tensor @id. */
static void
add_origin (const HirOpTable *table, const HirProgramView *fusion, guint64 id, GArray *ops)
{
  const HirNodeInfo *info = hir_program_view_lookup (fusion, id);
  gpointer value;
  guint op;

  for (guint i = 0; info != NULL && !info->is_expr && i < info->facts->len; i++)
    {
      const HirFact *fact = &g_array_index (info->facts, HirFact, i);

      if (g_str_equal (fact->name, "definition"))
        {
          add_origin (table, fusion, fact->id, ops);
          return;
        }
    }
  if (info == NULL || !g_hash_table_lookup_extended (table->indices, &id, NULL, &value))
    return;
  op = GPOINTER_TO_UINT (value);
  for (guint i = 0; i < ops->len; i++)
    if (g_array_index (ops, guint, i) == op)
      return;
  g_array_append_val (ops, op);
}

/* Returns the ops of an instruction: those that it was derived from, otherwise those whose results
 * it was derived from. */
static GArray *
find_ops (const HirOpTable *table, guint side, guint64 id)
{
  GPtrArray *views = table->sides[side].views;
  const HirProgramView *fusion = get_view (views, 0);
  g_autoptr (GArray) ids = hir_program_views_follow (views, views->len - 1, 0, id);
  GArray *ops = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint pass = 0; pass < 2 && ops->len == 0; pass++)
    for (guint i = 0; i < ids->len; i++)
      {
        guint64 origin = g_array_index (ids, guint64, i);
        const HirNodeInfo *info = hir_program_view_lookup (fusion, origin);

        if (info != NULL && info->is_expr == (pass == 0))
          add_origin (table, fusion, origin, ops);
      }
  return ops;
}

static void
add_instruction (HirOpTable *table, guint side, const HirNodeInfo *info, guint line, guint depth)
{
  GArray *ops;

  if (is_control (info))
    return;
  ops = find_ops (table, side, info->id);
  if (!is_fused (info) && ops->len > 1)
    g_array_set_size (ops, 1);
  for (guint i = 1; i < ops->len; i++)
    join (table, g_array_index (ops, guint, 0), g_array_index (ops, guint, i));
  g_hash_table_insert (table->sides[side].ops, (gpointer) &info->id, ops);
}

static HirOpGroup *
add_group (HirOpTable *table)
{
  HirOpGroup *group = g_new0 (HirOpGroup, 1);

  group->lines[0] = g_array_new (FALSE, FALSE, sizeof (HirOpLine));
  group->lines[1] = g_array_new (FALSE, FALSE, sizeof (HirOpLine));
  g_ptr_array_add (table->groups, group);
  return group;
}

static const HirNodeInfo *
lookup_op (const HirOpTable *table, guint64 id)
{
  const HirNodeInfo *info = hir_program_view_lookup (get_view (table->sides[0].views, 0), id);

  if (info == NULL && table->sides[1].views != NULL)
    info = hir_program_view_lookup (get_view (table->sides[1].views, 0), id);
  return info;
}

/* Makes the groups, in the order of their first op. */
static void
add_groups (HirOpTable *table)
{
  for (guint op = 0; op < table->ids->len; op++)
    {
      guint root = find_root (table, op);
      guint index = root == op ? table->groups->len : g_array_index (table->group_of, guint, root);
      HirOpGroup *group = root == op ? add_group (table) : g_ptr_array_index (table->groups, index);
      const HirNodeInfo *info = lookup_op (table, g_array_index (table->ids, guint64, op));
      char *label = group->label != NULL ? g_strconcat (group->label, "; ", info->label, NULL)
                                         : g_strdup (info->label);

      g_free (group->label);
      group->label = label;
      if (group->pos.line == 0)
        group->pos = info->pos;
      g_array_append_val (table->group_of, index);
    }
  add_group (table);
}

int
hir_op_table_find (const HirOpTable *table, guint side, guint64 id)
{
  const GArray *ops = g_hash_table_lookup (table->sides[side].ops, &id);

  if (ops == NULL || ops->len == 0)
    return NO_GROUP;
  return (int) g_array_index (table->group_of, guint, g_array_index (ops, guint, 0));
}

static void
add_line (HirOpTable *table, guint side, const HirNodeInfo *info, guint line, guint depth)
{
  HirOpLine row = { info->id, get_role (info), info->label, line, depth };
  int index = hir_op_table_find (table, side, info->id);
  HirOpGroup *group =
      g_ptr_array_index (table->groups, index >= 0 ? (guint) index : table->groups->len - 1);

  g_array_append_val (group->lines[side], row);
}

/* Returns the group that contains @id of @side, and its line there. */
static const HirOpGroup *
find_line (const HirOpTable *table, guint side, guint64 id, guint *line)
{
  int index = hir_op_table_find (table, side, id);
  const HirOpGroup *group =
      g_ptr_array_index (table->groups, index >= 0 ? (guint) index : table->groups->len - 1);

  for (*line = 0; *line < group->lines[side]->len; (*line)++)
    if (g_array_index (group->lines[side], HirOpLine, *line).id == id)
      return group;
  return NULL;
}

/* Returns whether an instruction is there for the sake of others. */
static gboolean
is_auxiliary (const HirOpLine *line)
{
  static const char *const roles[] = { "slice", "Allocate", "Deallocate", "Wait", NULL };

  return g_strv_contains (roles, line->role);
}

guint64
hir_op_table_find_counterpart (const HirOpTable *table, guint side, guint64 id)
{
  guint at, number = 0;
  const HirOpGroup *group = find_line (table, side, id, &at);
  const HirOpLine *line, *found = NULL, *other = NULL;

  if (group == NULL)
    return 0;
  line = &g_array_index (group->lines[side], HirOpLine, at);
  /* The n-th with this role, or the last one. */
  for (guint i = 0; i < at; i++)
    number += g_str_equal (g_array_index (group->lines[side], HirOpLine, i).role, line->role);
  for (guint i = 0; i < group->lines[1 - side]->len; i++)
    {
      const HirOpLine *there = &g_array_index (group->lines[1 - side], HirOpLine, i);

      if (g_str_equal (there->role, line->role))
        {
          found = there;
          if (number-- == 0)
            break;
        }
      if (other == NULL && group->label != NULL && !is_auxiliary (there))
        other = there;
    }
  return found != NULL ? found->id : other != NULL ? other->id : 0;
}

HirOpTable *
hir_op_table_new (GPtrArray *a, GPtrArray *b)
{
  HirOpTable *table = g_new0 (HirOpTable, 1);
  GPtrArray *views[] = { a, b };
  const Visit visits[] = { add_op, add_instruction, NULL, add_line };

  table->ids = g_array_new (FALSE, FALSE, sizeof (guint64));
  table->parents = g_array_new (FALSE, FALSE, sizeof (guint));
  table->indices = g_hash_table_new (g_int64_hash, g_int64_equal);
  table->group_of = g_array_new (FALSE, FALSE, sizeof (guint));
  table->groups = g_ptr_array_new_with_free_func (group_free);
  for (guint side = 0; side < 2; side++)
    table->sides[side] = (Side){
      .views = views[side] != NULL && views[side]->len > 0 ? views[side] : NULL,
      .ops = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, free_array),
    };
  for (guint i = 0; i < G_N_ELEMENTS (visits); i++)
    {
      if (visits[i] == NULL)
        add_groups (table);
      for (guint side = 0; side < 2 && visits[i] != NULL; side++)
        if (table->sides[side].views != NULL)
          foreach_expr (table, side,
                        get_view (table->sides[side].views,
                                  i == 0 ? 0 : table->sides[side].views->len - 1),
                        visits[i]);
    }
  return table;
}

const GPtrArray *
hir_op_table_get_groups (const HirOpTable *table)
{
  return table->groups;
}

gboolean
hir_op_table_is_one_script (const HirOpTable *table)
{
  return table->is_one_script;
}

void
hir_op_table_free (HirOpTable *table)
{
  g_hash_table_unref (table->sides[0].ops);
  g_hash_table_unref (table->sides[1].ops);
  g_array_unref (table->ids);
  g_array_unref (table->parents);
  g_hash_table_unref (table->indices);
  g_array_unref (table->group_of);
  g_ptr_array_unref (table->groups);
  g_free (table);
}
