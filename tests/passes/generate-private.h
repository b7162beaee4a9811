/* Internal declarations of the generator. */
#pragma once

#include "generate.h"

G_BEGIN_DECLS

typedef struct
{
  HirRandomFusion *fusion;
  guint64 state;
  int next_class;
  gboolean reuse_hidden; /* results of fused ops may be read twice: HostUnits with two results */
} HirGenerator;

/* Returns the next number of splitmix64: the same sequence everywhere. */
guint64 hir_generator_next (HirGenerator *g);
/* Returns a number from 0 to @n - 1. */
guint hir_generator_pick (HirGenerator *g, guint n);
/* Returns TRUE with a probability of @percent. */
gboolean hir_generator_chance (HirGenerator *g, guint percent);
/* Returns step @i. */
HirRandomStep *hir_generator_get_step (HirGenerator *g, guint i);
/* Returns TRUE if the op is inside a HostUnit. */
gboolean hir_random_is_fused (HirRandomKind kind);

/* Schedules stream axes for results that can have them, mostly the axis of the previous op, so that
 * loops merge. */
void hir_generator_schedule_streams (HirGenerator *g);
/* Schedules axes that no pass can lower: split, merged, reduced, fused, input, second axis. */
void hir_generator_schedule_refused (HirGenerator *g);

/* Picks the number of devices and the meshes. */
void hir_generator_pick_meshes (HirGenerator *g);
/* Puts most tensors on meshes and axes over devices, mostly related ones, so that only some ops
 * communicate. Call after scheduling streams. */
void hir_generator_schedule_devices (HirGenerator *g);

/* Adds copies, rfactors and allocation domains for some tensors. Uses a separate random state, so
 * that the other choices of a seed do not change. Call last. */
void hir_generator_schedule_copies (HirGenerator *g);

G_END_DECLS
