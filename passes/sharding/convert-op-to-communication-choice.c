#include "label.h"
#include "print/print.h"
#include "schedule/sharding.h"
#include "sharding/convert-op-to-communication-private.h"

/* Input of the choice table. */
typedef struct
{
  const HirExpr *expr;
  HirTensor *in;
  HirTensor *out;
  /* axis over devices of the type whose sharding changes (nullable) */
  const HirIterDomain *in_axis;
  const HirIterDomain *out_axis; /* likewise (nullable) */
  HirParallelType type;
  gboolean in_sharded; /* over more than one device */
  gboolean out_sharded;
  gboolean same_mesh;
  gint64 rank;
} Case;

static char *
dup_mesh_text (const HirMesh *mesh)
{
  GString *text = g_string_new (NULL);

  hir_mesh_print (mesh, text);
  return g_string_free (text, FALSE);
}

void
hir_comm_refuse (const HirExpr *expr,
                 const HirTensor *tensor,
                 const HirIterDomain *axis,
                 GError **error,
                 const char *format,
                 ...)
{
  g_autofree char *label = expr->n_outputs > 0 && HIR_IS_TENSOR (expr->outputs[0])
                               ? hir_tensor_dup_label (HIR_TENSOR (expr->outputs[0]))
                               : g_strdup ("nothing");
  g_autofree char *why = NULL;
  HirPos pos = tensor != NULL && axis != NULL ? hir_axis_get_pos (tensor, axis) : expr->node.pos;
  va_list args;

  va_start (args, format);
  why = g_strdup_vprintf (format, args);
  va_end (args);
  if (pos.line == 0)
    pos = expr->node.pos;
  hir_set_error (error, HIR_ERROR_REFUSED, &pos,
                 "the %s that computes %s cannot become a communication: %s",
                 hir_expr_get_op_name (expr), label, why);
}

char *
hir_comm_dup_axis_label (const HirTensor *tensor, const HirIterDomain *axis)
{
  g_autofree char *label = hir_tensor_dup_label (tensor);
  g_autofree char *text = axis != NULL ? hir_iter_domain_to_string (axis) : NULL;

  return axis != NULL ? g_strdup_printf ("axis %s of %s", text, label) : g_strdup (label);
}

static HirCommChoice *
add_choice (GPtrArray *choices, HirCommType type, const gint64 *team, gint64 n_team, gint64 root)
{
  HirCommChoice *choice = g_new0 (HirCommChoice, 1);
  gboolean has_root = root < 0;

  for (gint64 i = 0; i < n_team; i++)
    has_root = has_root || team[i] == root;
  choice->type = type;
  choice->team = g_new (gint64, (gsize) n_team + 1);
  for (gint64 i = 0; i < n_team; i++)
    choice->team[i] = team[i];
  choice->n_team = (guint) n_team;
  choice->root = root;
  /* A root without data still takes part. */
  if (!has_root)
    choice->team[choice->n_team++] = root;
  g_ptr_array_add (choices, choice);
  return choice;
}

static void
choice_free (gpointer data)
{
  HirCommChoice *choice = data;

  g_free (choice->team);
  g_free (choice);
}

/* A mesh with one device is one-dimensional, whatever its shape. */
static gboolean
require_line (const Case *c, const HirTensor *tensor, const char *comm, GError **error)
{
  const HirMesh *mesh = tensor->mesh;
  const HirIterDomain *axis = tensor == c->in ? c->in_axis : c->out_axis;
  g_autofree char *text = NULL;
  g_autofree char *what = NULL;

  if (mesh->n_dims == 1 || mesh->size == 1)
    return TRUE;
  text = dup_mesh_text (mesh);
  what = hir_comm_dup_axis_label (tensor, axis);
  hir_comm_refuse (
      c->expr, tensor, axis, error,
      "%s is on %s, but a %s supports only one-dimensional meshes; use a one-dimensional "
      "mesh",
      what, text, comm);
  return FALSE;
}

