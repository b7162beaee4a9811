/* SQL functions: arguments of events, percentiles. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "query/query-private.h"
#include "trace/event-args.h"

/* Sets the result to @arg: a number if it is one in the file, otherwise its text. */
static void
put_arg (sqlite3_context *context, const HirEventArg *arg)
{
  char *end;
  gint64 integer;
  double real;

  if (!arg->is_text && strcmp (arg->value, "null") == 0)
    return;
  if (!arg->is_text && strchr ("-0123456789", arg->value[0]) != NULL && arg->value[0] != '\0')
    {
      errno = 0;
      integer = g_ascii_strtoll (arg->value, &end, 10);
      if (*end == '\0' && errno == 0)
        {
          sqlite3_result_int64 (context, integer);
          return;
        }
      real = g_ascii_strtod (arg->value, &end);
      if (*end == '\0' && isfinite (real))
        {
          sqlite3_result_double (context, real);
          return;
        }
    }
  sqlite3_result_text (context, arg->value, -1, SQLITE_TRANSIENT);
}

static void
get_arg (sqlite3_context *context, int n, sqlite3_value **values)
{
  HirQuery *query = sqlite3_user_data (context);
  const char *key = (const char *) sqlite3_value_text (values[1]);
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) args = NULL;
  guint track, index;

  (void) n;
  if (key == NULL || sqlite3_value_type (values[0]) != SQLITE_INTEGER ||
      !hir_query_split_id (query, sqlite3_value_int64 (values[0]), &track, &index))
    return;
  args = hir_trace_dup_event_args (query->trace, track, index, &error);
  if (args == NULL)
    {
      sqlite3_result_error (context, error->message, -1);
      return;
    }
  for (guint i = 0; i < args->len; i++)
    {
      const HirEventArg *arg = &g_array_index (args, HirEventArg, i);

      if (strcmp (arg->key, key) == 0)
        {
          put_arg (context, arg);
          return;
        }
    }
}

typedef union
{
  gint64 integer;
  double real;
} Number;

/* The values of a group. Allocated by SQLite, so that its limit of memory includes them. */
typedef struct
{
  Number *values;
  guint64 n, capacity;
  double percent;
  gboolean is_real; /* values are all real, otherwise all integer */
} Percentile;

/* Makes room for one more value. */
static gboolean
grow (Percentile *group)
{
  guint64 capacity = MAX (2 * group->capacity, 64);
  Number *grown;

  if (group->n < group->capacity)
    return TRUE;
  grown = sqlite3_realloc64 (group->values, capacity * sizeof *grown);
  if (grown == NULL)
    return FALSE;
  group->values = grown;
  group->capacity = capacity;
  return TRUE;
}

static void
add_value (sqlite3_context *context, int n, sqlite3_value **values)
{
  Percentile *group = sqlite3_aggregate_context (context, sizeof *group);
  int type = sqlite3_value_numeric_type (values[0]);
  Number *number;

  (void) n;
  if (group == NULL || !grow (group))
    {
      sqlite3_result_error_nomem (context);
      return;
    }
  group->percent = sqlite3_value_double (values[1]);
  if (type != SQLITE_INTEGER && type != SQLITE_FLOAT)
    return;
  if (type == SQLITE_FLOAT && !group->is_real)
    {
      for (guint64 i = 0; i < group->n; i++)
        group->values[i].real = (double) group->values[i].integer;
      group->is_real = TRUE;
    }
  number = &group->values[group->n++];
  if (group->is_real)
    number->real = sqlite3_value_double (values[0]);
  else
    number->integer = sqlite3_value_int64 (values[0]);
}

static int
compare_integers (const void *a, const void *b)
{
  gint64 x = ((const Number *) a)->integer, y = ((const Number *) b)->integer;

  return (x > y) - (x < y);
}

static int
compare_reals (const void *a, const void *b)
{
  double x = ((const Number *) a)->real, y = ((const Number *) b)->real;

  return (x > y) - (x < y);
}

static void
finish_percentile (sqlite3_context *context)
{
  Percentile *group = sqlite3_aggregate_context (context, 0);
  const Number *at;

  if (group == NULL)
    return;
  if (!(group->percent > 0 && group->percent <= 100))
    sqlite3_result_error (context, "percentile() needs a percent above 0 and up to 100", -1);
  else if (group->n > 0)
    {
      double rank = ceil (group->percent / 100 * (double) group->n);

      qsort (group->values, group->n, sizeof *group->values,
             group->is_real ? compare_reals : compare_integers);
      at = &group->values[(guint64) CLAMP (rank, 1, (double) group->n) - 1];
      if (group->is_real)
        sqlite3_result_double (context, at->real);
      else
        sqlite3_result_int64 (context, at->integer);
    }
  sqlite3_free (group->values);
}

int
hir_query_register_functions (HirQuery *query)
{
  int code = sqlite3_create_function (query->db, "arg", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
                                      query, get_arg, NULL, NULL);

  if (code == SQLITE_OK)
    code = sqlite3_create_function (query->db, "percentile", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
                                    query, NULL, add_value, finish_percentile);
  return code;
}
