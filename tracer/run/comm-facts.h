/* The amount of data that a post moves, for the communication records of a trace. */
#pragma once

#include "run/communicator.h"
#include "trace/comm-records.h"

G_BEGIN_DECLS

/* Fills in sizes, type and root of part @part of @post (a message; 0 for a collective), but no
 * strings. Returns Kineto's name of the operation (static). */
const char *
hir_comm_fill_facts (const HirCommPost *post, guint part, int rank, HirCommRecord *record);

G_END_DECLS
