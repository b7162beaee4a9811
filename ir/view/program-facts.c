/* Builds program views, including the facts of tensors, axes and Exprs that the inspector shows. */
#include "view/program-view.h"

#include "brief.h"
#include "structural-hash.h"
#include "transforms.h"
#include "usage.h"
#include "view/program-why.h"

#define MAX_USES 24

/* A FOR or IF around the visited Expr. */
typedef struct
{
  const HirExpr *expr;
  gboolean is_else; /* the visited Expr is in the ELSE of the IF */
} Outer;

typedef struct
{
  HirProgramView *view;
  HirContainer *container; /* the container that is visited */
  GHashTable *uses; /* HirTensor* -> GPtrArray of HirExpr* that access it, in program order */
  GArray *outers;   /* Outer: around the visited Expr, outermost first */
  const HirExpr *set_stream; /* the SetCurrentStream in effect (nullable) */
  const HirHostUnit *unit;   /* unit whose fusion is visited (nullable) */
  HirIsStopped is_stopped;   /* nullable */
  gpointer user_data;
} Collector;

static gboolean
is_stopped_now (const Collector *collector)
{
  return collector->is_stopped != NULL && collector->is_stopped (collector->user_data);
}

static HirNodeInfo *
new_info (const HirNode *node, gboolean is_expr, const char *kind, char *label)
{
  HirNodeInfo *info = hir_node_info_new (node->id, is_expr);

  info->kind = g_strdup (kind);
  info->label = label;
  info->pos = node->pos;
  info->n_origins = node->n_origins;
  info->origins = g_memdup2 (node->origins, sizeof (guint64) * node->n_origins);
  return info;
}

/* Takes @value. */
static void
take_fact (HirNodeInfo *info, const char *name, char *value, guint64 id)
{
  hir_node_info_add_fact (info, name, value, id);
  g_free (value);
}

static char *
scalar_text (const HirScalar *scalar)
{
  GString *out = g_string_new (NULL);

  hir_brief_scalar (scalar, out);
  return g_string_free (out, FALSE);
}

static char *
domain_text (const HirDomain *domain)
{
  GString *out = g_string_new ("[");

  for (guint i = 0; i < domain->n; i++)
    {
      g_string_append (out, i > 0 ? ", " : "");
      if (domain->ids[i] != NULL)
        hir_iter_domain_print (domain->ids[i], out);
    }
  g_string_append_c (out, ']');
  return g_string_free (out, FALSE);
}

static char *
tensor_text (const HirTensor *tensor)
{
  g_autofree char *axes = hir_brief_axes (tensor);

  return g_strdup_printf ("T%d %s", tensor->base.name, axes);
}

static void
add_transform_facts (HirNodeInfo *info, const HirDomain *from, const HirDomain *to)
{
  g_autoptr (GPtrArray) transforms = hir_domain_dup_transforms (from, to);

  for (guint i = 0; i < transforms->len; i++)
    take_fact (info, "transform", hir_transform_to_string (g_ptr_array_index (transforms, i)), 0);
}

static void
add_domain_facts (HirNodeInfo *info, const HirTensor *tensor)
{
  if (tensor->has_root)
    {
      take_fact (info, "root domain", domain_text (&tensor->root), 0);
      add_transform_facts (info, &tensor->root, &tensor->logical);
    }
  take_fact (info, "logical domain", domain_text (&tensor->logical), 0);
  if (tensor->has_allocation)
    {
      take_fact (info, "allocation domain", domain_text (&tensor->allocation), 0);
      add_transform_facts (info, &tensor->logical, &tensor->allocation);
    }
  take_fact (info, "loop domain", domain_text (&tensor->loop), 0);
  add_transform_facts (info, &tensor->logical, &tensor->loop);
  for (guint i = 0; i < tensor->loop.n; i++)
    {
      g_autofree char *name = g_strdup_printf ("axis %u", i);

      if (tensor->loop.ids[i] != NULL)
        take_fact (info, name, hir_iter_domain_to_string (tensor->loop.ids[i]),
                   tensor->loop.ids[i]->base.node.id);
    }
}

