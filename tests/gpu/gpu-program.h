/* The program that the measurements run: ag_matmul of app/examples/multi_device.py. */
#pragma once

#include "program/program.h"

G_BEGIN_DECLS

/* Opens the program for @n_ranks devices from the script at @path. Aborts with a message on
 * failure. */
HirProgram *gpu_program_open (const char *path, guint n_ranks);

G_END_DECLS
