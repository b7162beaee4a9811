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
/* Returns @line in words: "Synchronize Stream 0 in program line 4". The default
 * stream has the name that it has in traces. Free with g_free(). */
char *hir_program_line_dup_text (const HirProgramLine *line);
/* Returns the line of @lines with @number (borrowed), or NULL if no instruction starts there. */
const HirProgramLine *hir_program_lines_find (const GArray *lines, guint number);

G_END_DECLS
