/* Chooses how a query scans events. */
#include <string.h>

#include "query/query-events-private.h"

typedef struct
{
  HirQuery *query;
  const HirQueryTable *table;
  sqlite3_index_info *info;
  GString *letters;
  double n_rows;
  gboolean is_one_track;
} Plan;

/* Returns the letter for a constraint, or 0 if a scan cannot use it. */
static char
get_letter (int column, int op)
{
  gboolean is_lower = op == SQLITE_INDEX_CONSTRAINT_GT || op == SQLITE_INDEX_CONSTRAINT_GE;
  gboolean is_upper = op == SQLITE_INDEX_CONSTRAINT_LT || op == SQLITE_INDEX_CONSTRAINT_LE;

  if (column == HIR_QUERY_COLUMN_START)
    return is_lower ? HIR_QUERY_USE_START_FROM : is_upper ? HIR_QUERY_USE_START_UNTIL : 0;
  if (column == HIR_QUERY_COLUMN_END)
    return is_lower ? HIR_QUERY_USE_END_FROM : 0;
  if (op != SQLITE_INDEX_CONSTRAINT_EQ)
    return 0;
  switch (column)
    {
    case HIR_QUERY_COLUMN_ID:
      return HIR_QUERY_USE_ID;
    case HIR_QUERY_COLUMN_TRACK:
      return HIR_QUERY_USE_TRACK;
    case HIR_QUERY_COLUMN_RANK:
      return HIR_QUERY_USE_RANK;
    case HIR_QUERY_COLUMN_NAME:
      return HIR_QUERY_USE_NAME;
    case HIR_QUERY_COLUMN_NAME_ID:
      return HIR_QUERY_USE_NAME_ID;
    case HIR_QUERY_COLUMN_CORRELATION:
      return HIR_QUERY_USE_CORRELATION;
    case HIR_QUERY_COLUMN_LAUNCH:
      return HIR_QUERY_USE_LAUNCH;
    case HIR_QUERY_COLUMN_INSTRUCTION:
      return HIR_QUERY_USE_INSTRUCTION;
    default:
      return 0;
    }
}

/* Adds constraint @i to the plan. SQLite checks each row again, so a scan may be coarser. */
static void
use (Plan *plan, int i, char letter, double share)
{
  g_string_append_c (plan->letters, letter);
  plan->info->aConstraintUsage[i].argvIndex = (int) plan->letters->len;
  plan->n_rows = MAX (plan->n_rows * share, 1);
}

/* Looks for a usable constraint with one of @letters. */
static gboolean
find (Plan *plan, const char *letters, int *found, char *found_letter)
{
  for (const char *wanted = letters; *wanted != '\0'; wanted++)
    for (int i = 0; i < plan->info->nConstraint; i++)
      {
        const struct sqlite3_index_constraint *constraint = &plan->info->aConstraint[i];
        int column;

        if (!constraint->usable || constraint->op == SQLITE_INDEX_CONSTRAINT_LIMIT ||
            constraint->op == SQLITE_INDEX_CONSTRAINT_OFFSET)
          continue;
        column = constraint->iColumn < 0 ? HIR_QUERY_COLUMN_ID
                                         : plan->table->columns[constraint->iColumn].id;
        if (get_letter (column, constraint->op) != *wanted ||
            strcmp (sqlite3_vtab_collation (plan->info, i), "BINARY") != 0)
          continue;
        *found = i;
        *found_letter = *wanted;
        return TRUE;
      }
  return FALSE;
}

/* Uses the constraint that leaves the fewest events, or all of those that limit a scan. */
static void
choose (Plan *plan)
{
  static const char *const of_tracks[] = { "t", "r", "a", "b", "e" };
  const HirTrace *trace = plan->query->trace;
  double n = MAX (plan->n_rows, 1), n_tracks = MAX (hir_trace_get_n_tracks (trace), 1);
  char letter;
  int i;

  if (find (plan, "i", &i, &letter))
    use (plan, i, letter, 1 / n);
  else if (find (plan, "lc", &i, &letter))
    use (plan, i, letter, 4 / n);
  else if (find (plan, "nmx", &i, &letter))
    use (plan, i, letter, 1 / (double) MAX (hir_trace_get_n_strings (trace), 1));
  else
    for (guint k = 0; k < G_N_ELEMENTS (of_tracks); k++)
      if (find (plan, of_tracks[k], &i, &letter))
        {
          plan->is_one_track |= letter == HIR_QUERY_USE_TRACK;
          use (plan, i, letter, letter == HIR_QUERY_USE_TRACK ? 1 / n_tracks : 0.25);
        }
}

