/* Iterates over buffers of CUPTI records in the layout of a given version. */
#pragma once

#include "cuda/driver/abi-cupti.h"

G_BEGIN_DECLS

/* Returns the size of a record of @kind in bytes, or 0 if the fakes do not support it. */
gsize fake_cupti_get_size (guint32 api_version, guint32 kind);
/* Implements cuptiActivityGetNextRecord() for buffers of @api_version. */
HirCuptiResult
fake_cupti_walk (guint32 api_version, guint8 *bytes, gsize valid, HirCuptiActivity **record);

G_END_DECLS
