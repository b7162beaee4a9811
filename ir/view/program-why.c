#include "view/program-why.h"

#include "print/print.h"
#include "usage.h"

/* Slices of a broken program may form a cycle. */
#define MAX_DEPTH 8
#define MAX_NAMES 3

typedef struct
{
  HirTensorUses *uses;
  GPtrArray *users;
  GPtrArray *slices; /* HirTensor*: slices of the buffer */
  gboolean writes;
} Search;

static const HirTensor *
get_slice (const HirExpr *expr, const HirTensor *of)
{
  const HirTensor *out = expr->kind == HIR_EXPR_ALIAS_SELECT      ? expr->u.alias_select.out
                         : expr->kind == HIR_EXPR_SHARD_BY_STREAM ? expr->u.shard.out
                                                                  : NULL;

  return out != of ? out : NULL;
}

static void
add_unique (GPtrArray *array, gconstpointer item)
{
  if (!g_ptr_array_find (array, item, NULL))
    g_ptr_array_add (array, (gpointer) item);
}

static gboolean
is_user (const HirExpr *expr, const HirTensor *tensor, gboolean writes)
{
  g_autoptr (GArray) accesses = g_array_new (FALSE, FALSE, sizeof (HirAccess));

  if (expr->kind == HIR_EXPR_ALLOCATE || expr->kind == HIR_EXPR_DEALLOCATE ||
      expr->kind == HIR_EXPR_WAIT)
    return FALSE;
  hir_expr_collect_accesses (expr, accesses);
  for (guint i = 0; i < accesses->len; i++)
    {
      const HirAccess *access = &g_array_index (accesses, HirAccess, i);

      if (access->tensor == tensor &&
          (writes ? access->kind == HIR_ACCESS_WRITE : access->kind == HIR_ACCESS_READ))
        return TRUE;
    }
  return FALSE;
}

static void
search (Search *self, const HirTensor *tensor, guint depth)
{
  const GPtrArray *uses = g_hash_table_lookup (self->uses, tensor);
  const HirExpr *definition = tensor->definition;

  if (definition != NULL && self->writes && get_slice (definition, NULL) != tensor)
    add_unique (self->users, definition);
  for (guint i = 0; uses != NULL && i < uses->len; i++)
    {
      const HirExpr *expr = g_ptr_array_index (uses, i);
      const HirTensor *slice = get_slice (expr, tensor);

      if (slice != NULL && depth < MAX_DEPTH && !g_ptr_array_find (self->slices, slice, NULL))
        {
          g_ptr_array_add (self->slices, (gpointer) slice);
          search (self, slice, depth + 1);
        }
      else if (slice == NULL && get_slice (expr, NULL) == NULL &&
               is_user (expr, tensor, self->writes))
        {
          add_unique (self->users, expr);
        }
    }
}

static Search
search_from (HirTensorUses *uses, const HirTensor *tensor, gboolean writes)
{
  Search self = { uses, g_ptr_array_new (), g_ptr_array_new (), writes };

  search (&self, tensor, 0);
  return self;
}

GPtrArray *
hir_tensor_dup_users (HirTensorUses *uses, const HirTensor *tensor, gboolean writes)
{
  Search found = search_from (uses, tensor, writes);

  g_ptr_array_unref (found.slices);
  return found.users;
}

static const char *
get_name (const HirExpr *expr)
{
  return expr->kind == HIR_EXPR_COMMUNICATION ? hir_comm_type_get_name (expr->u.comm.type)
                                              : hir_expr_get_op_name (expr);
}

/* Returns "Allgather and matmul". */
static char *
name_users (const GPtrArray *users)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < users->len && i < MAX_NAMES; i++)
    g_string_append_printf (text, "%s%s",
                            i == 0                                 ? ""
                            : i + 1 == MIN (users->len, MAX_NAMES) ? " and "
                                                                   : ", ",
                            users->len > MAX_NAMES && i + 1 == MAX_NAMES
                                ? "others"
                                : get_name (g_ptr_array_index (users, i)));
  return g_string_free (text, FALSE);
}

/* Returns the alias select whose result is @buffer, or NULL. */
static const HirExpr *
find_alias_of (HirTensorUses *uses, const HirTensor *buffer)
{
  const GPtrArray *touching = g_hash_table_lookup (uses, buffer);

  if (buffer->definition != NULL && get_slice (buffer->definition, NULL) == buffer)
    return buffer->definition;
  for (guint i = 0; touching != NULL && i < touching->len; i++)
    if (get_slice (g_ptr_array_index (touching, i), NULL) == buffer)
      return g_ptr_array_index (touching, i);
  return NULL;
}

static void
append_slices (GString *text, const GPtrArray *slices)
{
  const HirTensor *first;

  if (slices->len == 0)
    return;
  first = g_ptr_array_index (slices, 0);
  g_string_append_printf (text,
                          ", one slice (T%d) per iteration; memory for all slices is allocated "
                          "once, before the loop",
                          first->base.name);
}

char *
hir_why_allocated (HirTensorUses *uses, const HirTensor *buffer, gboolean is_output)
{
  const HirExpr *alias = find_alias_of (uses, buffer);
  g_autoptr (GString) text = g_string_new (NULL);
  Search writers, readers;

  if (alias != NULL && alias->n_inputs > 0)
    return g_strdup_printf ("a slice of T%d; no separate memory is allocated",
                            alias->inputs[0]->name);
  writers = search_from (uses, buffer, TRUE);
  readers = search_from (uses, buffer, FALSE);
  g_autofree char *fills = name_users (writers.users);
  g_autofree char *reads = name_users (readers.users);
  if (writers.users->len > 0)
    g_string_append_printf (text, "%s fill%s it", fills, writers.users->len > 1 ? "" : "s");
  if (readers.users->len > 0)
    g_string_append_printf (text, "%s%s read%s it", text->len > 0 ? " and " : "", reads,
                            readers.users->len > 1 ? "" : "s");
  if (is_output)
    g_string_append (text, text->len > 0 ? ", and it is returned to the caller"
                                         : "it is returned "
                                           "to the caller");
  if (text->len > 0)
    append_slices (text, writers.slices);
  g_ptr_array_unref (writers.users);
  g_ptr_array_unref (writers.slices);
  g_ptr_array_unref (readers.users);
  g_ptr_array_unref (readers.slices);
  return text->len > 0 ? g_strdup (text->str) : NULL;
}

char *
hir_why_waited (HirTensorUses *uses, const HirExpr *wait)
{
  const HirExpr *of = wait->u.wait.of;
  g_autoptr (GArray) accesses = g_array_new (FALSE, FALSE, sizeof (HirAccess));

  if (of == NULL)
    return NULL;
  hir_expr_collect_accesses (of, accesses);
  for (guint i = 0; i < accesses->len; i++)
    {
      const HirAccess *access = &g_array_index (accesses, HirAccess, i);
      g_autoptr (GPtrArray) readers = NULL;

      if (access->kind != HIR_ACCESS_WRITE)
        continue;
      readers = hir_tensor_dup_users (uses, access->tensor, FALSE);
      if (readers->len > 0)
        {
          g_autofree char *names = name_users (readers);

          return g_strdup_printf ("%s runs concurrently with the stream; %s must not read T%d "
                                  "before it has finished",
                                  get_name (of), names, access->tensor->base.name);
        }
    }
  return NULL;
}
