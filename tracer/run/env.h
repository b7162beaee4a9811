/* What is known while a program runs: values of tensors and scalars, and the extents that follow. A
 * scalar expression is evaluated anew at each use, so that a new loop index invalidates all that
 * depends on it (docs/host-ir.md#control-flow). One thread. */
#pragma once

#include "container.h"
#include "run/values/shard.h"

G_BEGIN_DECLS

typedef struct _HirEnv HirEnv;

/* An extent, known before any tensor that has it. */
typedef struct
{
  const HirScalar *symbol;
  gint64 value;
} HirSymbolValue;

/* Returns the extent of an axis of a run-time tensor. */
static inline const HirScalar *
hir_env_get_extent (const HirIterDomain *id)
{
  return id->expanded_extent != NULL ? id->expanded_extent : id->extent;
}

HirEnv *hir_env_new (void);
void hir_env_free (HirEnv *env);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirEnv, hir_env_free)
/* Whose part of tensors over devices it knows: extents are those of whole tensors, sizes of
 * run-time tensors those of the part that @device holds; -1, as from the start: of the whole. */
void hir_env_set_device (HirEnv *env, gint64 device);
gint64 hir_env_get_device (const HirEnv *env);
/* Tensors (borrowed set of HirTensor*; nullable) of which only the piece of one stream is in memory:
 * see stream-piece.h. */
void hir_env_set_pieces (HirEnv *env, GHashTable *slices);
/* Forgets all but named scalars. */
void hir_env_reset (HirEnv *env);

/* Keeps a reference on @value. Named scalars are known by name. */
void hir_env_bind (HirEnv *env, const HirVal *val, HirValue *value);
/* The value of @val, where nobody else holds it and no journal is kept: the caller may change it in
 * place. Else NULL. */
HirValue *hir_env_lookup_own (HirEnv *env, const HirVal *val);
/* The index of a loop, of type index: the value that was bound before is used again where nobody
 * else holds it. */
void hir_env_bind_index (HirEnv *env, const HirVal *index, gint64 value);
void hir_env_bind_named (HirEnv *env, const char *name, gint64 value);
/* Array of HirSymbolValue; nullable. */
void hir_env_bind_symbols (HirEnv *env, const GArray *symbols);
void hir_env_unbind (HirEnv *env, const HirVal *val);
/* Borrowed; NULL where unknown. Not for scalar expressions. */
HirValue *hir_env_lookup (HirEnv *env, const HirVal *val);

/* One change of what was known. */
typedef struct
{
  const HirVal *val; /* NULL: the named scalar @name */
  char *name;
  HirValue *old; /* nullable: it was unknown */
} HirEnvChange;

/* Array of HirEnvChange, empty. */
GArray *hir_env_journal_new (void);
/* Each change from now on is appended to @journal (borrowed); NULL: to none. */
void hir_env_set_journal (HirEnv *env, GArray *journal);
/* Takes the changes of @journal back, the last one first. */
void hir_env_undo (HirEnv *env, const GArray *journal);
/* All that is known, as an array of HirEnvChange; and that alone is known again. No journal may be kept. */
GArray *hir_env_dup_bindings (HirEnv *env);
void hir_env_set_bindings (HirEnv *env, const GArray *bindings);
/* All that is bound but named scalars, in no order. */
void hir_env_foreach (HirEnv *env,
                      void (*visit) (const HirVal *val, HirValue *value, gpointer user_data),
                      gpointer user_data);

/* A new reference. Constants, known scalars, expressions of them in 64 bits or in double. */
HirValue *hir_env_evaluate (HirEnv *env, const HirScalar *scalar, GError **error);
gboolean hir_env_evaluate_int (HirEnv *env, const HirScalar *scalar, gint64 *value, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* Binds an input: @tensor, and the symbols among its extents. Errors: HIR_ERROR_RUN where the rank,
 * the type or an extent that is known already differs; the message names the tensor and the axis.
 */
gboolean hir_env_bind_input (HirEnv *env, const HirTensor *tensor, HirValue *value, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* Sizes (logical axes without reductions) and strides in elements: contiguous in the order of the
 * allocation domain. Arrays of HIR_MAX_DIMS. */
gboolean hir_env_infer (HirEnv *env,
                        const HirTensor *tensor,
                        guint *n,
                        gint64 *sizes,
                        gint64 *strides,
                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Which elements of each such axis of @tensor, whose extents are known, the device holds; an array
 * of HIR_MAX_DIMS. */
gboolean hir_env_get_shard (HirEnv *env,
                            const HirTensor *tensor,
                            HirShardAxis *shard,
                            GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* @value, which is @tensor's, with its axes in the order of the allocation domain, the outermost
 * first: what a collective cuts into pieces. A view. */
HirValue *hir_env_view_as_allocated (const HirTensor *tensor, HirValue *value);
/* A new tensor of that shape on @buffer, or, NULL, on a deferred buffer. */
HirValue *
hir_env_new_tensor (HirEnv *env, const HirTensor *tensor, HirBuffer *buffer, GError **error);

G_END_DECLS
