/* Creation of input values. */
#include "run/reference/inputs.h"

#include <string.h>

#include "label.h"
#include "run/cpu/cpu-lanes.h"
#include "run/env.h"
#include "run/reference/extents.h"
#include "run/values/odometer.h"

typedef struct
{
  HirContainer *fusion;
  HirExtents *extents;
  HirEnv *env;
  guint64 random;         /* state of the generator */
  gboolean is_dry;        /* no values */
  gboolean is_example;    /* the shapes are those of the script */
  HirContainer *program;  /* nullable: its inputs have the same shapes; constants of them count */
  const gboolean *chosen; /* nullable: inputs whose shapes were chosen before */
  double low, high;       /* of floating-point values */
  gint64 int_low, int_high;
  gint64 index_high; /* of indices; -1 for an input that is none */
  GPtrArray *exprs;  /* HirExpr*: of the program whose ops determine the values */
} Maker;

/* SplitMix64: the same numbers on every machine. */
static guint64
next_random (Maker *maker)
{
  guint64 z = maker->random += G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);

  z = (z ^ (z >> 30)) * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * G_GUINT64_CONSTANT (0x94d049bb133111eb);
  return z ^ (z >> 31);
}

static gboolean
collect_expr (HirExpr *expr, guint depth, gpointer user_data)
{
  GPtrArray *exprs = user_data;

  if (hir_expr_posts_unit (expr))
    hir_container_foreach_expr (expr->u.post.unit->fusion, collect_expr, exprs);
  else
    g_ptr_array_add (exprs, expr);
  return TRUE;
}

/* Chooses a range of values for which the fusion's functions are defined, judged only by their
 * kinds. */
static void
choose_range (Maker *maker, HirContainer *fusion)
{
  GPtrArray *exprs = maker->exprs;
  gboolean positive = FALSE, above_one = FALSE;

  hir_container_foreach_expr (fusion, collect_expr, exprs);
  for (guint i = 0; i < exprs->len; i++)
    {
      const HirExpr *expr = g_ptr_array_index (exprs, i);
      if (expr->kind == HIR_EXPR_UNARY)
        {
          HirUnaryOp op = expr->u.unary.op;
          positive |= op == HIR_UNARY_LOG || op == HIR_UNARY_LOG2 || op == HIR_UNARY_LOG10 ||
                      op == HIR_UNARY_SQRT || op == HIR_UNARY_RSQRT || op == HIR_UNARY_LGAMMA ||
                      op == HIR_UNARY_ERFCINV;
          above_one |= op == HIR_UNARY_ACOSH;
        }
      else if (expr->kind == HIR_EXPR_BINARY)
        {
          HirBinaryOp op = expr->u.binary.op;
          positive |= op == HIR_BINARY_POW || op == HIR_BINARY_DIV || op == HIR_BINARY_TRUEDIV ||
                      op == HIR_BINARY_MOD || op == HIR_BINARY_FMOD || op == HIR_BINARY_REMAINDER ||
                      op == HIR_BINARY_LSHIFT || op == HIR_BINARY_RSHIFT;
        }
    }
  maker->low = above_one ? 1.125 : positive ? 0.125 : -1;
  maker->high = above_one ? 2 : 1;
  maker->int_low = positive ? 1 : -8;
  maker->int_high = 8;
}

/* Reads sizes; that of "?", which is to be chosen, becomes -1. */
static gboolean
parse_shape (const char *text, gint64 *sizes, guint *n)
{
  g_auto (GStrv) parts = g_strsplit (text, "x", -1);

  *n = 0;
  if (g_str_equal (text, "") || g_str_equal (text, "()"))
    return TRUE;
  for (guint i = 0; parts[i] != NULL; i++)
    {
      gint64 *size = *n < HIR_MAX_DIMS ? &sizes[(*n)++] : NULL;

      if (size == NULL)
        return FALSE;
      if (g_str_equal (parts[i], "?"))
        *size = -1;
      else if (!g_ascii_string_to_signed (parts[i], 10, 0, G_MAXINT32, size, NULL))
        return FALSE;
    }
  return TRUE;
}

