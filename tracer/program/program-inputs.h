/* The inputs of the runs of a program as texts that the user edits: the values of --input. */
#pragma once

#include "program/program.h"

G_BEGIN_DECLS

typedef struct
{
  char *label;        /* "A (T0)", or "input 2" for a scalar */
  char *dtype;        /* "float" */
  char *shape;        /* "4x8", or the number of a scalar; "()" for a tensor without axes */
  gboolean is_chosen; /* a size, or the number, is not given */
} HirProgramInput;

/* Returns what the next run of @program uses: HirProgramInput* in order (transfer full). Returns
 * NULL and sets HIR_ERROR_INPUT if the shapes of its request do not fit, or if @program was read
 * from a recording and is not lowered. */
GPtrArray *
hir_program_dup_inputs (const HirProgram *program, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Returns them as "A (T0) 4x8 float, B (T1) 8x16 float" (transfer full), or NULL if they are not
 * known. */
char *hir_program_dup_inputs_text (const HirProgram *program);

/**
 * hir_program_read_inputs:
 * @texts: the edited shapes, one per input, NULL-terminated; "" if a shape is to be chosen
 * @wrong: (out): index of the input with the error
 * @inputs: (out) (transfer full) (nullable): the shapes for hir_request_with_inputs(); NULL if all
 *   are chosen. A chosen shape whose text has not changed remains chosen, so that it follows those
 *   that have changed.
 *
 * Returns: FALSE with HIR_ERROR_INPUT if a text is not a shape or contradicts the program or
 *   another input
 */
gboolean hir_program_read_inputs (const HirProgram *program,
                                  const char *const *texts,
                                  guint *wrong,
                                  char ***inputs,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
