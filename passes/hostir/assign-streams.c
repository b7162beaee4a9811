/* AssignStreams (docs/hostir.md#assignstreams). */
#include "pass.h"

static HirExpr *
stream_op (HirContainer *program, HirExprKind kind, HirStream *stream)
{
  return hir_expr_new_stream_op (program, kind, stream);
}

static HirStream *
worker_new (HirContainer *program, const HirExpr *loop)
{
  return hir_stream_new (program, loop->u.loop.index);
}

/* The worker stream of each iteration waits for all work so far. */
static void
fork_loop (HirContainer *program, HirExpr *loop, HirStream *main)
{
  HirVec body = { 0 };

  hir_vec_push (program->arena, &body,
                stream_op (program, HIR_EXPR_SET_CURRENT_STREAM, worker_new (program, loop)));
  hir_vec_push (program->arena, &body, stream_op (program, HIR_EXPR_SYNCHRONIZE, main));
  for (guint i = 0; i < loop->u.loop.body.exprs.len; i++)
    hir_vec_push (program->arena, &body, loop->u.loop.body.exprs.items[i]);
  loop->u.loop.body.exprs = body;
}

/* The main stream waits for all workers. */
static HirExpr *
join_new (HirContainer *program, const HirExpr *loop)
{
  HirExpr *join = hir_expr_new (program, HIR_EXPR_FOR, NULL, 0, NULL, 0);

  join->u.loop.index = loop->u.loop.index;
  join->u.loop.start = loop->u.loop.start;
  join->u.loop.stop = loop->u.loop.stop;
  join->u.loop.step = loop->u.loop.step;
  hir_vec_push (program->arena, &join->u.loop.body.exprs,
                stream_op (program, HIR_EXPR_SYNCHRONIZE, worker_new (program, loop)));
  return join;
}

static void
assign (HirContainer *program, HirVec *to, HirExpr *loop)
{
  HirExpr *get;

  hir_maker_set_origin (program, &loop->node);
  get = stream_op (program, HIR_EXPR_GET_CURRENT_STREAM, NULL);
  hir_vec_push (program->arena, to, get);
  fork_loop (program, loop, get->u.stream.stream);
  hir_vec_push (program->arena, to, loop);
  hir_vec_push (program->arena, to,
                stream_op (program, HIR_EXPR_SET_CURRENT_STREAM, get->u.stream.stream));
  hir_vec_push (program->arena, to, join_new (program, loop));
}

static HirContainer *
run (HirContainer *taken, const HirPassContext *context, GError **error)
{
  g_autoptr (HirContainer) program = taken;
  HirVec to = { 0 };

  if (!hir_pass_context_check_host (context, program, error))
    return NULL;
  for (guint i = 0; i < program->top.exprs.len; i++)
    {
      HirExpr *expr = program->top.exprs.items[i];

      if (expr->kind == HIR_EXPR_FOR)
        assign (program, &to, expr);
      else
        hir_vec_push (program->arena, &to, expr);
    }
  program->top.exprs = to;
  return g_steal_pointer (&program);
}

const HirPass hir_pass_hostir_assign_streams = {
  .name = "AssignStreams",
  .summary = "Runs the iterations of each loop on streams of their own",
  .help = "Every loop of the top level is a stream loop. Its iterations run on the stream with "
          "their number, which first waits for the stream that was current before the loop. Behind "
          "the loop, that stream becomes current again, and a second loop makes it wait for the "
          "stream of every iteration. Loops share streams: iteration 1 of the second loop runs on "
          "the stream of iteration 1 of the first.",
  .options = NULL,
  .default_on = TRUE,
  .run = run,
};
