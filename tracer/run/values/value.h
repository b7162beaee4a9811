/* Run-time values: a scalar, or a tensor that is a view (offset, sizes, strides) on a counted
 * buffer. A value is immutable once it is bound, but for its only owner; what a buffer holds is
 * written by the back end's streams. */
#pragma once

#include "dtype.h"

G_BEGIN_DECLS

#define HIR_MAX_DIMS 16

/* Where the memory of a buffer lies. */
typedef enum
{
  HIR_PLACE_HOST,
  HIR_PLACE_CUDA, /* a device address: the host must not follow it */
} HirPlaceKind;

/* Memory on a device. Freed with its last reference, from whatever thread drops that: tasks hold
 * one each, so that a buffer outlives the work that is queued on it. Who does not know that it is
 * the host's reads and writes it through the back end. */
typedef struct
{
  gatomicrefcount ref_count;
  guint8 place; /* HirPlaceKind */
  guint8 *data; /* nullable: not there yet, see hir_buffer_new_deferred() */
  gsize size_bytes;
  void (*free_data) (gpointer data, gpointer user_data);
  gpointer user_data;
} HirBuffer;

/* Host memory, aligned to 64 bytes. NULL and HIR_ERROR_LIMIT where it can't be had. */
HirBuffer *hir_buffer_new (gsize size_bytes, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* @data is a device's: @free_data is called with it and @user_data, on any thread. */
HirBuffer *hir_buffer_new_device (gpointer data,
                                  gsize size_bytes,
                                  void (*free_data) (gpointer data, gpointer user_data),
                                  gpointer user_data);
/* Takes no memory until hir_buffer_ensure(): what a kernel computes and only itself reads. */
HirBuffer *hir_buffer_new_deferred (gsize size_bytes);
/* FALSE and HIR_ERROR_LIMIT where the memory can't be had. One thread. */
gboolean hir_buffer_ensure (HirBuffer *buffer, GError **error) G_GNUC_WARN_UNUSED_RESULT;
HirBuffer *hir_buffer_ref (HirBuffer *buffer);
void hir_buffer_unref (HirBuffer *buffer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirBuffer, hir_buffer_unref)

typedef struct
{
  gatomicrefcount ref_count;
  HirDType dtype;
  gboolean is_scalar;
  /* scalar: @i of integral and bool types, @d of floating-point ones */
  gint64 i;
  double d;
  /* tensor: strides and offset in elements */
  guint n_dims;
  gint64 sizes[HIR_MAX_DIMS];
  gint64 strides[HIR_MAX_DIMS];
  gint64 offset;
  HirBuffer *buffer;
} HirValue;

/* Scalars of the host; a new reference. */
HirValue *hir_value_new_int (gint64 value, HirDType dtype);
HirValue *hir_value_new_double (double value, HirDType dtype);
/* A view of the whole of @buffer (referenced); @strides NULL: contiguous, row-major. */
HirValue *hir_value_new_tensor (
    HirDType dtype, guint n_dims, const gint64 *sizes, const gint64 *strides, HirBuffer *buffer);
HirValue *hir_value_ref (HirValue *value);
void hir_value_unref (HirValue *value);
/* TRUE where the caller has the only reference: it may then change the value, see the top. */
static inline gboolean
hir_value_is_unshared (const HirValue *value)
{
  return g_atomic_int_get (&value->ref_count) == 1;
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirValue, hir_value_unref)

/* Views: new values on the same buffer. Programmer errors are asserted; what a program can get
 * wrong, the caller checks first. */
HirValue *hir_value_select (const HirValue *tensor, guint axis, gint64 index);
/* Axis i of the result is axis @order[i] of @tensor. */
HirValue *hir_value_permute (const HirValue *tensor, const guint *order);
/* Elements start, start + step, ... (@size of them) of @axis. */
HirValue *
hir_value_slice (const HirValue *tensor, guint axis, gint64 start, gint64 size, gint64 step);
HirValue *hir_value_insert_axis (const HirValue *tensor, guint axis); /* size 1 */
HirValue *
hir_value_drop_axis (const HirValue *tensor, guint axis); /* of any size: takes element 0 */
/* Axes of size 1 are repeated to @sizes; same rank. NULL where another axis differs. */
HirValue *hir_value_expand (const HirValue *tensor, const gint64 *sizes);
/* The same elements in row-major order as @sizes; NULL where that needs a copy or counts differ. */
HirValue *hir_value_reshape (const HirValue *tensor, guint n_dims, const gint64 *sizes);

gint64 hir_value_get_n_elements (const HirValue *tensor); /* of a scalar: 1 */
gsize hir_value_get_size_bytes (const HirValue *tensor);
gboolean hir_value_is_contiguous (const HirValue *tensor);
/* Address of element 0. NULL while the buffer is deferred. */
gpointer hir_value_get_data (const HirValue *tensor);
gboolean hir_value_same_sizes (const HirValue *a, const HirValue *b);
/* Returns TRUE if @slice is one element of axis @axis of @whole, with that axis dropped. */
gboolean hir_value_is_slice (const HirValue *slice, const HirValue *whole, guint axis);

/* Product of @sizes in elements and bytes; FALSE and HIR_ERROR_LIMIT where it overflows or a size
 * is negative. */
gboolean hir_sizes_check (const gint64 *sizes,
                          guint n_dims,
                          HirDType dtype,
                          gsize *size_bytes,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
void hir_sizes_contiguous_strides (const gint64 *sizes, guint n_dims, gint64 *strides);

/* One element in host memory, converted from and to @dtype: to double (exact but for 64-bit
 * integers), to int64 (saturating, NaN gives 0). Stores saturate from floating point to integers
 * and wrap from wider integers. */
double hir_element_get_double (HirDType dtype, gconstpointer element);
gint64 hir_element_get_int (HirDType dtype, gconstpointer element);
void hir_element_set_double (HirDType dtype, gpointer element, double value);
void hir_element_set_int (HirDType dtype, gpointer element, gint64 value);
/* @value saturated to the range of the integral or bool @dtype. */
gint64 hir_dtype_saturate (HirDType dtype, double value);
/* @value wrapped to the width of the integral @dtype; bool: 0 or 1. */
gint64 hir_dtype_wrap (HirDType dtype, gint64 value);

/* What no correct program leaves behind: NaN in floating point, 0xa5 in every byte of an integer.
 */
void hir_poison (HirDType dtype, gpointer data, gsize size_bytes);

/* "float[4, 8]"; of a scalar its value. Newly allocated. */
char *hir_value_describe (const HirValue *value);

G_END_DECLS
