/* Compares executions of paired ops. */
#include "bisect/compare-records.h"

#include "bisect/difference.h"
#include "print/print.h"

/* The programs of one rank. */
typedef struct
{
  const GPtrArray *ops, *others;
  HirAlignment *alignment;
  GHashTable *partners; /* const HirVal* of the program -> HirVal* of the other */
} Pairing;

typedef struct
{
  const HirRecord *record, *wanted;
  Pairing *pairings; /* one per rank */
  guint n;
  GHashTable *entries; /* char* key -> const HirRecorded* of wanted */
} Comparison;

static gboolean
find_allocate (HirExpr *expr, guint depth, gpointer user_data)
{
  if (expr->kind == HIR_EXPR_ALLOCATE)
    g_ptr_array_add (user_data, expr->u.allocate.buffer);
  return TRUE;
}

/* Pairs the allocated tensors in order, if there are as many in both programs. */
static void
pair_allocated (GHashTable *partners, HirContainer *program, HirContainer *other)
{
  g_autoptr (GPtrArray) tensors = g_ptr_array_new ();
  g_autoptr (GPtrArray) others = g_ptr_array_new ();

  hir_container_foreach_expr (program, find_allocate, tensors);
  hir_container_foreach_expr (other, find_allocate, others);
  for (guint i = 0; tensors->len == others->len && i < tensors->len; i++)
    g_hash_table_insert (partners, tensors->pdata[i], others->pdata[i]);
}

static void
pair_values (GHashTable *partners, const HirVec *values, const HirVec *others)
{
  for (guint i = 0; i < values->len && i < others->len; i++)
    g_hash_table_insert (partners, values->items[i], others->items[i]);
}

static void
pairing_init (Pairing *it,
              const GPtrArray *ops,
              const GPtrArray *others,
              const HirReferenceRank *rank,
              const HirReferenceRank *other)
{
  it->ops = ops;
  it->others = others;
  it->alignment = hir_alignment_new (ops, others);
  it->partners = g_hash_table_new (NULL, NULL);
  pair_allocated (it->partners, rank->program, other->program);
  pair_values (it->partners, &rank->program->inputs, &other->program->inputs);
  pair_values (it->partners, &rank->program->outputs, &other->program->outputs);
}

static void
pairing_clear (Pairing *it)
{
  hir_alignment_free (it->alignment);
  g_hash_table_unref (it->partners);
}

static char *
dup_key (const HirRecorded *entry, guint op)
{
  return g_strdup_printf ("%u %u %d %u %s", entry->rank, op, entry->kind, entry->output,
                          entry->loops);
}

static const HirExpr *
get_expr (const GPtrArray *ops, guint i)
{
  return ((const HirRecordedOp *) ops->pdata[i])->expr;
}

/* Returns the tensor of which @expr selects a part. */
static const HirVal *
get_base (const HirExpr *expr)
{
  return expr->n_inputs > 0 ? expr->inputs[0] : NULL;
}

/* Returns FALSE if @expr selects from another tensor than its partner. Tensors without a partner
 * become partners. */
static gboolean
has_same_base (Pairing *pairing, const HirExpr *expr, const HirExpr *other)
{
  const HirVal *base = get_base (expr), *wanted = get_base (other);
  const HirVal *partner = base != NULL ? g_hash_table_lookup (pairing->partners, base) : NULL;

  if (base == NULL || wanted == NULL)
    return TRUE;
  if (partner == NULL)
    g_hash_table_insert (pairing->partners, (gpointer) base, (gpointer) wanted);
  return partner == NULL || partner == wanted;
}

/* Returns TRUE if both tensors have the same place in their memory. */
static gboolean
is_same_view (const HirValue *a, const HirValue *b)
{
  if (!hir_value_same_sizes (a, b) || a->offset != b->offset)
    return FALSE;
  for (guint d = 0; d < a->n_dims; d++)
    if (a->sizes[d] != 1 && a->strides[d] != b->strides[d])
      return FALSE;
  return TRUE;
}

