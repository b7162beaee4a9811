/* What the programs here run: ag_matmul of app/examples/multi_device.py. */
#pragma once

#include "program/program.h"

G_BEGIN_DECLS

/* For @n_ranks devices, from the script at @path. Ends the program in words where that fails. */
HirProgram *gpu_program_open (const char *path, guint n_ranks);

G_END_DECLS
