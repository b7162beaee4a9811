/* Ties the works of two plans by instruction, name or op. */
#include "predict/match.h"

#include <string.h>

#define MAX_NAMES 20

/* How well a work is known. */
typedef enum
{
  TIE_EXECUTION,   /* instruction, iteration, rank */
  TIE_INSTRUCTION, /* instruction, rank */
  TIE_ANY_RANK,    /* instruction */
  N_ID_TIES,
} Tie;

typedef struct
{
  const HirPlan *measured;
  GHashTable *by_id[N_ID_TIES]; /* HirPlanKey -> index + 1 */
  GHashTable *by_name, *by_op;  /* char* -> index + 1 */
} Index;

static HirPlanKey
make_key (guint64 instruction, gint32 iteration, guint rank, guint occurrence, guint kind, Tie tie)
{
  HirPlanKey key = { instruction, 0, 0, 0, kind };

  if (tie == TIE_EXECUTION)
    {
      key.iteration = iteration;
      key.occurrence = occurrence;
    }
  if (tie <= TIE_INSTRUCTION)
    key.rank = rank;
  return key;
}

static void
add_id (GHashTable *table, HirPlanKey key, guint index)
{
  if (!g_hash_table_contains (table, &key))
    g_hash_table_insert (table, g_memdup2 (&key, sizeof key), GUINT_TO_POINTER (index + 1));
}

static void
add_name (GHashTable *table, const char *name, guint index)
{
  if (!g_hash_table_contains (table, name))
    g_hash_table_insert (table, g_strdup (name), GUINT_TO_POINTER (index + 1));
}

/* Returns the op of a label: "matmul" of "T6_matmul", "Allgather" of "Allgather T5". */
static char *
dup_op (const char *label)
{
  const char *end = strchr (label, ' ');
  g_autofree char *first =
      end != NULL ? g_strndup (label, (gsize) (end - label)) : g_strdup (label);
  const char *op = first;

  if (*op == 'T')
    for (op++; g_ascii_isdigit (*op); op++)
      continue;
  return g_strdup (op > first && *op == '_' ? op + 1 : first);
}

static const char *
get_label (const HirPlan *plan, const HirPlanNode *node)
{
  return hir_recorder_get_string (plan->recorder, node->event.name);
}

static void
index_init (Index *index, const HirPlan *measured)
{
  index->measured = measured;
  for (guint i = 0; i < N_ID_TIES; i++)
    index->by_id[i] = g_hash_table_new_full (hir_plan_key_hash, hir_plan_key_equal, g_free, NULL);
  index->by_name = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  index->by_op = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint n = 0; n < measured->nodes->len; n++)
    {
      const HirPlanNode *node = hir_plan_get_node (measured, n);
      g_autofree char *op = dup_op (get_label (measured, node));

      if (node->parts->len == 0)
        continue;
      for (guint i = 0; i < N_ID_TIES; i++)
        add_id (index->by_id[i],
                make_key (node->event.instruction, node->event.iteration, node->rank,
                          node->occurrence, node->kind, (Tie) i),
                n);
      add_name (index->by_name, get_label (measured, node), n);
      add_name (index->by_op, op, n);
    }
}

static void
index_clear (Index *index)
{
  for (guint i = 0; i < N_ID_TIES; i++)
    g_hash_table_unref (index->by_id[i]);
  g_hash_table_unref (index->by_name);
  g_hash_table_unref (index->by_op);
}

static const HirPlanNode *
find_node (const Index *index, const HirPlan *plan, const HirPlanNode *node)
{
  const char *label = get_label (plan, node);
  g_autofree char *op = dup_op (label);
  guint found = 0;

  for (guint i = 0; i < N_ID_TIES && found == 0; i++)
    {
      HirPlanKey key = make_key (node->event.instruction, node->event.iteration, node->rank,
                                 node->occurrence, node->kind, (Tie) i);

      found = GPOINTER_TO_UINT (g_hash_table_lookup (index->by_id[i], &key));
    }
  if (found == 0)
    found = GPOINTER_TO_UINT (g_hash_table_lookup (index->by_name, label));
  if (found == 0)
    found = GPOINTER_TO_UINT (g_hash_table_lookup (index->by_op, op));
  return found > 0 ? hir_plan_get_node (index->measured, found - 1) : NULL;
}

/* Returns how much larger the work of @node is than that of @measured. */
static double
get_ratio (const HirPlanNode *node, const HirPlanNode *measured)
{
  if (node->event.flops > 0 && measured->event.flops > 0)
    return (double) node->event.flops / (double) measured->event.flops;
  if (node->event.bytes > 0 && measured->event.bytes > 0)
    return (double) node->event.bytes / (double) measured->event.bytes;
  return 1;
}