/* Returns `i0·i2 × 4 B`: the extents of the tensor at run time, and the bytes per element. */
static char *
size_text (const HirTensor *tensor)
{
  const HirDomain *domain = hir_tensor_get_maybe_allocation (tensor);
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < domain->n; i++)
    {
      const HirIterDomain *id = domain->ids[i];

      if (id == NULL || hir_iter_domain_is_reduction (id) || hir_iter_domain_is_broadcast (id))
        continue;
      g_string_append (out, out->len > 0 ? "·" : "");
      if (id->extent != NULL && id->extent->kind == HIR_SCALAR_OP &&
          id->extent->op != HIR_SCALAR_OP_MUL)
        hir_scalar_print_inline (id->extent, out);
      else
        hir_brief_scalar (id->extent, out);
    }
  g_string_append_printf (out, "%s × %" G_GSIZE_FORMAT " B", out->len > 0 ? "" : "1",
                          hir_dtype_get_size_bytes (tensor->base.dtype));
  return g_string_free (out, FALSE);
}

static const char *
use_name (const HirExpr *expr, const HirTensor *tensor)
{
  g_autoptr (GArray) accesses = g_array_new (FALSE, FALSE, sizeof (HirAccess));
  gboolean reads = FALSE, binds = FALSE;

  hir_expr_collect_accesses (expr, accesses);
  for (guint i = 0; i < accesses->len; i++)
    {
      const HirAccess *access = &g_array_index (accesses, HirAccess, i);

      reads |= access->tensor == tensor && access->kind == HIR_ACCESS_READ;
      binds |= access->tensor == tensor && access->kind == HIR_ACCESS_BIND;
    }
  if (reads)
    return "used by";
  if (binds)
    return "bound by";
  return expr->kind == HIR_EXPR_DEALLOCATE ? "freed by" : "written by";
}

static void
add_use_facts (Collector *collector, HirNodeInfo *info, const HirTensor *tensor)
{
  const GPtrArray *uses = g_hash_table_lookup (collector->uses, tensor);

  for (guint i = 0; uses != NULL && i < uses->len; i++)
    {
      const HirExpr *expr = g_ptr_array_index (uses, i);

      if (i == MAX_USES)
        {
          take_fact (info, "used by", g_strdup_printf ("%u more", uses->len - i), 0);
          break;
        }
      take_fact (info, use_name (expr, tensor), hir_brief_expr_label (expr), expr->node.id);
    }
}

static void
add_axis_info (Collector *collector, const HirTensor *tensor, const HirIterDomain *id)
{
  static const char *const iter_types[] = { "iteration", "reduction",      "broadcast",
                                            "stride",    "gather/scatter", "vector component",
                                            "symbolic" };
  HirNodeInfo *info;
  guint64 hash;

  if (id == NULL || hir_program_view_lookup (collector->view, id->base.node.id) != NULL)
    return;
  info = new_info (&id->base.node, FALSE, "IterDomain", hir_iter_domain_to_string (id));
  take_fact (info, "extent", scalar_text (id->extent), 0);
  if (id->expanded_extent != NULL)
    take_fact (info, "expanded to", scalar_text (id->expanded_extent), 0);
  hir_node_info_add_fact (info, "type",
                          (guint) id->iter_type < G_N_ELEMENTS (iter_types)
                              ? iter_types[id->iter_type]
                              : "?",
                          0);
  hir_node_info_add_fact (info, "parallel type",
                          hir_parallel_type_get_script_name (id->parallel_type), 0);
  if (id->definition != NULL)
    take_fact (info, "made by", hir_transform_to_string (id->definition), 0);
  take_fact (info, "axis of", tensor_text (tensor), tensor->base.node.id);
  hash = hir_hash_mix (id->iter_type, id->parallel_type);
  hash = hir_hash_mix (hash, id->extent != NULL ? id->extent->base.node.id : 0);
  info->content_hash = hir_hash_mix (hash, id->is_rfactor ? 1 : 0);
  hir_program_view_add_node (collector->view, info);
}

static void
add_domain_infos (Collector *collector, const HirTensor *tensor, const HirDomain *domain)
{
  for (guint i = 0; i < domain->n; i++)
    add_axis_info (collector, tensor, domain->ids[i]);
}

/* Adds the reason if the tensor has an ALLOCATE. */
static void
add_tensor_reason (Collector *collector, HirNodeInfo *info, const HirTensor *tensor)
{
  const GPtrArray *uses = g_hash_table_lookup (collector->uses, tensor);

  for (guint i = 0; uses != NULL && i < uses->len; i++)
    {
      const HirExpr *expr = g_ptr_array_index (uses, i);

      if (expr->kind != HIR_EXPR_ALLOCATE)
        continue;
      char *why = hir_why_allocated (collector->uses, tensor,
                                     hir_container_is_output (collector->container, &tensor->base));
      if (why != NULL)
        take_fact (info, "allocated", why, 0);
      return;
    }
}

