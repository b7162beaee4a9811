/* The rows of a difference, for program-diff.c. */
#pragma once

#include "view/program-diff.h"

G_BEGIN_DECLS

/* Fills in rows and moved; the changes are there. */
void hir_program_diff_add_rows (HirProgramDiff *diff);

G_END_DECLS
