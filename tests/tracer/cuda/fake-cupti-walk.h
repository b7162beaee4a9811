/* Buffers of CUPTI's records as the versions lay them out. */
#pragma once

#include "cuda/driver/abi-cupti.h"

G_BEGIN_DECLS

/* Bytes of a record of that kind; 0 for one that the fakes do not know. */
gsize fake_cupti_get_size (guint32 api_version, guint32 kind);
/* cuptiActivityGetNextRecord() for buffers of that version. */
HirCuptiResult
fake_cupti_walk (guint32 api_version, guint8 *bytes, gsize valid, HirCuptiActivity **record);

G_END_DECLS