/* Returns whether ORDER BY or GROUP BY wants a beginning of @order in one direction, with at most
 * @n_ascending or @n_descending columns. */
static gboolean
is_start_of (const Plan *plan, const int *order, int n_ascending, int n_descending)
{
  const sqlite3_index_info *info = plan->info;

  if (info->nOrderBy < 1 || info->nOrderBy > (info->aOrderBy[0].desc ? n_descending : n_ascending))
    return FALSE;
  for (int i = 0; i < info->nOrderBy; i++)
    {
      int column = info->aOrderBy[i].iColumn;

      if (info->aOrderBy[i].desc != info->aOrderBy[0].desc ||
          (column < 0 ? HIR_QUERY_COLUMN_ID : plan->table->columns[column].id) != order[i])
        return FALSE;
    }
  return TRUE;
}

/* Chooses the order of the scan that the query wants, if there is one. Groups need no order, but
 * SQLite uses their order for an equal ORDER BY, too, and wants them descending where it suits. */
static void
choose_order (Plan *plan)
{
  static const int by_rank[] = { HIR_QUERY_COLUMN_RANK, HIR_QUERY_COLUMN_DEVICE,
                                 HIR_QUERY_COLUMN_TRACK, HIR_QUERY_COLUMN_START };
  static const int by_track[] = { HIR_QUERY_COLUMN_TRACK, HIR_QUERY_COLUMN_START };
  static const int by_id[] = { HIR_QUERY_COLUMN_ID };
  static const int by_name[] = { HIR_QUERY_COLUMN_NAME, HIR_QUERY_COLUMN_RANK,
                                 HIR_QUERY_COLUMN_DEVICE, HIR_QUERY_COLUMN_TRACK,
                                 HIR_QUERY_COLUMN_START };
  static const int by_start[] = { HIR_QUERY_COLUMN_START };
  sqlite3_index_info *info = plan->info;

  if (strspn (plan->letters->str, "trabe") < plan->letters->len)
    return;
  if (is_start_of (plan, by_rank, 4, 3) ||
      (plan->is_one_track && is_start_of (plan, by_start, 1, 0)))
    info->idxNum = HIR_QUERY_PLAN_BY_RANK;
  else if (is_start_of (plan, by_track, 2, 1) || is_start_of (plan, by_id, 1, 0))
    info->idxNum = HIR_QUERY_PLAN_BY_TRACK;
  else if (plan->letters->len == 0 && is_start_of (plan, by_name, 5, 5))
    info->idxNum = HIR_QUERY_PLAN_BY_NAME;
  else
    return;
  if (info->aOrderBy[0].desc)
    info->idxNum |= HIR_QUERY_PLAN_DESCENDING;
  info->orderByConsumed = 1;
}

int
hir_query_plan_events (sqlite3_vtab *base, sqlite3_index_info *info)
{
  HirQueryVtab *table = (HirQueryVtab *) base;
  g_autoptr (GString) letters = g_string_new (NULL);
  Plan plan = { .query = table->query, .table = table->table, .info = info, .letters = letters };

  plan.n_rows = (double) hir_trace_get_n_events (table->query->trace);
  choose (&plan);
  choose_order (&plan);
  info->idxStr = sqlite3_mprintf ("%s", letters->str);
  info->needToFreeIdxStr = 1;
  info->estimatedRows = (sqlite3_int64) plan.n_rows;
  info->estimatedCost = plan.n_rows + 10;
  if (letters->len > 0 && letters->str[0] == HIR_QUERY_USE_ID)
    info->idxFlags = SQLITE_INDEX_SCAN_UNIQUE;
  return info->idxStr != NULL ? SQLITE_OK : SQLITE_NOMEM;
}