/* Sets @report if the elements differ. */
static void
compare_elements (const HirRecorded *entry, const HirRecorded *wanted, char **report)
{
  GString *text;
  gint64 first;
  gint64 n = hir_difference_count (entry->value, wanted->value, &first);

  if (n == 0)
    return;
  text = g_string_new (NULL);
  if (first < 0)
    g_string_append_printf (text, "has %" G_GINT64_FORMAT " elements instead of %" G_GINT64_FORMAT,
                            entry->value->count, wanted->value->count);
  else
    {
      g_string_append_printf (text,
                              "%" G_GINT64_FORMAT " of %" G_GINT64_FORMAT
                              " elements differ, first ",
                              n, entry->value->count);
      hir_difference_append_index (entry->value, first, text);
      g_string_append (text, ": ");
      hir_difference_append_element (entry->value, first, text);
      g_string_append (text, " instead of ");
      hir_difference_append_element (wanted->value, first, text);
    }
  *report = g_string_free (text, FALSE);
}

static void
compare_peers (const HirExpr *expr,
               const HirRecorded *entry,
               const HirRecorded *wanted,
               char **report)
{
  const char *what = expr->kind == HIR_EXPR_COMMUNICATION ? "root" : "peer";

  for (guint i = 0; i < G_N_ELEMENTS (entry->peers) && *report == NULL; i++)
    if (entry->peers[i] != wanted->peers[i])
      *report = g_strdup_printf ("%s %" G_GINT64_FORMAT " instead of %" G_GINT64_FORMAT, what,
                                 entry->peers[i], wanted->peers[i]);
}

/* Compares what needs programs of the same form. */
static void
compare_form (Pairing *pairing,
              const HirExpr *expr,
              const HirExpr *other,
              const HirRecorded *entry,
              const HirRecorded *wanted,
              char **report)
{
  if (entry->kind == HIR_RECORD_POST && expr->kind == other->kind)
    compare_peers (expr, entry, wanted, report);
  if (entry->kind != HIR_RECORD_VIEW)
    return;
  if (!has_same_base (pairing, expr, other))
    *report = g_strdup_printf ("selects from T%d, not from the tensor that corresponds to T%d",
                               get_base (expr)->name, get_base (other)->name);
  else if (!is_same_view (entry->view, wanted->view))
    *report = g_strdup ("selects another part of the tensor");
}

