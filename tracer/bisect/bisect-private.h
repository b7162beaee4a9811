/* What the files of bisecting share. */
#pragma once

#include "bisect/bisect.h"

G_BEGIN_DECLS

/* For HirBisectStep*, which it frees. */
GPtrArray *hir_bisect_steps_new (void);

G_END_DECLS
