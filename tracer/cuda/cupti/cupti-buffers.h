/* Buffers that CUPTI fills with activity records. The process has one pool, which is never freed,
 * because CUPTI's callbacks have no user data and cannot be unregistered. CUPTI requests buffers on
 * the launching threads, so free buffers are zeroed and their pages touched in advance. No lock is
 * held during a call of CUPTI. */
#pragma once

#include "cuda/driver/abi-cupti.h"

G_BEGIN_DECLS

typedef struct _HirCuptiBuffers HirCuptiBuffers;

typedef struct
{
  guint8 *bytes;
  gsize valid;          /* number of bytes with records */
  HirCuContext context; /* context to query for dropped records; NULL for none */
  guint32 stream;
} HirCuptiBuffer;

/* Returns the pool of the process. Any thread. */
HirCuptiBuffers *hir_cupti_buffers_get (void);
/* Provides a zeroed buffer, or NULL if out of memory. Callback for
 * cuptiActivityRegisterCallbacks(). Any thread. */
void hir_cupti_buffers_request (uint8_t **buffer, size_t *size, size_t *max_records);
/* Takes a buffer with @valid bytes of records. Callback for cuptiActivityRegisterCallbacks(). Any
 * thread. */
void hir_cupti_buffers_complete (
    HirCuContext context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid);

/* Gets the next completed buffer, in the order of completion. Waits for up to @timeout_us. Returns
 * FALSE if no buffer is completed by then. Call on one thread only. */
gboolean
hir_cupti_buffers_pop (HirCuptiBuffers *buffers, gint64 timeout_us, HirCuptiBuffer *buffer);
/* Zeroes a buffer from hir_cupti_buffers_pop() and returns it to the pool. */
void hir_cupti_buffers_recycle (HirCuptiBuffers *buffers, const HirCuptiBuffer *buffer);
/* Allocates buffers until the pool has enough free ones. */
void hir_cupti_buffers_fill (HirCuptiBuffers *buffers);
/* Wakes the thread that is blocked in hir_cupti_buffers_pop(). */
void hir_cupti_buffers_wake (HirCuptiBuffers *buffers);
/* Returns the number of requests that failed for lack of memory. CUPTI drops records after such a
 * failure. */
guint64 hir_cupti_buffers_get_n_refused (HirCuptiBuffers *buffers);

/* Size of each buffer. */
#define HIR_CUPTI_BUFFER_BYTES ((gsize) 1 << 20)

G_END_DECLS