static gboolean
assign_shape (
    Maker *maker, const HirTensor *tensor, const char *text, guint position, GError **error)
{
  guint n, given;
  g_autofree HirIterDomain **ids = hir_tensor_dup_no_reductions (tensor, &n);
  g_autofree char *who = g_strdup_printf ("--input %u", position + 1);
  g_autofree char *label = hir_tensor_dup_label (tensor);
  gint64 sizes[HIR_MAX_DIMS];

  if (!parse_shape (text, sizes, &given))
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL,
                     "%s, '%s', is not a shape; %s needs %u sizes separated by x, like 4x8", who,
                     text, label, n);
      return FALSE;
    }
  if (given != n)
    {
      hir_set_error (error, HIR_ERROR_INPUT, &tensor->base.node.pos,
                     "%s, '%s', has %u sizes, but %s has %u axes; give one size per axis", who,
                     text, given, label, n);
      return FALSE;
    }
  for (guint i = 0; i < n; i++)
    if (sizes[i] >= 0 &&
        !hir_extents_assign (maker->extents, tensor, ids[i], i, sizes[i], who, error))
      return FALSE;
  return TRUE;
}

/* A device axis always has one element per device. */
static gboolean
assign_meshes (Maker *maker, const HirTensor *tensor, GError **error)
{
  guint n;
  g_autofree HirIterDomain **ids = hir_tensor_dup_no_reductions (tensor, &n);

  for (guint i = 0; tensor->mesh != NULL && i < n; i++)
    {
      int dim = tensor->mesh->n_dims - 1 - (int) ids[i]->parallel_type;
      if (!hir_iter_domain_is_device (ids[i]) || dim < 0 || hir_iter_domain_is_broadcast (ids[i]))
        continue;
      if (!hir_extents_assign (maker->extents, tensor, ids[i], i, tensor->mesh->shape[dim],
                               "the size of its mesh", error))
        return FALSE;
    }
  return TRUE;
}

static HirValue *
make_scalar (const HirScalar *scalar, const char *text, guint position, GError **error)
{
  HirDType dtype = scalar->base.dtype;
  char *end = NULL;

  if (hir_dtype_is_floating_point (dtype))
    {
      double value = 1.5;
      if (text != NULL)
        value = g_ascii_strtod (text, &end);
      if (text == NULL || (end != text && *end == '\0'))
        return hir_value_new_double (value, dtype);
    }
  else
    {
      gint64 value = dtype == HIR_DTYPE_BOOL ? 1 : 2;
      if (text == NULL ||
          g_ascii_string_to_signed (text, 10, G_MININT64, G_MAXINT64, &value, NULL) ||
          g_str_equal (text, "true"))
        return hir_value_new_int (value, dtype);
      if (g_str_equal (text, "false"))
        return hir_value_new_int (0, dtype);
    }
  hir_set_error (error, HIR_ERROR_INPUT, &scalar->base.node.pos,
                 "--input %u, '%s', is not a valid %s; input %u is a scalar and needs a number",
                 position + 1, text, hir_dtype_get_short_name (dtype), position + 1);
  return NULL;
}

/* Returns the tensor whose elements @tensor has in another order or shape. */
static const HirTensor *
find_source (const HirTensor *tensor)
{
  while (tensor->definition != NULL && (tensor->definition->kind == HIR_EXPR_SET ||
                                        tensor->definition->kind == HIR_EXPR_RESHAPE ||
                                        tensor->definition->kind == HIR_EXPR_BROADCAST ||
                                        tensor->definition->kind == HIR_EXPR_SQUEEZE ||
                                        tensor->definition->kind == HIR_EXPR_EXPAND ||
                                        tensor->definition->kind == HIR_EXPR_SLICE))
    tensor = HIR_TENSOR (tensor->definition->inputs[0]);
  return tensor;
}

/* Limits values to those that index an axis, if an op uses the input as indices. Returns FALSE if
 * none does. */
static gboolean
choose_index_range (Maker *maker, const HirTensor *tensor)
{
  gint64 n = G_MAXINT64;

  for (guint i = 0; i < maker->exprs->len; i++)
    {
      const HirExpr *expr = maker->exprs->pdata[i];
      guint n_axes;
      g_autofree HirIterDomain **ids = NULL;
      const HirScalar *extent;
      gboolean chosen;

      if (!hir_expr_takes_by_index (expr) || find_source (HIR_TENSOR (expr->inputs[1])) != tensor)
        continue;
      ids = hir_tensor_dup_no_reductions (HIR_TENSOR (expr->inputs[0]), &n_axes);
      extent = expr->u.opaque.dim < n_axes ? hir_env_get_extent (ids[expr->u.opaque.dim]) : NULL;
      if (extent != NULL && extent->kind != HIR_SCALAR_OP)
        n = MIN (n, hir_extents_get (maker->extents, extent, FALSE, &chosen));
    }
  maker->index_high = n - 1;
  return n < G_MAXINT64 && n > 0;
}