static void
add_tensor_info (Collector *collector, HirContainer *container, const HirTensor *tensor)
{
  HirNodeInfo *info;

  if (hir_program_view_lookup (collector->view, tensor->base.node.id) == NULL)
    {
      info = new_info (&tensor->base.node, FALSE, "TensorView", tensor_text (tensor));
      if (tensor->script_name != NULL)
        hir_node_info_add_fact (info, "script variable", tensor->script_name, 0);
      take_fact (info, "name", g_strdup_printf ("T%d", tensor->base.name), 0);
      if (hir_container_is_input (container, &tensor->base))
        hir_node_info_add_fact (info, "role",
                                hir_container_is_output (container, &tensor->base)
                                    ? "input and output"
                                    : "input",
                                0);
      else if (hir_container_is_output (container, &tensor->base))
        hir_node_info_add_fact (info, "role", "output", 0);
      hir_node_info_add_fact (info, "type", hir_dtype_get_short_name (tensor->base.dtype), 0);
      take_fact (info, "shape", hir_brief_axes (tensor), 0);
      take_fact (info, "size", size_text (tensor), 0);
      hir_node_info_add_fact (info, "memory", hir_memory_type_get_name (tensor->memory), 0);
      if (tensor->mesh != NULL)
        {
          GString *mesh = g_string_new (NULL);

          hir_mesh_print (tensor->mesh, mesh);
          take_fact (info, "mesh", g_string_free (mesh, FALSE), 0);
        }
      add_domain_facts (info, tensor);
      if (tensor->definition != NULL)
        take_fact (info, "definition", hir_brief_expr_label (tensor->definition),
                   tensor->definition->node.id);
      add_tensor_reason (collector, info, tensor);
      add_use_facts (collector, info, tensor);
      hir_program_view_add_node (collector->view, info);
    }
  add_domain_infos (collector, tensor, &tensor->root);
  add_domain_infos (collector, tensor, &tensor->logical);
  add_domain_infos (collector, tensor, &tensor->allocation);
  add_domain_infos (collector, tensor, &tensor->loop);
}

static void
add_operand_fact (HirNodeInfo *info, const char *name, const HirVal *val)
{
  if (val == NULL)
    return;
  if (HIR_IS_TENSOR (val))
    take_fact (info, name, tensor_text ((const HirTensor *) val), val->node.id);
  else
    {
      GString *out = g_string_new (NULL);

      hir_brief_val (val, out);
      take_fact (info, name, g_string_free (out, FALSE), 0);
    }
}

static void
add_axis_fact (HirNodeInfo *info, const HirIterDomain *id)
{
  if (id != NULL)
    take_fact (info, "axis", hir_iter_domain_to_string (id), id->base.node.id);
}

static void
add_comm_facts (HirNodeInfo *info, const HirExpr *expr)
{
  GString *team = g_string_new (NULL);

  for (guint i = 0; i < expr->u.comm.n_team; i++)
    g_string_append_printf (team, "%s%" G_GINT64_FORMAT, i > 0 ? " " : "", expr->u.comm.team[i]);
  hir_node_info_add_fact (info, "communication", hir_comm_type_get_name (expr->u.comm.type), 0);
  take_fact (info, "team", g_string_free (team, FALSE), 0);
  if (expr->u.comm.root >= 0)
    take_fact (info, "root", g_strdup_printf ("%" G_GINT64_FORMAT, expr->u.comm.root), 0);
  if (expr->u.comm.root_index != NULL)
    take_fact (info, "root", scalar_text (expr->u.comm.root_index), 0);
  hir_node_info_add_fact (info, "backend", hir_comm_backend_get_name (expr->backend), 0);
  if (expr->u.comm.type == HIR_COMM_REDUCE || expr->u.comm.type == HIR_COMM_ALLREDUCE ||
      expr->u.comm.type == HIR_COMM_REDUCE_SCATTER)
    hir_node_info_add_fact (info, "reduces by", hir_binary_op_get_name (expr->u.comm.op), 0);
}

/* Takes @text (nullable). */
static void
take_reason (HirNodeInfo *info, char *text)
{
  if (text != NULL)
    take_fact (info, "why", text, 0);
}

