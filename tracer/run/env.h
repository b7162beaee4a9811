/* Environment of a running program: the values of tensors and scalars, and the extents that follow
 * from them. Scalar expressions are evaluated at each use, so that a new loop index invalidates
 * everything that depends on it (docs/host-ir.md#control-flow). Not thread-safe. */
#pragma once

#include "container.h"
#include "run/values/shard.h"

G_BEGIN_DECLS

typedef struct _HirEnv HirEnv;

/* An extent that is known before a tensor with this extent. */
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
/* Sets the device whose part of distributed tensors the environment describes: extents are those of
 * the whole tensor, sizes of run-time tensors those of the part that @device holds. The default,
 * -1, is the whole tensor. */
void hir_env_set_device (HirEnv *env, gint64 device);
/* Returns the device set by hir_env_set_device(). */
gint64 hir_env_get_device (const HirEnv *env);
/* Sets the tensors (borrowed set of HirTensor*; nullable) of which only the piece of one stream is
 * in memory, see stream-piece.h. */
void hir_env_set_pieces (HirEnv *env, GHashTable *slices);
/* Removes all values except those of named scalars. */
void hir_env_reset (HirEnv *env);

/* Sets the value of @val, with a reference to @value. Named scalars are identified by name. */
void hir_env_bind (HirEnv *env, const HirVal *val, HirValue *value);
/* Returns the value of @val if the environment holds the only reference and no journal is active,
 * so that the caller may modify it in place; otherwise NULL. */
HirValue *hir_env_lookup_own (HirEnv *env, const HirVal *val);
/* Sets the index of a loop. Modifies the previous value in place if it is not shared. */
void hir_env_bind_index (HirEnv *env, const HirVal *index, gint64 value);
/* Sets the value of the named scalar @name. */
void hir_env_bind_named (HirEnv *env, const char *name, gint64 value);
/* Sets the extents of @symbols, an array of HirSymbolValue (nullable). */
void hir_env_bind_symbols (HirEnv *env, const GArray *symbols);
/* Removes the value of @val. */
void hir_env_unbind (HirEnv *env, const HirVal *val);
/* Returns the value of @val (borrowed), or NULL if it is not known. Scalar expressions are not
 * evaluated. */
HirValue *hir_env_lookup (HirEnv *env, const HirVal *val);

/* A change of one binding. */
typedef struct
{
  const HirVal *val; /* NULL: the named scalar @name */
  char *name;
  HirValue *old; /* previous value; NULL if it was not known */
} HirEnvChange;

/* Returns an empty journal, an array of HirEnvChange. */
GArray *hir_env_journal_new (void);
/* Appends each later change to @journal (borrowed); NULL stops this. */
void hir_env_set_journal (HirEnv *env, GArray *journal);
/* Reverts the changes of @journal, the last one first. */
void hir_env_undo (HirEnv *env, const GArray *journal);
/* Returns all bindings as an array of HirEnvChange. */
GArray *hir_env_dup_bindings (HirEnv *env);
/* Replaces all bindings by @bindings. No journal may be active. */
void hir_env_set_bindings (HirEnv *env, const GArray *bindings);
/* Calls @visit for each value except those of named scalars, in no particular order. */
void hir_env_foreach (HirEnv *env,
                      void (*visit) (const HirVal *val, HirValue *value, gpointer user_data),
                      gpointer user_data);

/* Evaluates @scalar: a constant, a known scalar, or an expression of these in 64-bit integers or
 * double. Returns a new reference. */
HirValue *hir_env_evaluate (HirEnv *env, const HirScalar *scalar, GError **error);
/* An expression that kept its first value, because no FOR .. from invalidates it
 * (docs/host-ir.md#control-flow). */
typedef struct
{
  const HirScalar *scalar;
  gint64 kept, fresh;
} HirStaleValue;

/* From now on, until hir_env_reset(), expressions of @index keep the value of their first
 * evaluation. */
void hir_env_keep_expressions_of (HirEnv *env, const HirScalar *index);
/* Evaluates @scalar again and binds it, so that it does not keep its first value. */
gboolean hir_env_compute_again (HirEnv *env, const HirScalar *scalar, GError **error);
/* Returns TRUE if an expression was evaluated since the last call whose kept value is not its
 * fresh one. @stale (out) is the first such expression. */
gboolean hir_env_take_stale (HirEnv *env, HirStaleValue *stale);

/* Returns @communication with the value of its computed root, or @communication itself if the root
 * is not computed. Returns NULL and sets HIR_ERROR_RUN if the team has no such position. */
const HirExpr *hir_env_resolve_root (HirEnv *env, const HirExpr *communication, GError **error);
/* Like hir_env_evaluate(), but for integer values. */
gboolean hir_env_evaluate_int (HirEnv *env, const HirScalar *scalar, gint64 *value, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* Binds the input @tensor and the symbols among its extents to @value. Sets HIR_ERROR_RUN if the
 * rank, the type or a known extent differs; the message names tensor and axis. */
gboolean hir_env_bind_input (HirEnv *env, const HirTensor *tensor, HirValue *value, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

/* Computes sizes (logical axes without reductions) and strides in elements, contiguous in the order
 * of the allocation domain. @sizes and @strides have HIR_MAX_DIMS entries. */
gboolean hir_env_infer (HirEnv *env,
                        const HirTensor *tensor,
                        guint *n,
                        gint64 *sizes,
                        gint64 *strides,
                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Computes which elements of each such axis the device holds. The extents of @tensor must be known;
 * @shard has HIR_MAX_DIMS entries. */
gboolean hir_env_get_shard (HirEnv *env,
                            const HirTensor *tensor,
                            HirShardAxis *shard,
                            GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Returns a view of @value, the value of @tensor, with its axes in the order of the allocation
 * domain, outermost first: the order in which collectives split a tensor. */
HirValue *hir_env_view_as_allocated (const HirTensor *tensor, HirValue *value);
/* Returns a new tensor of the shape of @tensor on @buffer, or on a deferred buffer if @buffer is
 * NULL. */
HirValue *
hir_env_new_tensor (HirEnv *env, const HirTensor *tensor, HirBuffer *buffer, GError **error);

G_END_DECLS