/* Creates @n floating-point values, @stride elements apart. */
static void
fill_floats (Maker *maker, HirDType dtype, gpointer out, gint64 stride, gsize n)
{
  double lanes[HIR_LANE_COUNT], low = maker->low, range = maker->high - maker->low;

  for (gsize i = 0; i < n; i++)
    lanes[i] = low + (double) (gint64) (next_random (maker) >> 11) * 0x1p-53 * range;
  hir_lanes_store (HIR_CLASS_F64, dtype, out, stride, n, lanes);
}

static void
fill_ints (Maker *maker, HirDType dtype, gpointer out, gint64 stride, gsize n)
{
  gint64 lanes[HIR_LANE_COUNT];
  gboolean is_unsigned = dtype == HIR_DTYPE_BYTE || dtype == HIR_DTYPE_UINT16 ||
                         dtype == HIR_DTYPE_UINT32 || dtype == HIR_DTYPE_UINT64;
  gint64 high = maker->index_high >= 0 ? maker->index_high : maker->int_high;
  gint64 low = maker->index_high >= 0 ? 0 : is_unsigned ? MAX (maker->int_low, 0) : maker->int_low;
  guint64 count = (guint64) (high - low + 1);

  for (gsize i = 0; i < n; i++)
    lanes[i] = dtype == HIR_DTYPE_BOOL ? (gint64) (next_random (maker) >> 63)
                                       : low + (gint64) (next_random (maker) % count);
  hir_lanes_store (HIR_CLASS_I64, dtype, out, stride, n, lanes);
}

/* Fills in the order of the axes, so that the numbers do not depend on the memory layout. */
static void
fill (Maker *maker, HirValue *value)
{
  guint8 *data = hir_value_get_data (value);
  gint64 size = (gint64) hir_dtype_get_size_bytes (value->dtype), n;
  gint64 count = hir_value_get_n_elements (value), row = count, stride = 1;

  if (!hir_value_is_contiguous (value))
    {
      row = value->sizes[value->n_dims - 1];
      stride = value->strides[value->n_dims - 1];
    }
  for (gint64 k = 0; k < count; k += n)
    {
      guint8 *out =
          data + hir_odometer_locate (k, value->sizes, value->strides, value->n_dims) * size;

      n = MIN (row - k % row, HIR_LANE_COUNT);
      if (hir_dtype_is_floating_point (value->dtype))
        fill_floats (maker, value->dtype, out, stride, (gsize) n);
      else
        fill_ints (maker, value->dtype, out, stride, (gsize) n);
    }
}

/* Like torch, stores an expanded axis once. */
static HirValue *
make_tensor (Maker *maker, const HirTensor *tensor, gboolean *chosen, GError **error)
{
  guint n;
  g_autofree HirIterDomain **ids = hir_tensor_dup_no_reductions (tensor, &n);
  gint64 sizes[HIR_MAX_DIMS], strides[HIR_MAX_DIMS], stored[HIR_MAX_DIMS];
  g_autoptr (HirBuffer) buffer = NULL;
  g_autoptr (HirValue) value = NULL;
  gsize size_bytes;

  for (guint i = 0; i < n; i++)
    {
      const HirScalar *extent = hir_env_get_extent (ids[i]);
      if (extent->kind == HIR_SCALAR_SYMBOL)
        {
          g_autoptr (HirValue) size =
              hir_value_new_int (hir_extents_get (maker->extents, extent, i == 0, chosen),
                                 HIR_DTYPE_INDEX);
          hir_env_bind (maker->env, HIR_VAL (extent), size);
        }
    }
  if (!hir_env_infer (maker->env, tensor, &n, sizes, strides, error))
    return NULL;
  memcpy (stored, sizes, sizeof stored);
  for (guint i = 0; i < n; i++)
    if (ids[i]->expanded_extent != NULL)
      {
        stored[i] = 1;
        for (guint k = 0; k < n; k++) /* axes outside of it in memory move together */
          if (strides[k] > strides[i] && sizes[i] > 0)
            strides[k] /= sizes[i];
      }
  if (!hir_sizes_check (stored, n, tensor->base.dtype, &size_bytes, error))
    return NULL;
  buffer =
      maker->is_dry ? hir_buffer_new_deferred (size_bytes) : hir_buffer_new (size_bytes, error);
  if (buffer == NULL)
    return NULL;
  value = hir_value_new_tensor (tensor->base.dtype, n, stored, strides, buffer);
  if (!choose_index_range (maker, tensor))
    maker->index_high = -1;
  if (!maker->is_dry)
    fill (maker, value);
  return hir_value_expand (value, sizes);
}

