/* Results of `hirscope bisect` as JSON; docs/json.md has the schema. */
#pragma once

#include "bisect/bisect-program.h"
#include "bisect/bisect.h"

G_BEGIN_DECLS

/* Prints the result for passes. Returns the exit status of the output. */
int hir_bisect_print_json (const HirBisect *bisect);
/* Prints the result for instructions. Returns the exit status of the output. */
int hir_program_bisect_print_json (const HirProgramBisect *bisect);

G_END_DECLS
