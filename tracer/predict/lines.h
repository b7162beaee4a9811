/* Lines of the host program as `lower` prints it. */
#pragma once

#include "program/program.h"

G_BEGIN_DECLS

/* An instruction and its first line, counted from 1. */
typedef struct
{
  guint line;
  const HirExpr *expr; /* borrowed from the program */
} HirProgramLine;

/* Returns the instructions of the printed program (HirProgramLine), in order. @program must have a
 * host program. */
GArray *hir_program_dup_lines (HirProgram *program);
/* Returns the instruction that starts in @line (borrowed), or NULL. */
const HirExpr *hir_program_lookup_line (HirProgram *program, guint line);

G_END_DECLS