static gboolean
make_input (Maker *maker,
            HirRunInputs *inputs,
            GString *text,
            guint position,
            const char *given,
            GError **error)
{
  HirVal *val = maker->fusion->inputs.items[position];
  gboolean chosen = given == NULL;
  g_autofree char *description = NULL;
  HirValue *value;

  if (HIR_IS_TENSOR (val))
    {
      g_autofree char *label = hir_tensor_dup_label (HIR_TENSOR (val));
      chosen = FALSE; /* unless one of its sizes is chosen */
      value = make_tensor (maker, HIR_TENSOR (val), &chosen, error);
      g_string_append (text, label);
    }
  else
    {
      value = make_scalar (HIR_SCALAR (val), given, position, error);
      g_string_append_printf (text, "%s%d", hir_dtype_get_prefix (val->dtype), val->name);
    }
  if (value == NULL)
    return FALSE;
  chosen |= maker->chosen != NULL && maker->chosen[position];
  inputs->chosen[position] = chosen;
  description = hir_value_describe (value);
  g_string_append_printf (text, " %s%s\n", description,
                          maker->is_example ? " (of the script)"
                          : chosen          ? " (chosen)"
                                            : "");
  g_ptr_array_add (inputs->values, value);
  return TRUE;
}

/* Assigns the constant extents of the inputs of maker->program. */
static gboolean
assign_constants (Maker *maker, GError **error)
{
  for (guint k = 0; maker->program != NULL && k < maker->program->inputs.len; k++)
    {
      HirVal *val = maker->fusion->inputs.items[k], *from = maker->program->inputs.items[k];
      guint n, n_from;
      g_autofree HirIterDomain **ids = NULL;
      g_autofree HirIterDomain **from_ids = NULL;

      if (!HIR_IS_TENSOR (val) || !HIR_IS_TENSOR (from))
        continue;
      ids = hir_tensor_dup_no_reductions (HIR_TENSOR (val), &n);
      from_ids = hir_tensor_dup_no_reductions (HIR_TENSOR (from), &n_from);
      for (guint i = 0; i < MIN (n, n_from); i++)
        {
          const HirScalar *extent = hir_env_get_extent (from_ids[i]);

          if (hir_scalar_is_const (extent) &&
              !hir_extents_assign (maker->extents, HIR_TENSOR (val), ids[i], i, extent->i,
                                   "the size in the printed program", error))
            return FALSE;
        }
    }
  return TRUE;
}

static gboolean
make_all (Maker *maker, HirRunInputs *inputs, const char *const *shapes, GError **error)
{
  guint n = maker->fusion->inputs.len;
  guint n_given = shapes != NULL ? g_strv_length ((char **) shapes) : 0;
  g_autoptr (GString) text = g_string_new (NULL);

  if (n_given > n)
    {
      hir_set_error (
          error, HIR_ERROR_INPUT, NULL,
          "%u times --input, but the program has %u inputs; give it at most once per input",
          n_given, n);
      return FALSE;
    }
  inputs->chosen = g_new0 (gboolean, n + 1);
  for (guint i = 0; i < maker->fusion->tensors.len; i++)
    if (!assign_meshes (maker, maker->fusion->tensors.items[i], error))
      return FALSE;
  if (!assign_constants (maker, error))
    return FALSE;
  for (guint i = 0; i < n_given; i++)
    if (HIR_IS_TENSOR (maker->fusion->inputs.items[i]) &&
        !assign_shape (maker, maker->fusion->inputs.items[i], shapes[i], i, error))
      return FALSE;
  for (guint i = 0; i < n; i++)
    if (!make_input (maker, inputs, text, i,
                     i < n_given && !g_str_equal (shapes[i], "?") ? shapes[i] : NULL, error))
      return FALSE;
  inputs->text = g_string_free (g_steal_pointer (&text), FALSE);
  return TRUE;
}