/* Adds a collective between the devices that hold the shards of the whole. A device outside the
 * mesh does not take part; any team is valid for it then. */
static gboolean
add_to_slice (const Case *c, GPtrArray *choices, HirCommType type, GError **error)
{
  const HirMesh *mesh = c->in->mesh;
  gint64 device = hir_mesh_has (mesh, c->rank) ? c->rank : mesh->devices[0];
  guint n = 0;
  g_autofree gint64 *team =
      hir_mesh_dup_slice (mesh, device, (int) c->type - HIR_PARALLEL_DIDX, &n);
  const HirIterDomain *axis = c->in_axis != NULL ? c->in_axis : c->out_axis;
  const HirTensor *tensor = c->in_axis != NULL ? c->in : c->out;

  if (team == NULL)
    {
      g_autofree char *text = dup_mesh_text (mesh);
      g_autofree char *what = hir_comm_dup_axis_label (tensor, axis);

      hir_comm_refuse (c->expr, tensor, axis, error,
                       "%s is over %s, but %s has %d dimension%s; use mesh_x for the innermost one",
                       what, hir_parallel_type_get_script_name (c->type), text, mesh->n_dims,
                       mesh->n_dims == 1 ? "" : "s");
      return FALSE;
    }
  add_choice (choices, type, team, n, -1);
  return TRUE;
}

static gboolean
choose_reduction (const Case *c, GPtrArray *choices, GError **error)
{
  HirBinaryOp op = c->expr->u.reduction.op;
  const HirMesh *senders = c->in->mesh, *receivers = c->out->mesh;

  if (!hir_binary_op_is_collective (op))
    {
      g_autofree char *what = hir_comm_dup_axis_label (c->in, c->in_axis);

      hir_comm_refuse (
          c->expr, c->in, c->in_axis, error,
          "%s is reduced by %s, but collectives can only add, multiply, take the minimum or "
          "maximum, or combine bits",
          what, hir_binary_op_get_name (op));
      return FALSE;
    }
  if (!c->in_sharded && senders->size > 1)
    {
      g_autofree char *what = hir_comm_dup_axis_label (c->in, c->in_axis);

      hir_comm_refuse (
          c->expr, c->in, c->in_axis, error,
          "%s is not allocated in shards, one per device, but a reduction over devices "
          "combines such shards; enable FinalizeMultideviceDomains, or parallelize the reduced "
          "axis over devices",
          what);
      return FALSE;
    }
  if (c->out_sharded)
    {
      g_autofree char *what = NULL;

      if (c->same_mesh)
        return add_to_slice (c, choices, HIR_COMM_REDUCE_SCATTER, error);
      what = hir_comm_dup_axis_label (c->out, c->out_axis);
      hir_comm_refuse (
          c->expr, c->out, c->out_axis, error,
          "%s is over the devices of another mesh than the operand, but a ReduceScatter has "
          "only one mesh; give both tensors the same mesh, or copy the result to the other "
          "mesh with a set",
          what);
      return FALSE;
    }
  if (c->same_mesh)
    return add_to_slice (c, choices, HIR_COMM_ALLREDUCE, error);
  if (!require_line (c, c->in, "Reduce", error) || !require_line (c, c->out, "Reduce", error))
    return FALSE;
  for (gint64 i = 0; i < receivers->size; i++)
    add_choice (choices, HIR_COMM_REDUCE, senders->devices, senders->size, receivers->devices[i]);
  return TRUE;
}

static gboolean
choose_scatter (const Case *c, GPtrArray *choices, GError **error)
{
  const HirMesh *senders = c->in->mesh, *receivers = c->out->mesh;
  g_autofree char *from = NULL;
  g_autofree char *to = NULL;
  g_autofree char *what = NULL;

  if (!require_line (c, c->out, "Scatter", error))
    return FALSE;
  for (gint64 i = 0; i < senders->size; i++)
    {
      if (hir_mesh_has (receivers, senders->devices[i]))
        {
          add_choice (choices, HIR_COMM_SCATTER, receivers->devices, receivers->size,
                      senders->devices[i]);
          return TRUE;
        }
    }
  from = dup_mesh_text (senders);
  to = dup_mesh_text (receivers);
  what = hir_comm_dup_axis_label (c->out, c->out_axis);
  hir_comm_refuse (
      c->expr, c->out, c->out_axis, error,
      "%s is over %s, which shares no device with %s, where the operand is, but a Scatter "
      "needs a device in both as its root; copy the operand to a device of the result first",
      what, to, from);
  return FALSE;
}

