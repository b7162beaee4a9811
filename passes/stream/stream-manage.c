#include "stream/stream-private.h"

static HirExpr *
stream_op_new (HirContainer *program, HirExprKind kind, HirStream *stream)
{
  return hir_expr_new_stream_op (program, kind, stream);
}

/* Returns `Stream ( StreamIdx % numberOfStreams )`: iterations that differ by numberOfStreams share
 * a stream. */
static HirStream *
iteration_stream_new (HirContainer *program, HirScalar *index)
{
  HirScalar *n = hir_scalar_get_named (program, HIR_NAME_NUMBER_OF_STREAMS, HIR_DTYPE_INT);

  return hir_stream_new (program, hir_scalar_new_op (program, HIR_SCALAR_OP_MOD, index, n));
}

static void
append_all (HirContainer *program, HirVec *to, const HirVec *from)
{
  for (guint i = 0; i < from->len; i++)
    hir_vec_push (program->arena, to, from->items[i]);
}

/* As before nvFuser's #4402: each iteration first waits for the original stream. */
static void
manage_in_loop (HirContainer *program, HirExpr *loop, HirVec *top)
{
  HirExpr *get = stream_op_new (program, HIR_EXPR_GET_CURRENT_STREAM, NULL);
  HirStream *original = get->u.stream.stream;
  HirStream *stream = iteration_stream_new (program, loop->u.loop.index);
  HirVec body = { 0 };

  hir_vec_push (program->arena, &body, get);
  hir_vec_push (program->arena, &body,
                stream_op_new (program, HIR_EXPR_SET_CURRENT_STREAM, stream));
  hir_vec_push (program->arena, &body, stream_op_new (program, HIR_EXPR_SYNCHRONIZE, original));
  append_all (program, &body, &loop->u.loop.body.exprs);
  hir_vec_push (program->arena, &body,
                stream_op_new (program, HIR_EXPR_SET_CURRENT_STREAM, original));
  hir_vec_push (program->arena, &body, stream_op_new (program, HIR_EXPR_SYNCHRONIZE, stream));
  loop->u.loop.body.exprs = body;
  hir_vec_push (program->arena, top, loop);
}

/* Since #4402, a separate loop makes every stream wait for the original one before the first
 * iteration issues work. nvFuser shares one SetCurrentStream between both loops; here each loop has
 * its own, so that every event belongs to one instruction. */
static void
manage_separately (HirContainer *program, HirExpr *loop, HirVec *top)
{
  HirExpr *get = stream_op_new (program, HIR_EXPR_GET_CURRENT_STREAM, NULL);
  HirStream *original = get->u.stream.stream;
  HirStream *stream = iteration_stream_new (program, loop->u.loop.index);
  HirExpr *first = hir_expr_new_for (program, loop->u.loop.iter_domain, loop->u.loop.index);
  HirVec *sync = &first->u.loop.body.exprs;
  HirVec body = { 0 };

  hir_vec_push (program->arena, sync, stream_op_new (program, HIR_EXPR_SET_CURRENT_STREAM, stream));
  hir_vec_push (program->arena, sync, stream_op_new (program, HIR_EXPR_SYNCHRONIZE, original));
  hir_vec_push (program->arena, &body,
                stream_op_new (program, HIR_EXPR_SET_CURRENT_STREAM, stream));
  append_all (program, &body, &loop->u.loop.body.exprs);
  hir_vec_push (program->arena, &body,
                stream_op_new (program, HIR_EXPR_SET_CURRENT_STREAM, original));
  hir_vec_push (program->arena, &body, stream_op_new (program, HIR_EXPR_SYNCHRONIZE, stream));
  loop->u.loop.body.exprs = body;
  hir_vec_push (program->arena, top, get);
  hir_vec_push (program->arena, top, first);
  hir_vec_push (program->arena, top, loop);
}

void
hir_stream_manage (HirStreamPass *pass, HirExpr *loop, HirVec *top)
{
  hir_maker_set_origin (pass->program, &loop->node);
  if (g_str_equal (hir_pass_context_get_option (pass->context, "initial_sync"), "in_loop"))
    manage_in_loop (pass->program, loop, top);
  else
    manage_separately (pass->program, loop, top);
}