/* Sets every extent of a host program, because its inputs need not contain all of them. */
static void
choose_symbols (Maker *maker, HirRunInputs *inputs)
{
  g_autoptr (GPtrArray) scalars = hir_extents_dup_symbols (maker->fusion);
  GString *text = g_string_new (inputs->text);

  inputs->symbols = g_array_new (FALSE, FALSE, sizeof (HirSymbolValue));
  for (guint i = 0; i < scalars->len; i++)
    {
      HirSymbolValue symbol = { g_ptr_array_index (scalars, i), 0 };
      gboolean is_known = hir_extents_is_known (maker->extents, symbol.symbol), chosen;

      symbol.value = hir_extents_get (maker->extents, symbol.symbol, FALSE, &chosen);
      g_array_append_val (inputs->symbols, symbol);
      if (!is_known)
        g_string_append_printf (text, "%s%d = %" G_GINT64_FORMAT " (chosen)\n",
                                hir_dtype_get_prefix (symbol.symbol->base.dtype),
                                symbol.symbol->base.name, symbol.value);
    }
  g_free (inputs->text);
  inputs->text = g_string_free (text, FALSE);
}

GArray *
hir_run_inputs_dup_symbols (const HirRunInputs *inputs, HirContainer *program)
{
  g_autoptr (GPtrArray) scalars = NULL;
  GArray *symbols;

  if (inputs->symbols == NULL)
    return NULL;
  scalars = hir_extents_dup_symbols (program);
  symbols = g_array_new (FALSE, FALSE, sizeof (HirSymbolValue));
  for (guint i = 0; i < scalars->len; i++)
    for (guint k = 0; k < inputs->symbols->len; k++)
      {
        HirSymbolValue symbol = g_array_index (inputs->symbols, HirSymbolValue, k);
        const HirScalar *own = g_ptr_array_index (scalars, i);

        if (symbol.symbol->base.name != own->base.name)
          continue;
        symbol.symbol = own;
        g_array_append_val (symbols, symbol);
        break;
      }
  return symbols;
}

/* Values have the range that suits the ops of @like. @constants (nullable): a program with the same
 * inputs, whose constant extents count. @chosen (nullable): inputs whose shapes were chosen
 * before. */
static HirRunInputs *
inputs_new_from (HirContainer *fusion,
                 HirContainer *like,
                 HirContainer *constants,
                 const gboolean *chosen,
                 const char *const *shapes,
                 guint64 seed,
                 gboolean is_dry,
                 GError **error)
{
  g_autoptr (HirRunInputs) inputs = g_new0 (HirRunInputs, 1);
  g_autoptr (HirExtents) extents = hir_extents_new (fusion);
  g_autoptr (HirEnv) env = hir_env_new ();
  g_autoptr (GPtrArray) exprs = g_ptr_array_new ();
  Maker maker = {
    .fusion = fusion,
    .exprs = exprs,
    .extents = extents,
    .env = env,
    .random = seed,
    .is_dry = is_dry,
    .is_example = shapes != NULL && shapes == fusion->examples,
    .program = constants,
    .chosen = chosen,
  };
  gboolean is_host = fusion->kind == HIR_CONTAINER_HOST;

  inputs->values = g_ptr_array_new_with_free_func ((GDestroyNotify) hir_value_unref);
  choose_range (&maker, like);
  if ((is_host && !hir_extents_check (extents, error)) || !make_all (&maker, inputs, shapes, error))
    return NULL;
  if (is_host)
    choose_symbols (&maker, inputs);
  return g_steal_pointer (&inputs);
}

/* Like inputs_new_from(), with the sizes of the script, if they fit, in place of chosen ones. */
static HirRunInputs *
inputs_new (HirContainer *fusion,
            HirContainer *like,
            HirContainer *constants,
            const gboolean *chosen,
            const char *const *shapes,
            guint64 seed,
            gboolean is_dry,
            GError **error)
{
  HirRunInputs *inputs = NULL;

  if ((shapes == NULL || shapes[0] == NULL) && fusion->examples != NULL)
    inputs =
        inputs_new_from (fusion, like, constants, chosen, fusion->examples, seed, is_dry, NULL);
  return inputs != NULL
             ? inputs
             : inputs_new_from (fusion, like, constants, chosen, shapes, seed, is_dry, error);
}

HirRunInputs *
hir_run_inputs_new (HirContainer *fusion, const char *const *shapes, guint64 seed, GError **error)
{
  return inputs_new (fusion, fusion, NULL, NULL, shapes, seed, FALSE, error);
}

