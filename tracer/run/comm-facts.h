/* What a post moves, for the table of meetings. */
#pragma once

#include "run/communicator.h"
#include "trace/comm-records.h"

G_BEGIN_DECLS

/* Fills in what @rank's part number @part of @post moves (a message; 0 of a collective), all but
 * the strings. Kineto's name of it; static. */
const char *
hir_comm_fill_facts (const HirCommPost *post, guint part, int rank, HirCommRecord *meeting);

G_END_DECLS