static void
add_allocate_facts (Collector *collector, HirNodeInfo *info, const HirExpr *expr)
{
  const HirTensor *buffer = expr->u.allocate.buffer;

  if (buffer == NULL)
    return;
  take_reason (info,
               hir_why_allocated (collector->uses, buffer,
                                  hir_container_is_output (collector->container, &buffer->base)));
  for (guint writes = 2; writes-- > 0;)
    {
      g_autoptr (GPtrArray) users = hir_tensor_dup_users (collector->uses, buffer, writes == 1);

      for (guint i = 0; i < users->len && i < MAX_USES; i++)
        {
          const HirExpr *user = g_ptr_array_index (users, i);

          take_fact (info, writes == 1 ? "filled by" : "read by", hir_brief_expr_label (user),
                     user->node.id);
        }
    }
}

static void
add_attribute_facts (Collector *collector, HirNodeInfo *info, const HirExpr *expr)
{
  const HirTensor *in =
      expr->n_inputs > 0 && HIR_IS_TENSOR (expr->inputs[0]) ? HIR_TENSOR (expr->inputs[0]) : NULL;

  switch (expr->kind)
    {
    case HIR_EXPR_ALLOCATE:
      add_operand_fact (info, "buffer", HIR_VAL (expr->u.allocate.buffer));
      take_fact (info, "elements", scalar_text (expr->u.allocate.size), 0);
      hir_node_info_add_fact (info, "memory", hir_memory_type_get_name (expr->u.allocate.memory),
                              0);
      add_allocate_facts (collector, info, expr);
      break;
    case HIR_EXPR_DEALLOCATE:
      add_operand_fact (info, "buffer", HIR_VAL (expr->u.deallocate.buffer));
      break;
    case HIR_EXPR_ALIAS_SELECT:
      add_operand_fact (info, "output", HIR_VAL (expr->u.alias_select.out));
      if (in != NULL && expr->u.alias_select.axis >= 0 &&
          (guint) expr->u.alias_select.axis < in->logical.n)
        add_axis_fact (info, in->logical.ids[expr->u.alias_select.axis]);
      take_fact (info, "index", scalar_text (expr->u.alias_select.index), 0);
      break;
    case HIR_EXPR_SHARD_BY_STREAM:
      add_operand_fact (info, "output", HIR_VAL (expr->u.shard.out));
      take_fact (info, "index", scalar_text (expr->u.shard.index), 0);
      break;
    case HIR_EXPR_COLLECTIVE_PERMUTE:
      take_fact (info, "sends to", scalar_text (expr->u.permute.send_peer), 0);
      take_fact (info, "receives from", scalar_text (expr->u.permute.recv_peer), 0);
      break;
    case HIR_EXPR_SELECT:
      add_axis_fact (info, expr->u.select.axis);
      take_fact (info, "index", scalar_text (expr->u.select.index), 0);
      break;
    case HIR_EXPR_FOR:
      take_fact (info, "index", scalar_text (expr->u.loop.index), 0);
      add_axis_fact (info, expr->u.loop.iter_domain);
      take_fact (info, "trips", scalar_text (expr->u.loop.stop), 0);
      break;
    case HIR_EXPR_IF:
      take_fact (info, "condition", scalar_text (expr->u.branch.condition), 0);
      break;
    case HIR_EXPR_REDUCTION:
      take_fact (info, "initial value", scalar_text (expr->u.reduction.init), 0);
      break;
    case HIR_EXPR_LAUNCH_KERNEL:
      take_fact (info, "group", g_strdup_printf ("%d", expr->u.post.group),
                 expr->u.post.unit != NULL ? expr->u.post.unit->node.id : 0);
      if (expr->u.post.unit == NULL)
        hir_node_info_add_fact (info, "math", "not in the text", 0);
      break;
    case HIR_EXPR_DISPATCH:
      take_fact (info, "experts", g_strdup_printf ("%" G_GINT64_FORMAT, expr->u.moe.n_experts), 0);
      break;
    case HIR_EXPR_POST_ON_STREAM:
      take_fact (info, "unit", g_strdup_printf ("HostUnit%d", expr->u.post.unit->index),
                 expr->u.post.unit->node.id);
      break;
    case HIR_EXPR_WAIT:
      if (expr->u.wait.of != NULL)
        take_fact (info, "waits for", hir_brief_expr_label (expr->u.wait.of),
                   expr->u.wait.of->node.id);
      take_reason (info, hir_why_waited (collector->uses, expr));
      break;
    case HIR_EXPR_COMMUNICATION:
      add_comm_facts (info, expr);
      break;
    case HIR_EXPR_P2P:
      add_operand_fact (info, "buffer", HIR_VAL (expr->u.p2p.buffer));
      take_fact (info, "peer", scalar_text (expr->u.p2p.peer), 0);
      break;
    case HIR_EXPR_GET_CURRENT_STREAM:
    case HIR_EXPR_SET_CURRENT_STREAM:
    case HIR_EXPR_SYNCHRONIZE:
      take_fact (info, expr->kind == HIR_EXPR_SYNCHRONIZE ? "waits for" : "stream",
                 hir_brief_stream_in_program (expr->u.stream.stream), 0);
      break;
    default:
      break;
    }
}