static gboolean
choose_gather (const Case *c, GPtrArray *choices, GError **error)
{
  const HirMesh *senders = c->in->mesh, *receivers = c->out->mesh;

  if (c->same_mesh)
    return add_to_slice (c, choices, HIR_COMM_ALLGATHER, error);
  if (!require_line (c, c->in, "Gather", error))
    return FALSE;
  for (gint64 i = 0; i < receivers->size; i++)
    add_choice (choices, HIR_COMM_GATHER, senders->devices, senders->size, receivers->devices[i]);
  return TRUE;
}

/* The sharding stays the same, but the mesh changes. */
static gboolean
choose_move (const Case *c, GPtrArray *choices, GError **error)
{
  const HirMesh *senders = c->in->mesh, *receivers = c->out->mesh;
  const char *comm = c->in_sharded ? "SendRecv" : "Broadcast";
  g_autofree char *what = NULL;

  if (!require_line (c, c->in, comm, error) || !require_line (c, c->out, comm, error))
    return FALSE;
  if (!c->in_sharded)
    {
      add_choice (choices, HIR_COMM_BROADCAST, receivers->devices, receivers->size,
                  senders->devices[0]);
      return TRUE;
    }
  if (senders->size != receivers->size)
    {
      g_autofree char *from = dup_mesh_text (senders);
      g_autofree char *to = dup_mesh_text (receivers);

      what = hir_comm_dup_axis_label (c->out, c->out_axis);
      hir_comm_refuse (
          c->expr, c->out, c->out_axis, error,
          "%s goes from %s to %s, but each device sends to exactly one other; give both meshes "
          "the same number of devices, or gather the tensor in between",
          what, from, to);
      return FALSE;
    }
  for (gint64 i = 0; i < senders->size; i++)
    {
      gint64 pair[] = { senders->devices[i], receivers->devices[i] };

      add_choice (choices, HIR_COMM_SEND_RECV, pair, 2, senders->devices[i]);
    }
  return TRUE;
}

/* Sets *@is_other to TRUE if the devices are along another axis of the result. */
static gboolean
changes_axis (const Case *c, gboolean *is_other, GError **error)
{
  HirShardingChange change;
  gboolean found;

  if (!hir_expr_get_sharding_change (c->expr, &found, &change, error))
    return FALSE;
  *is_other = found && change.scattered != NULL;
  return TRUE;
}

static gboolean
choose_set (const Case *c, GPtrArray *choices, GError **error)
{
  gboolean is_other;

  if (!c->in_sharded && c->out_sharded)
    return choose_scatter (c, choices, error);
  if (c->in_sharded && !c->out_sharded)
    return choose_gather (c, choices, error);
  if (!changes_axis (c, &is_other, error))
    return FALSE;
  if (c->in_sharded && is_other)
    return add_to_slice (c, choices, HIR_COMM_ALL_TO_ALL, error);
  return choose_move (c, choices, error);
}

/* Finds the device axis of @tensor with type @type in its allocation domain. */
static gboolean
find_axis (HirTensor *tensor, HirParallelType type, const HirIterDomain **axis, GError **error)
{
  HirParallelIds ids;

  if (!hir_domain_map_parallel (tensor, hir_tensor_get_maybe_allocation (tensor), &ids, error))
    return FALSE;
  *axis = ids.ids[type];
  return TRUE;
}

