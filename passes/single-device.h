/* What the passes of one device say to a program for several, until the passes that shard it exist.
 */
#pragma once

#include "container.h"

G_BEGIN_DECLS

/* FALSE and HIR_ERROR_UNSUPPORTED, naming tensor and axis, where @program has an axis over devices,
 * a mesh of more than one device, or two meshes. */
gboolean hir_check_single_device (HirContainer *program, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