/* Adds the stream that @expr is issued to, and the loops around it, innermost first. */
static void
add_place_facts (Collector *collector, HirNodeInfo *info, const HirExpr *expr)
{
  gboolean runs_on_stream =
      hir_expr_kind_get_info (expr->kind)->is_tensor_op || expr->kind == HIR_EXPR_POST_ON_STREAM ||
      expr->kind == HIR_EXPR_LAUNCH_KERNEL || expr->kind == HIR_EXPR_COMMUNICATION ||
      expr->kind == HIR_EXPR_P2P || expr->kind == HIR_EXPR_COLLECTIVE_PERMUTE;

  if (collector->unit != NULL)
    {
      /* The PostOnStream determines the stream of a unit. */
      take_fact (info, "inside", g_strdup_printf ("HostUnit%d", collector->unit->index),
                 collector->unit->node.id);
      return;
    }
  if (runs_on_stream && collector->set_stream != NULL)
    take_fact (info, "stream", hir_brief_stream_in_program (collector->set_stream->u.stream.stream),
               collector->set_stream->node.id);
  else if (runs_on_stream && collector->view->is_host)
    hir_node_info_add_fact (info, "stream", "Default stream", 0);
  for (guint i = collector->outers->len; i > 0; i--)
    {
      const Outer *outer = &g_array_index (collector->outers, Outer, i - 1);

      take_fact (info, "inside", hir_brief_outer_label (outer->expr, outer->is_else),
                 outer->expr->node.id);
    }
}

/* Updates the innermost FOR and IF for the visit of @expr at @depth. */
static void
enter_outers (Collector *collector, const HirExpr *expr, guint depth)
{
  Outer *inner;

  g_array_set_size (collector->outers, MIN (depth, collector->outers->len));
  if (collector->outers->len == 0)
    return;
  inner = &g_array_index (collector->outers, Outer, collector->outers->len - 1);
  if (inner->expr->kind == HIR_EXPR_IF && inner->expr->u.branch.else_body.exprs.len > 0 &&
      inner->expr->u.branch.else_body.exprs.items[0] == expr)
    inner->is_else = TRUE;
}

static gboolean
add_expr_info (HirExpr *expr, guint depth, gpointer user_data)
{
  Collector *collector = user_data;
  HirNodeInfo *info;

  enter_outers (collector, expr, depth);
  if (hir_program_view_lookup (collector->view, expr->node.id) == NULL)
    {
      info = new_info (&expr->node, TRUE, hir_expr_kind_get_info (expr->kind)->cpp_name,
                       hir_brief_expr_label (expr));
      hir_node_info_add_fact (info, "op", hir_expr_get_op_name (expr), 0);
      for (guint i = 0; i < expr->n_outputs; i++)
        add_operand_fact (info, "output", expr->outputs[i]);
      for (guint i = 0; i < expr->n_inputs; i++)
        /* Host Exprs have their scalars as attributes, which get named facts below. */
        if (HIR_IS_TENSOR (expr->inputs[i]) || hir_expr_kind_get_info (expr->kind)->is_tensor_op)
          add_operand_fact (info, "reads", expr->inputs[i]);
      add_attribute_facts (collector, info, expr);
      add_place_facts (collector, info, expr);
      hir_program_view_add_node (collector->view, info);
    }
  if (expr->kind == HIR_EXPR_SET_CURRENT_STREAM)
    collector->set_stream = expr;
  if (expr->kind == HIR_EXPR_FOR || expr->kind == HIR_EXPR_IF)
    {
      const Outer outer = { expr, FALSE };

      g_array_append_val (collector->outers, outer);
    }
  return !is_stopped_now (collector);
}