static void
match_node (const Index *index, const HirPlan *plan, HirPlanNode *node, HirMatchCounts *counts)
{
  const HirPlanNode *measured = find_node (index, plan, node);
  double ratio;

  if (node->kind == HIR_PLAN_WAIT)
    return;
  if (measured == NULL)
    {
      counts->n_unknown++;
      return;
    }
  ratio = get_ratio (node, measured);
  counts->n_scaled += ratio < 1 || ratio > 1;
  g_array_unref (node->parts);
  node->parts = g_array_copy (measured->parts);
  node->transfer = measured->transfer;
  node->is_silent = measured->is_silent;
  node->launch_ns = measured->launch_ns;
  for (guint i = 0; i < node->parts->len && (ratio < 1 || ratio > 1); i++)
    {
      HirPlanPart *part = hir_plan_get_part (node, i);

      part->ns *= ratio;
      part->bytes = node->event.bytes;
      part->flops = node->event.flops;
    }
}

/* Issues take as long as the same issue, else as another one of the instruction, else as one of
 * the same name. */
static void
match_issues (const HirPlan *measured, HirPlan *plan)
{
  g_autoptr (GHashTable) by_name = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  GHashTable *by_id[N_ID_TIES];

  for (guint i = 0; i < N_ID_TIES; i++)
    by_id[i] = g_hash_table_new_full (hir_plan_key_hash, hir_plan_key_equal, g_free, NULL);
  for (guint n = 0; n < measured->issues->len; n++)
    {
      const HirPlanIssue *issue = hir_plan_get_issue (measured, n);

      for (guint i = 0; i < N_ID_TIES; i++)
        add_id (by_id[i],
                make_key (issue->instruction, issue->event.iteration, issue->rank,
                          issue->occurrence, 0, (Tie) i),
                n);
      add_name (by_name, hir_recorder_get_string (measured->recorder, issue->event.name), n);
    }
  for (guint n = 0; n < plan->issues->len; n++)
    {
      HirPlanIssue *issue = hir_plan_get_issue (plan, n);
      guint found = 0;

      for (guint i = 0; i < N_ID_TIES && found == 0; i++)
        {
          HirPlanKey key = make_key (issue->instruction, issue->event.iteration, issue->rank,
                                     issue->occurrence, 0, (Tie) i);

          found = GPOINTER_TO_UINT (g_hash_table_lookup (by_id[i], &key));
        }
      if (found == 0)
        found = GPOINTER_TO_UINT (
            g_hash_table_lookup (by_name,
                                 hir_recorder_get_string (plan->recorder, issue->event.name)));
      if (found == 0)
        continue;
      issue->ns = hir_plan_get_issue (measured, found - 1)->ns;
      issue->gap_ns = hir_plan_get_issue (measured, found - 1)->gap_ns;
    }
  for (guint i = 0; i < N_ID_TIES; i++)
    g_hash_table_unref (by_id[i]);
}

void
hir_plan_match (const HirPlan *measured, HirPlan *plan, HirMatchCounts *counts)
{
  Index index = { 0 };

  *counts = (HirMatchCounts){ 0 };
  index_init (&index, measured);
  for (guint i = 0; i < plan->nodes->len; i++)
    match_node (&index, plan, hir_plan_get_node (plan, i), counts);
  index_clear (&index);
  match_issues (measured, plan);
}

/* Cuts the other rank, "to 3" or "from 3", from the end of a message. */
static void
cut_peer (char *message)
{
  static const char *const words[] = { "to ", "from " };

  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    {
      char *word = g_strrstr (message, words[i]);
      gsize n = word != NULL ? strlen (words[i]) : 0;

      if (word == NULL || word[n] == '\0' || word[n + strspn (word + n, "0123456789")] != '\0')
        continue;
      if (word == message)
        *word = '\0';
      else if (word[-1] == ' ')
        word[-1] = '\0';
    }
}

/* Appends to @names what the messages of @label are named without the other rank, unless they are
 * there: "recv T6" and "send T0" of "recv T6 from 1, send T0 to 1". */
static void
add_messages (GPtrArray *names, const char *label)
{
  g_auto (GStrv) messages = g_strsplit (label, ", ", -1);

  for (guint i = 0; messages[i] != NULL; i++)
    {
      cut_peer (messages[i]);
      if (*messages[i] != '\0' &&
          !g_ptr_array_find_with_equal_func (names, messages[i], g_str_equal, NULL))
        g_ptr_array_add (names, g_strdup (messages[i]));
    }
}

