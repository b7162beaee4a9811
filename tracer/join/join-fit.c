/* How well a unit of a trace fits a step of a program. */
#include <string.h>

#include "join/join-private.h"

#define OTHER_OP 0.8f   /* another op of the same class */
#define CLASS_ONLY 0.2f /* no name, but the class is right */
#define OTHER_NAME 0.4f /* an op without class */
#define NOTHING 0.5f    /* nothing is known */
#define OTHER_BYTES 0.8f
#define LOST 0.25f       /* a lost call that is not of the program */
#define OTHER_RANGE 0.8f /* the range around it names another instruction */

/* Names of ops that differ between scripts and ATen. */
static gboolean
is_same_op (const char *script, const char *aten)
{
  static const char *const pairs[][2] = {
    { "relu", "clamp_min" },  { "relu", "threshold" }, { "sub", "rsub" }, { "truediv", "div" },
    { "div", "true_divide" }, { "mul", "multiply" },   { "max", "amax" }, { "min", "amin" },
    { "max", "maximum" },     { "min", "minimum" },    { "rsub", "sub" }, { "where", "_s_where" },
    { "sum", "reduction" },
  };
  gsize length = strlen (aten);

  if (length > 1 && aten[length - 1] == '_')
    length--;
  if (strncmp (script, aten, length) == 0 && script[length] == '\0')
    return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (pairs); i++)
    if (strcmp (pairs[i][0], script) == 0 && strncmp (pairs[i][1], aten, length) == 0 &&
        pairs[i][1][length] == '\0')
      return TRUE;
  return FALSE;
}

/* The label of a HostUnit continues with its shape. */
static gboolean
has_label (const HirJoinStep *step, const char *name)
{
  gsize length = strlen (step->label);

  if (g_str_has_prefix (name, HIR_COPY_LABEL))
    name += strlen (HIR_COPY_LABEL);
  return strncmp (name, step->label, length) == 0 &&
         (name[length] == '\0' || (name[length] == '_' && hir_expr_posts_unit (step->expr)));
}

gboolean
hir_join_contradicts (const HirJoinStep *step, const HirJoinUnit *unit)
{
  int group = hir_join_get_group (unit->op), number = hir_join_get_host_unit (unit->op);

  if (!unit->is_range || step->class != HIR_JOIN_FUSED)
    return FALSE;
  if (step->expr->kind == HIR_EXPR_LAUNCH_KERNEL)
    return group >= 0 && group != step->expr->u.post.group;
  return number >= 0 && step->expr->u.post.unit != NULL && number != step->expr->u.post.unit->index;
}

static float
fit_fused (const HirJoinStep *step, const HirJoinUnit *unit)
{
  int group = hir_join_get_group (unit->op);

  if (hir_join_contradicts (step, unit))
    return OTHER_RANGE;
  if (unit->class == HIR_JOIN_COMM)
    return HIR_JOIN_NEVER;
  if (unit->class != HIR_JOIN_FUSED)
    return NOTHING;
  if (step->expr->kind == HIR_EXPR_LAUNCH_KERNEL && group >= 0)
    return group == step->expr->u.post.group ? 0 : HIR_JOIN_NEVER;
  return 0;
}

static float
fit_op (const HirJoinStep *step, const HirJoinUnit *unit)
{
  float cost = 0;

  if (step->class == HIR_JOIN_FUSED)
    return fit_fused (step, unit);
  if (unit->class == HIR_JOIN_UNKNOWN)
    return step->class == HIR_JOIN_COMM || step->is_free ? HIR_JOIN_NEVER
           : unit->is_op                                 ? OTHER_NAME
                                                         : NOTHING;
  if (step->class == HIR_JOIN_UNKNOWN)
    return unit->class == HIR_JOIN_COMM      ? HIR_JOIN_NEVER
           : is_same_op (step->op, unit->op) ? 0
                                             : OTHER_NAME;
  /* A copy that changes the type or the layout is a kernel like those of elementwise ops. */
  if (step->class != unit->class && !(step->class == HIR_JOIN_VIEW && unit->class == HIR_JOIN_COPY))
    return HIR_JOIN_NEVER;
  if (step->class == HIR_JOIN_ELEMENTWISE || step->class == HIR_JOIN_REDUCE)
    cost = !unit->is_op || unit->is_range    ? CLASS_ONLY
           : is_same_op (step->op, unit->op) ? 0
                                             : OTHER_OP;
  if (step->bytes > 0 && unit->bytes > 0 && step->bytes != unit->bytes)
    cost += OTHER_BYTES;
  return cost;
}

/* Of the work of a communication, a copy is on a stream, and the transfer on a link. */
static gboolean
is_same_place (const HirJoinStep *step, const HirJoinUnit *unit)
{
  return step->kind != HIR_JOIN_OP || unit->n_works == 0 ||
         unit->is_link == (step->class == HIR_JOIN_COMM);
}

float
hir_join_fit (const HirJoinStep *step, const HirJoinUnit *unit)
{
  if (unit->is_opaque)
    return HIR_JOIN_NEVER;
  if (unit->kind == HIR_JOIN_LOST)
    return step->kind == HIR_JOIN_PREPARE || step->is_free ||
                   (unit->is_own && step->kind == HIR_JOIN_WAIT)
               ? HIR_JOIN_NEVER
               : 0;
  if (unit->is_own)
    return step->kind == unit->kind &&
                   (step->kind == HIR_JOIN_RECORD || step->kind == HIR_JOIN_WAIT ||
                    (has_label (step, unit->op) && is_same_place (step, unit)))
               ? 0
               : HIR_JOIN_NEVER;
  /* A device event of a recording of ours whose issue span is not in the trace. */
  if (step->kind == HIR_JOIN_OP && unit->kind == HIR_JOIN_OP && !unit->is_op &&
      has_label (step, unit->op))
    return is_same_place (step, unit) ? 0 : HIR_JOIN_NEVER;
  /* Without cpu_ops, the wait of a communication looks like any other. */
  if (step->kind == HIR_JOIN_DONE && unit->kind == HIR_JOIN_WAIT)
    return CLASS_ONLY;
  if (step->kind != unit->kind)
    return HIR_JOIN_NEVER;
  if (step->kind == HIR_JOIN_PREPARE)
    return step->class == unit->class ? 0 : HIR_JOIN_NEVER;
  return step->kind == HIR_JOIN_OP ? fit_op (step, unit) : 0;
}

float
hir_join_get_extra (const HirJoinUnit *unit)
{
  static const float prices[HIR_N_JOIN_KINDS] = { 1.0f, 0.4f, 0.4f, 0.4f, 0.05f, LOST };

  return prices[unit->kind];
}
