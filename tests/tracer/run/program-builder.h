/* Builds host programs, instruction by instruction. */
#pragma once

#include "container.h"
#include "run/evaluator.h"

G_BEGIN_DECLS

/* An axis of a tensor: its size, or one of these. */
enum
{
  AXIS_BROADCAST = -1,
  AXIS_REDUCED = -2, /* of size 4 */
};

HirContainer *build_program (void);
/* A global tensor of constant sizes. */
HirTensor *build_tensor (HirContainer *program, guint n, const gint64 *axes);
HirExpr *build_op (HirContainer *program,
                   HirExprKind kind,
                   HirTensor *out,
                   HirTensor *a,
                   HirTensor *b /* nullable */);
/* Appends an instruction to @scope, or to the top level if @scope is NULL. */
HirExpr *build_put (HirContainer *program, HirScope *scope, HirExpr *expr);
HirExpr *build_allocate (HirContainer *program, HirScope *scope, HirTensor *tensor);
HirExpr *build_deallocate (HirContainer *program, HirScope *scope, HirTensor *tensor);
HirExpr *build_set (HirContainer *program, HirScope *scope, HirTensor *out, HirTensor *in);
HirExpr *build_select (HirContainer *program,
                       HirScope *scope,
                       HirTensor *out,
                       HirTensor *in,
                       int axis,
                       HirScalar *index);
/* Appends a loop over StreamIdx with @n iterations. */
HirExpr *build_loop (HirContainer *program, HirScope *scope, gint64 n);
HirScalar *build_index (HirContainer *program);
HirScalar *build_int (HirContainer *program, gint64 value);
/* Appends a GET, SET or SYNCHRONIZE. If @stream is NULL, the stream has the index StreamIdx %
 * numberOfStreams. */
HirExpr *
build_stream_op (HirContainer *program, HirScope *scope, HirExprKind kind, HirStream *stream);

/* An evaluator with a private CPU back end. */
typedef struct
{
  HirBackend *backend;
  HirEvaluator *evaluator;
} Machine;

Machine machine_new (HirContainer *program, const HirBackendOptions *options /* nullable */);
void machine_clear (Machine *machine);
/* Runs the program. Returns NULL or the error. */
GError *machine_run (Machine *machine, HirValue *const *inputs, guint n);

G_END_DECLS