HirRunInputs *
hir_run_inputs_new_dry (HirContainer *fusion,
                        const char *const *shapes,
                        guint64 seed,
                        GError **error)
{
  return inputs_new (fusion, fusion, NULL, NULL, shapes, seed, TRUE, error);
}

/* Returns TRUE if the axes of a printed tensor may be the parts of others. */
static gboolean
may_be_split (const HirVal *val)
{
  const HirTensor *tensor = HIR_IS_TENSOR (val) ? HIR_TENSOR (val) : NULL;

  for (guint i = 0; tensor != NULL && i < tensor->loop.n; i++)
    if (hir_iter_domain_is_device (tensor->loop.ids[i]) ||
        hir_iter_domain_is_stream (tensor->loop.ids[i]))
      return TRUE;
  return FALSE;
}

static gboolean
check_same_value (
    const char *what, guint i, const HirVal *wanted, const HirVal *got, GError **error)
{
  guint n = 0, n_got = 0;
  g_autofree HirIterDomain **ids = NULL;
  g_autofree HirIterDomain **got_ids = NULL;

  if (HIR_IS_TENSOR (wanted) && HIR_IS_TENSOR (got))
    {
      ids = hir_tensor_dup_no_reductions (HIR_TENSOR (wanted), &n);
      got_ids = hir_tensor_dup_no_reductions (HIR_TENSOR (got), &n_got);
    }
  if (HIR_IS_TENSOR (wanted) == HIR_IS_TENSOR (got) && wanted->dtype == got->dtype && n == n_got)
    return TRUE;
  hir_set_error (error, HIR_ERROR_INPUT, &got->node.pos,
                 "%s %u is a %s with %u axes, but in the fusion to compare with a %s with %u axes; "
                 "specify the fusion of this program%s",
                 what, i, hir_dtype_get_short_name (got->dtype), n_got,
                 hir_dtype_get_short_name (wanted->dtype), n,
                 n != n_got && may_be_split (got)
                     ? ", or, if it is, compare it without a fusion: a "
                       "printed program does not show all splits"
                     : "");
  return FALSE;
}

static gboolean
check_same_values (const char *what, const HirVec *wanted, const HirVec *got, GError **error)
{
  if (wanted->len != got->len)
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL,
                     "the program has %u %ss, but the fusion to compare with has %u; specify the "
                     "fusion of this program",
                     got->len, what, wanted->len);
      return FALSE;
    }
  for (guint i = 0; i < wanted->len; i++)
    if (!check_same_value (what, i, wanted->items[i], got->items[i], error))
      return FALSE;
  return TRUE;
}

char *
hir_run_inputs_dup_shape (const HirRunInputs *inputs, guint position)
{
  const HirValue *value = inputs->values->pdata[position];
  GString *text = g_string_new (NULL);

  if (value->is_scalar && hir_dtype_is_floating_point (value->dtype))
    g_string_append_printf (text, "%.17g", value->d);
  else if (value->is_scalar)
    g_string_append_printf (text, "%" G_GINT64_FORMAT, value->i);
  for (guint i = 0; !value->is_scalar && i < value->n_dims; i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? "x" : "", value->sizes[i]);
  return g_string_free (text, FALSE);
}

gboolean
hir_run_inputs_check_like (HirContainer *program, HirContainer *like, GError **error)
{
  return check_same_values ("input", &like->inputs, &program->inputs, error) &&
         check_same_values ("output", &like->outputs, &program->outputs, error);
}

HirRunInputs *
hir_run_inputs_new_like (HirContainer *program,
                         HirContainer *like,
                         const char *const *shapes,
                         guint64 seed,
                         GError **error)
{
  g_autoptr (HirRunInputs) inputs = NULL;
  g_auto (GStrv) texts = NULL;

  if (!hir_run_inputs_check_like (program, like, error))
    return NULL;
  inputs = inputs_new (like, like, program, NULL, shapes, seed, TRUE, error);
  if (inputs == NULL)
    return NULL;
  texts = g_new0 (char *, inputs->values->len + 1);
  for (guint i = 0; i < inputs->values->len; i++)
    texts[i] = hir_run_inputs_dup_shape (inputs, i);
  return inputs_new (program, like, NULL, inputs->chosen, (const char *const *) texts, seed, FALSE,
                     error);
}

void
hir_run_inputs_free (HirRunInputs *inputs)
{
  g_ptr_array_unref (inputs->values);
  g_clear_pointer (&inputs->symbols, g_array_unref);
  g_free (inputs->chosen);
  g_free (inputs->text);
  g_free (inputs);
}