static gboolean
note_uses (HirExpr *expr, guint depth, gpointer user_data)
{
  Collector *collector = user_data;
  g_autoptr (GArray) accesses = g_array_new (FALSE, FALSE, sizeof (HirAccess));

  hir_expr_collect_accesses (expr, accesses);
  for (guint i = 0; i < accesses->len; i++)
    {
      HirTensor *tensor = g_array_index (accesses, HirAccess, i).tensor;
      GPtrArray *uses = g_hash_table_lookup (collector->uses, tensor);

      /* The definition is a separate fact. */
      if (tensor->definition == expr)
        continue;
      if (uses == NULL)
        {
          uses = g_ptr_array_new ();
          g_hash_table_insert (collector->uses, tensor, uses);
        }
      if (uses->len == 0 || g_ptr_array_index (uses, uses->len - 1) != expr)
        g_ptr_array_add (uses, expr);
    }
  return !is_stopped_now (collector);
}

static void
add_unit (Collector *collector, HirHostUnit *unit)
{
  HirNodeInfo *info =
      new_info (&unit->node, TRUE, "HostUnit", g_strdup_printf ("HostUnit%d", unit->index));

  for (guint i = 0; i < unit->fusion->inputs.len; i++)
    add_operand_fact (info, "reads", unit->fusion->inputs.items[i]);
  for (guint i = 0; i < unit->fusion->outputs.len; i++)
    add_operand_fact (info, "output", unit->fusion->outputs.items[i]);
  hir_program_view_add_node (collector->view, info);
}

static void
collect_container (Collector *collector, HirContainer *container)
{
  g_autoptr (GPtrArray) tensors = NULL;

  g_array_set_size (collector->outers, 0);
  collector->container = container;
  collector->set_stream = NULL;
  hir_container_foreach_expr (container, note_uses, collector);
  hir_container_foreach_expr (container, add_expr_info, collector);
  for (guint i = 0; i < container->units.len; i++)
    {
      HirHostUnit *unit = container->units.items[i];

      add_unit (collector, unit);
    }
  tensors = hir_container_dup_used_tensors (container);
  for (guint i = 0; i < tensors->len && !is_stopped_now (collector); i++)
    {
      HirTensor *tensor = g_ptr_array_index (tensors, i);

      if (tensor->base.container == container)
        add_tensor_info (collector, container, tensor);
    }
  for (guint i = 0; i < container->units.len; i++)
    {
      HirHostUnit *unit = container->units.items[i];

      collector->unit = unit;
      collect_container (collector, unit->fusion);
      collector->unit = NULL;
    }
}

static gboolean
collect (HirProgramView *view, HirContainer *container, HirIsStopped is_stopped, gpointer user_data)
{
  g_autoptr (GHashTable) uses =
      g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_ptr_array_unref);
  g_autoptr (GArray) outers = g_array_new (FALSE, FALSE, sizeof (Outer));
  Collector collector = { .view = view,
                          .container = container,
                          .uses = uses,
                          .outers = outers,
                          .is_stopped = is_stopped,
                          .user_data = user_data };

  collect_container (&collector, container);
  return !is_stopped_now (&collector);
}

HirProgramView *
hir_program_view_new (HirContainer *container, HirFormat format)
{
  return hir_program_view_new_unless (container, format, NULL, NULL);
}

HirProgramView *
hir_program_view_new_unless (HirContainer *container,
                             HirFormat format,
                             HirIsStopped is_stopped,
                             gpointer user_data)
{
  g_autoptr (HirProgramView) view = hir_program_view_new_empty ();
  g_autoptr (GHashTable) hashes = hir_container_dup_node_hashes (container);
  GHashTableIter iter;
  gpointer id, hash;

  view->is_host = container->kind == HIR_CONTAINER_HOST;
  view->hash = hir_container_hash (container);
  if (is_stopped != NULL && is_stopped (user_data))
    return NULL;
  view->text = hir_container_print (container, format, &view->spans);
  if (is_stopped != NULL && is_stopped (user_data))
    return NULL;
  view->graph = hir_graph_new (container);
  if (!collect (view, container, is_stopped, user_data))
    return NULL;
  g_hash_table_iter_init (&iter, hashes);
  while (g_hash_table_iter_next (&iter, &id, &hash))
    {
      HirNodeInfo *info = g_hash_table_lookup (view->nodes, id);

      if (info != NULL)
        info->content_hash = *(const guint64 *) hash;
    }
  return g_steal_pointer (&view);
}