static void
refuse_types (const Case *c, guint n, GError **error)
{
  g_autofree char *in = hir_tensor_dup_label (c->in);
  g_autofree char *out = hir_tensor_dup_label (c->out);

  hir_comm_refuse (
      c->expr, NULL, NULL, error,
      "the op would change the sharding along %u mesh axes at once, between %s and %s; change "
      "one at a time, each with a separate set",
      n, in, out);
}

/* Finds the device type whose sharding changes; in nvFuser always DIDx. On one mesh, types whose
 * axes stay the same do not take part; between meshes, every used type does. */
static gboolean
find_type (Case *c, GError **error)
{
  guint n = 0;

  c->type = HIR_PARALLEL_DIDX;
  for (int type = HIR_PARALLEL_DIDX; type <= HIR_PARALLEL_DIDZ; type++)
    {
      HirParallelIds in, out;
      gboolean different;

      if (!hir_domain_map_parallel (c->in, &c->in->loop, &in, error) ||
          !hir_domain_map_parallel (c->out, &c->out->loop, &out, error) ||
          !hir_expr_have_different_shardings (c->expr, c->in, c->out, HIR_PARALLEL_BIT (type),
                                              &different, error))
        return FALSE;
      if (!different || (in.ids[type] == NULL && out.ids[type] == NULL))
        continue;
      c->type = (HirParallelType) type;
      n++;
    }
  if (n > 1)
    {
      refuse_types (c, n, error);
      return FALSE;
    }
  return find_axis (c->in, c->type, &c->in_axis, error) &&
         find_axis (c->out, c->type, &c->out_axis, error);
}

static gboolean
check_operands (const HirExpr *expr, GError **error)
{
  if (expr->n_inputs != 1 || expr->n_outputs != 1 || !HIR_IS_TENSOR (expr->inputs[0]) ||
      !HIR_IS_TENSOR (expr->outputs[0]))
    {
      hir_comm_refuse (
          expr, NULL, NULL, error,
          "the op has %u operands, and its result is sharded differently from one of them; "
          "enable InsertReshardings, which inserts a set for that operand",
          expr->n_inputs);
      return FALSE;
    }
  for (guint i = 0; i < 2; i++)
    {
      const HirTensor *tensor = HIR_TENSOR (i == 0 ? expr->inputs[0] : expr->outputs[0]);
      g_autofree char *label = NULL;

      if (tensor->mesh != NULL)
        continue;
      label = hir_tensor_dup_label (tensor);
      hir_comm_refuse (expr, NULL, NULL, error,
                       "%s is on no mesh, but the other tensor is; call set_device_mesh on both",
                       label);
      return FALSE;
    }
  return TRUE;
}

/* Each device has the only element of a broadcast axis. nvFuser scatters even that. */
static gboolean
is_sharded_in_memory (const HirTensor *tensor, const HirIterDomain *axis)
{
  return axis != NULL && tensor->mesh->size > 1 &&
         (!hir_iter_domain_is_broadcast (axis) || axis->expanded_extent != NULL);
}

GPtrArray *
hir_comm_choose (const HirExpr *expr, gint64 rank, gboolean check_layout, GError **error)
{
  g_autoptr (GPtrArray) choices = g_ptr_array_new_with_free_func (choice_free);
  Case c = { .expr = expr, .rank = rank };
  gboolean chosen;

  if (!check_operands (expr, error) || (check_layout && !hir_expr_can_lower (expr, FALSE, error)))
    return NULL;
  c.in = HIR_TENSOR (expr->inputs[0]);
  c.out = HIR_TENSOR (expr->outputs[0]);
  if (!find_type (&c, error))
    return NULL;
  c.in_sharded = is_sharded_in_memory (c.in, c.in_axis);
  c.out_sharded = is_sharded_in_memory (c.out, c.out_axis);
  c.same_mesh = hir_mesh_equal (c.in->mesh, c.out->mesh);
  chosen = expr->kind == HIR_EXPR_REDUCTION ? choose_reduction (&c, choices, error)
                                            : choose_set (&c, choices, error);
  return chosen ? g_steal_pointer (&choices) : NULL;
}