/* Appends the instruction that the lowered fusion has here, on one line. */
static char *
add_expected (char *report, const HirExpr *other)
{
  g_autofree char *printed = hir_expr_to_string (other);
  g_autoptr (GString) text = g_string_new (NULL);

  for (const char *at = printed; *at != '\0'; at++)
    if (!g_ascii_isspace (*at))
      g_string_append_c (text, *at);
    else if (text->len > 0 && text->str[text->len - 1] != ' ')
      g_string_append_c (text, ' ');
  g_string_prepend (text, "\nthe lowered fusion has: ");
  g_string_prepend (text, report);
  g_free (report);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* Returns how @entry differs, or NULL. */
static char *
compare_entry (Comparison *it, const HirRecorded *entry, guint64 *n_compared)
{
  Pairing *pairing = &it->pairings[entry->rank];
  int op = pairing->alignment->other[entry->op];
  g_autofree char *key = op >= 0 ? dup_key (entry, (guint) op) : NULL;
  const HirRecorded *wanted = key != NULL ? g_hash_table_lookup (it->entries, key) : NULL;
  gboolean is_whole = pairing->alignment->is_whole;
  const HirExpr *other;
  char *report = NULL;

  if (op < 0)
    return NULL;
  other = get_expr (pairing->others, (guint) op);
  if (wanted == NULL && is_whole && it->wanted->failure == NULL && entry->kind != HIR_RECORD_RESULT)
    report = g_strdup ("is not executed here in the lowered fusion");
  else if (wanted != NULL)
    {
      ++*n_compared;
      if (is_whole)
        compare_form (pairing, get_expr (pairing->ops, entry->op), other, entry, wanted, &report);
      if (report == NULL && entry->value != NULL && wanted->value != NULL)
        compare_elements (entry, wanted, &report);
    }
  return report != NULL ? add_expected (report, other) : NULL;
}

static void
add_entries (Comparison *it)
{
  for (guint i = 0; i < it->wanted->entries->len; i++)
    {
      const HirRecorded *entry = it->wanted->entries->pdata[i];

      g_hash_table_insert (it->entries, dup_key (entry, entry->op), (gpointer) entry);
    }
}

const HirRecorded *
hir_records_compare (const HirRecord *record,
                     const HirReferenceRank *ranks,
                     const HirRecord *wanted,
                     const HirReferenceRank *wanted_ranks,
                     guint64 *n_compared,
                     char **report)
{
  guint n = MIN (record->ops->len, wanted->ops->len);
  g_autofree Pairing *pairings = g_new0 (Pairing, n);
  g_autoptr (GHashTable) entries = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  Comparison it = { record, wanted, pairings, n, entries };
  const HirRecorded *found = NULL;

  for (guint i = 0; i < n; i++)
    pairing_init (&pairings[i], record->ops->pdata[i], wanted->ops->pdata[i], &ranks[i],
                  &wanted_ranks[i]);
  add_entries (&it);
  for (guint i = 0; i < record->entries->len && found == NULL; i++)
    {
      const HirRecorded *entry = record->entries->pdata[i];

      *report = compare_entry (&it, entry, n_compared);
      found = *report != NULL ? entry : NULL;
    }
  for (guint i = 0; i < n; i++)
    pairing_clear (&pairings[i]);
  return found;
}

static int
find_axis (const HirDomain *domain, const HirIterDomain *axis)
{
  for (guint i = 0; i < domain->n; i++)
    if (domain->ids[i] == axis)
      return (int) i;
  return -1;
}

/* Returns the position of the axis that @expr selects, or -1. */
static int
get_axis (const HirExpr *expr)
{
  if (expr->kind == HIR_EXPR_ALIAS_SELECT)
    return expr->u.alias_select.axis;
  return expr->kind == HIR_EXPR_SELECT
             ? find_axis (&HIR_TENSOR (expr->inputs[0])->logical, expr->u.select.axis)
             : -1;
}

static const HirTensor *
get_result (const HirExpr *expr)
{
  if (expr->kind == HIR_EXPR_ALIAS_SELECT)
    return expr->u.alias_select.out;
  return expr->n_outputs > 0 && HIR_IS_TENSOR (expr->outputs[0]) ? HIR_TENSOR (expr->outputs[0])
                                                                 : NULL;
}

/* Returns TRUE if the axes of the tensors are reduced and broadcast alike. Some versions of nvFuser
 * do not print the reduced axes of slices. */
static gboolean
has_same_axes (const HirTensor *a, const HirTensor *b)
{
  guint n_a, n_b;
  g_autofree HirIterDomain **ids_a = a != NULL ? hir_tensor_dup_no_reductions (a, &n_a) : NULL;
  g_autofree HirIterDomain **ids_b = b != NULL ? hir_tensor_dup_no_reductions (b, &n_b) : NULL;

  if (a == NULL || b == NULL || n_a != n_b)
    return a == b;
  if (a->logical.n != b->logical.n)
    return TRUE;
  for (guint i = 0; i < a->logical.n; i++)
    if (hir_iter_domain_is_reduction (a->logical.ids[i]) !=
            hir_iter_domain_is_reduction (b->logical.ids[i]) ||
        hir_iter_domain_is_broadcast (a->logical.ids[i]) !=
            hir_iter_domain_is_broadcast (b->logical.ids[i]))
      return FALSE;
  return TRUE;
}

const HirExpr *
hir_programs_compare_form (HirContainer *program, HirContainer *wanted, char **report)
{
  g_autoptr (GPtrArray) ops = hir_recorded_ops_new (program);
  g_autoptr (GPtrArray) others = hir_recorded_ops_new (wanted);
  g_autoptr (HirAlignment) alignment = hir_alignment_new (ops, others);

  for (guint i = 0; alignment->is_whole && i < ops->len; i++)
    {
      const HirExpr *expr = get_expr (ops, i);
      const HirExpr *other = get_expr (others, (guint) alignment->other[i]);

      if (get_axis (expr) != get_axis (other))
        *report = g_strdup_printf ("selects along axis %d instead of axis %d", get_axis (expr),
                                   get_axis (other));
      else if (!has_same_axes (get_result (expr), get_result (other)))
        *report = g_strdup ("reduces or broadcasts other axes");
      else
        continue;
      *report = add_expected (*report, other);
      return expr;
    }
  return NULL;
}
