/* Run-time values: a scalar, or a tensor, which is a view (offset, sizes, strides) of a
 * reference-counted buffer. A bound value is immutable unless it has a single owner; the contents
 * of buffers are written by streams of the back end. */
#pragma once

#include "dtype.h"

G_BEGIN_DECLS

#define HIR_MAX_DIMS 16

/* Location of the memory of a buffer. */
typedef enum
{
  HIR_PLACE_HOST,
  HIR_PLACE_CUDA, /* a device address, which the host must not dereference */
} HirPlaceKind;

/* Memory of the host or of a device. Freed with its last reference, on any thread; tasks hold
 * references, so that a buffer outlives queued work. Unless it is host memory, access it through
 * the back end. */
typedef struct
{
  gatomicrefcount ref_count;
  guint8 place; /* HirPlaceKind */
  guint8 *data; /* NULL if not allocated yet, see hir_buffer_new_deferred() */
  gsize size_bytes;
  void (*free_data) (gpointer data, gpointer user_data);
  gpointer user_data;
} HirBuffer;

/* Allocates host memory, aligned to 64 bytes. Returns NULL and sets HIR_ERROR_LIMIT if memory is
 * short. */
HirBuffer *hir_buffer_new (gsize size_bytes, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Creates a buffer for device memory @data. @free_data is called on any thread. */
HirBuffer *hir_buffer_new_device (gpointer data,
                                  gsize size_bytes,
                                  void (*free_data) (gpointer data, gpointer user_data),
                                  gpointer user_data);
/* Creates a buffer without memory until hir_buffer_ensure(), for intermediate values of kernels. */
HirBuffer *hir_buffer_new_deferred (gsize size_bytes);
/* Allocates the memory of a deferred buffer. Returns FALSE and sets HIR_ERROR_LIMIT if memory is
 * short. Call from one thread. */
gboolean hir_buffer_ensure (HirBuffer *buffer, GError **error) G_GNUC_WARN_UNUSED_RESULT;
HirBuffer *hir_buffer_ref (HirBuffer *buffer);
void hir_buffer_unref (HirBuffer *buffer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirBuffer, hir_buffer_unref)

typedef struct
{
  gatomicrefcount ref_count;
  HirDType dtype;
  gboolean is_scalar;
  /* scalar: @i for integral and bool types, @d for floating-point types */
  gint64 i;
  double d;
  /* tensor: strides and offset in elements */
  guint n_dims;
  gint64 sizes[HIR_MAX_DIMS];
  gint64 strides[HIR_MAX_DIMS];
  gint64 offset;
  HirBuffer *buffer;
} HirValue;

/* Creates a scalar. */
HirValue *hir_value_new_int (gint64 value, HirDType dtype);
/* Creates a floating-point scalar. */
HirValue *hir_value_new_double (double value, HirDType dtype);
/* Creates a view of @buffer (referenced). @strides NULL: contiguous, row-major. */
HirValue *hir_value_new_tensor (
    HirDType dtype, guint n_dims, const gint64 *sizes, const gint64 *strides, HirBuffer *buffer);
HirValue *hir_value_ref (HirValue *value);
void hir_value_unref (HirValue *value);
/* Returns TRUE if the caller has the only reference and may therefore modify the value. */
static inline gboolean
hir_value_is_unshared (const HirValue *value)
{
  return g_atomic_int_get (&value->ref_count) == 1;
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirValue, hir_value_unref)

/* Views are new values on the same buffer. Invalid arguments are asserted; callers check conditions
 * that depend on the program. Returns element @index of @axis, without this axis. */
HirValue *hir_value_select (const HirValue *tensor, guint axis, gint64 index);
/* Returns a view whose axis i is axis @order[i] of @tensor. */
HirValue *hir_value_permute (const HirValue *tensor, const guint *order);
/* Returns the @size elements start, start + step, ... of @axis. */
HirValue *
hir_value_slice (const HirValue *tensor, guint axis, gint64 start, gint64 size, gint64 step);
/* Returns a view with a new axis of size 1. */
HirValue *hir_value_insert_axis (const HirValue *tensor, guint axis);
HirValue *
/* Returns a view without @axis, at its element 0. */
hir_value_drop_axis (const HirValue *tensor, guint axis);
/* Returns a view with axes of size 1 broadcast to @sizes, of the same rank, or NULL if another axis
 * differs. */
HirValue *hir_value_expand (const HirValue *tensor, const gint64 *sizes);
/* Returns the elements in row-major order as @sizes, or NULL if this needs a copy or the counts
 * differ. */
HirValue *hir_value_reshape (const HirValue *tensor, guint n_dims, const gint64 *sizes);

gint64 hir_value_get_n_elements (const HirValue *tensor); /* 1 for a scalar */
/* Returns the size of the elements. */
gsize hir_value_get_size_bytes (const HirValue *tensor);
gboolean hir_value_is_contiguous (const HirValue *tensor);
/* Returns the address of element 0, or NULL if the buffer has no memory. */
gpointer hir_value_get_data (const HirValue *tensor);
/* Returns TRUE if the ranks and sizes are equal. */
gboolean hir_value_same_sizes (const HirValue *a, const HirValue *b);
/* Returns TRUE if @slice is one element of axis @axis of @whole, with that axis dropped. */
gboolean hir_value_is_slice (const HirValue *slice, const HirValue *whole, guint axis);

/* Computes the size of a tensor. Returns FALSE and sets HIR_ERROR_LIMIT if it overflows, or
 * HIR_ERROR_RUN if a size is negative. */
gboolean hir_sizes_check (const gint64 *sizes,
                          guint n_dims,
                          HirDType dtype,
                          gsize *size_bytes,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Computes the strides of a contiguous row-major tensor. */
void hir_sizes_contiguous_strides (const gint64 *sizes, guint n_dims, gint64 *strides);

/* Reads an element in host memory as double, exactly except for 64-bit integers. */
double hir_element_get_double (HirDType dtype, gconstpointer element);
/* Reads an element as int64; saturates, NaN gives 0. */
gint64 hir_element_get_int (HirDType dtype, gconstpointer element);
/* Writes an element; saturates if it is an integer. */
void hir_element_set_double (HirDType dtype, gpointer element, double value);
/* Writes an element; wraps if it is a narrower integer. */
void hir_element_set_int (HirDType dtype, gpointer element, gint64 value);
/* Returns @value saturated to the range of the integral or bool @dtype. */
gint64 hir_dtype_saturate (HirDType dtype, double value);
/* Returns @value wrapped to the width of the integral @dtype; for bool 0 or 1. */
gint64 hir_dtype_wrap (HirDType dtype, gint64 value);

/* Fills memory with values that no correct program produces: NaN for floating point, bytes 0xa5 for
 * integers. */
void hir_poison (HirDType dtype, gpointer data, gsize size_bytes);

/* Returns "float[4, 8]", or the value of a scalar; newly allocated. */
char *hir_value_describe (const HirValue *value);

G_END_DECLS