GHashTable *
hir_plan_dup_comm_names (const HirPlan *plan)
{
  GHashTable *names = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, g_free);
  g_autoptr (GHashTable) messages =
      g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, (GDestroyNotify) g_ptr_array_unref);
  GHashTableIter iter;
  gpointer key, value;

  for (guint i = 0; i < plan->nodes->len; i++)
    {
      HirPlanNode *node = hir_plan_get_node (plan, i);
      GPtrArray *of = g_hash_table_lookup (messages, &node->event.instruction);

      if (node->kind != HIR_PLAN_POST)
        continue;
      if (of == NULL)
        {
          of = g_ptr_array_new_with_free_func (g_free);
          g_hash_table_insert (messages, &node->event.instruction, of);
        }
      add_messages (of, get_label (plan, node));
    }
  g_hash_table_iter_init (&iter, messages);
  while (g_hash_table_iter_next (&iter, &key, &value))
    {
      g_ptr_array_add (value, NULL);
      g_hash_table_insert (names, key, g_strjoinv (", ", (char **) ((GPtrArray *) value)->pdata));
    }
  return names;
}

/* Returns whether the work of @node is meant by @name: its label, its op, or its instruction. */
static gboolean
is_named (const HirPlan *plan, const HirPlanNode *node, GHashTable *comm_names, const char *name)
{
  const char *label = get_label (plan, node);
  g_autofree char *op = dup_op (label);

  return g_str_equal (label, name) || g_str_equal (op, name) ||
         (node->kind == HIR_PLAN_POST &&
          g_str_equal (g_hash_table_lookup (comm_names, &node->event.instruction), name));
}

guint
hir_plan_scale (HirPlan *plan, const char *name, double factor)
{
  g_autoptr (GHashTable) comm_names = hir_plan_dup_comm_names (plan);
  guint n = 0;

  for (guint i = 0; i < plan->nodes->len; i++)
    {
      HirPlanNode *node = hir_plan_get_node (plan, i);

      if (node->kind == HIR_PLAN_WAIT || !is_named (plan, node, comm_names, name))
        continue;
      n++;
      for (guint k = 0; k < node->parts->len; k++)
        hir_plan_get_part (node, k)->ns *= factor;
    }
  return n;
}

void
hir_plan_scale_transfers (HirPlan *plan, double factor)
{
  for (guint i = 0; i < plan->nodes->len; i++)
    {
      HirPlanNode *node = hir_plan_get_node (plan, i);

      if (node->kind != HIR_PLAN_POST)
        continue;
      for (guint k = 0; k < node->parts->len; k++)
        hir_plan_get_part (node, k)->ns *= factor;
    }
}

void
hir_plan_set_transport (HirPlan *plan, HirCommTransport transport)
{
  for (guint i = 0; i < plan->nodes->len; i++)
    {
      HirPlanNode *node = hir_plan_get_node (plan, i);

      if (node->kind != HIR_PLAN_POST || node->parts->len == 0)
        continue;
      hir_plan_get_part (node, node->transfer)->work_class =
          transport == HIR_COMM_TRANSPORT_COPY ? HIR_WORK_FREE : HIR_WORK_COMMUNICATION;
      /* NCCL's collectives copy no part of their own. */
      if (transport != HIR_COMM_TRANSPORT_NCCL)
        continue;
      g_array_remove_range (node->parts, node->transfer + 1, node->parts->len - node->transfer - 1);
      g_array_remove_range (node->parts, 0, node->transfer);
      node->transfer = 0;
      hir_plan_get_part (node, 0)->gap_ns = 0;
    }
}

char *
hir_plan_dup_names (const HirPlan *plan)
{
  g_autoptr (GHashTable) comm_names = hir_plan_dup_comm_names (plan);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autofree char *text = NULL;

  for (guint i = 0; i < plan->nodes->len && names->len < MAX_NAMES; i++)
    {
      const HirPlanNode *node = hir_plan_get_node (plan, i);
      const char *name = node->kind == HIR_PLAN_POST
                             ? g_hash_table_lookup (comm_names, &node->event.instruction)
                             : get_label (plan, node);

      if (node->kind != HIR_PLAN_WAIT &&
          !g_ptr_array_find_with_equal_func (names, name, g_str_equal, NULL))
        g_ptr_array_add (names, (gpointer) name);
    }
  g_ptr_array_add (names, NULL);
  text = g_strjoinv ("; ", (char **) names->pdata);
  return g_strdup (*text != '\0' ? text : "no works");
}
