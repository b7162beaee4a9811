/* The memory that CUPTI writes its records to. One pool for the life of the process, for CUPTI's
 * callbacks carry no user data and can't be taken back. Buffers are zeroed and their pages touched
 * before they are handed out, because CUPTI asks for them on the threads that launch. No lock is
 * held while CUPTI is called. */
#pragma once

#include "cuda/driver/abi-cupti.h"

G_BEGIN_DECLS

typedef struct _HirCuptiBuffers HirCuptiBuffers;

typedef struct
{
  guint8 *bytes;
  gsize valid;          /* bytes that hold records */
  HirCuContext context; /* whose dropped records are to be asked for; NULL: of none */
  guint32 stream;
} HirCuptiBuffer;

/* The process's. Any thread. */
HirCuptiBuffers *hir_cupti_buffers_get (void);
/* For cuptiActivityRegisterCallbacks(); any thread. */
void hir_cupti_buffers_request (uint8_t **buffer, size_t *size, size_t *max_records);
void hir_cupti_buffers_complete (
    HirCuContext context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid);

/* The next completed buffer, in the order of completion; waits for up to @timeout_us. FALSE: there
 * is none. One thread. */
gboolean
hir_cupti_buffers_pop (HirCuptiBuffers *buffers, gint64 timeout_us, HirCuptiBuffer *buffer);
/* Gives what pop() gave back, zeroed. */
void hir_cupti_buffers_recycle (HirCuptiBuffers *buffers, const HirCuptiBuffer *buffer);
/* Makes buffers until some are ready to be handed out. */
void hir_cupti_buffers_fill (HirCuptiBuffers *buffers);
/* Wakes the thread in pop(). */
void hir_cupti_buffers_wake (HirCuptiBuffers *buffers);
/* Requests so far that no memory could be had for: CUPTI then drops records. */
guint64 hir_cupti_buffers_get_n_refused (HirCuptiBuffers *buffers);

/* Bytes of each. */
#define HIR_CUPTI_BUFFER_BYTES ((gsize) 1 << 20)

G_END_DECLS
