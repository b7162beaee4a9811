/* Random fusions with schedules, from a seed: small, valid by the rules of the ops, mostly with
 * stream loops, some invalid on purpose. Plain data, so that a test can print it as a script or
 * build it. Depends on GLib only. The same seed gives the same fusion on every machine. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define HIR_RANDOM_MAX_RANK 4

typedef enum
{
  HIR_RANDOM_INPUT, /* define_tensor */
  HIR_RANDOM_SET,
  HIR_RANDOM_UNARY,
  HIR_RANDOM_BINARY,
  HIR_RANDOM_BINARY_SCALAR, /* `value` is the second operand */
  HIR_RANDOM_SUM,           /* `dims` */
  HIR_RANDOM_MATMUL,
  HIR_RANDOM_LINEAR,    /* two or three operands */
  HIR_RANDOM_BROADCAST, /* `flags`, one per axis of the result */
  HIR_RANDOM_SQUEEZE,   /* `dims` */
  HIR_RANDOM_PERMUTE,   /* `dims` */
  HIR_RANDOM_RESHAPE,   /* `dims`: the new shape */
  HIR_RANDOM_CAST,
  HIR_RANDOM_SLICE, /* `dims`: starts, `stops` */
} HirRandomKind;

typedef enum
{
  HIR_RANDOM_FLOAT,
  HIR_RANDOM_DOUBLE,
  HIR_RANDOM_BFLOAT16,
} HirRandomDType;

/* One axis of a result, including reduced axes, as in a logical domain. */
typedef struct
{
  gint64 size;
  int class_id; /* equal for axes that ops relate */
  gboolean is_reduced;
  gboolean is_broadcast;
} HirRandomAxis;

/* A tensor and the step that makes it: tensor i of the fusion is step i. */
typedef struct
{
  HirRandomKind kind;
  const char *op; /* script name of a unary or binary op */
  guint inputs[3];
  guint n_inputs;
  double value;
  gint64 dims[HIR_RANDOM_MAX_RANK];
  gint64 stops[HIR_RANDOM_MAX_RANK];
  gboolean flags[HIR_RANDOM_MAX_RANK];
  guint n_dims;
  HirRandomDType dtype;
  HirRandomAxis axes[HIR_RANDOM_MAX_RANK + 1]; /* axes of the result */
  guint n_axes;
  guint n_uses;
  gboolean is_output;
} HirRandomStep;

#define HIR_RANDOM_MAX_DEVICES 8
#define HIR_RANDOM_MAX_MESHES 3

/* One-dimensional mesh, or rows of devices. */
typedef struct
{
  int devices[HIR_RANDOM_MAX_DEVICES];
  guint n_devices;
  guint n_rows; /* 1 for a one-dimensional mesh */
} HirRandomMesh;

typedef enum
{
  HIR_RANDOM_PARALLELIZE,         /* over streams */
  HIR_RANDOM_SPLIT,               /* by 2 */
  HIR_RANDOM_MERGE,               /* with the next axis */
  HIR_RANDOM_SET_MESH,            /* `value`: index of the mesh */
  HIR_RANDOM_MESH_X,              /* parallelized over DIDx */
  HIR_RANDOM_MESH_Y,              /* over DIDy */
  HIR_RANDOM_OUTER_SPLIT,         /* by `value` */
  HIR_RANDOM_ALLOCATION_AS_LOOP,  /* no axis */
  HIR_RANDOM_CACHE_AFTER,         /* no axis */
  HIR_RANDOM_CACHE_BEFORE,        /* no axis */
  HIR_RANDOM_CACHE_FORK,          /* no axis */
  HIR_RANDOM_RFACTOR,             /* on that axis */
  HIR_RANDOM_ALLOCATION_REVERSED, /* logical axes in reverse order; no axis */
} HirRandomScheduleKind;

typedef struct
{
  HirRandomScheduleKind kind;
  guint tensor;
  int axis; /* index into the loop domain */
  guint value;
} HirRandomSchedule;

typedef struct
{
  guint64 seed;
  gboolean is_symbolic; /* extents of inputs are -1 in the script */
  GArray *steps;        /* HirRandomStep */
  GArray *schedule;     /* HirRandomSchedule, in order */
  guint n_devices;      /* 0 for no meshes */
  HirRandomMesh meshes[HIR_RANDOM_MAX_MESHES];
  guint n_meshes;
} HirRandomFusion;

/* Creates a random fusion for one device. */
HirRandomFusion *hir_random_fusion_new (guint64 seed);
/* Creates a random fusion on meshes of 1 to 8 devices, with axes over devices and over streams. */
HirRandomFusion *hir_random_fusion_new_sharded (guint64 seed);
void hir_random_fusion_free (HirRandomFusion *fusion);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirRandomFusion, hir_random_fusion_free)

/* Returns a script with one function, `random_fusion`, and a comment with the seed and how to run
 * it. */
char *hir_random_fusion_to_script (const HirRandomFusion *fusion);
/* Returns shapes for `--input`, one per input in order: `4x8`. */
char **hir_random_fusion_dup_input_shapes (const HirRandomFusion *fusion);

/* Returns the name in scripts: `Float`. */
const char *hir_random_dtype_get_name (HirRandomDType dtype);

G_END_DECLS
