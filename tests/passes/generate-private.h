/* What the parts of the generator share. */
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

/* splitmix64: the same numbers everywhere and always. */
guint64 hir_generator_next (HirGenerator *g);
/* 0 to @n - 1. */
guint hir_generator_pick (HirGenerator *g, guint n);
gboolean hir_generator_chance (HirGenerator *g, guint percent);
HirRandomStep *hir_generator_get_step (HirGenerator *g, guint i);
/* TRUE where the op lives inside a HostUnit. */
gboolean hir_random_is_fused (HirRandomKind kind);

/* Stream axes for results that can have them, mostly the axis of the one before, so that loops
 * merge. */
void hir_generator_schedule_streams (HirGenerator *g);
/* Schedules that nothing can lower: split, merged, reduced, fused, input, second axis. */
void hir_generator_schedule_refused (HirGenerator *g);

/* The number of devices and the meshes. */
void hir_generator_pick_meshes (HirGenerator *g);
/* Meshes for most tensors, and axes over devices: mostly those that ops relate, so that only some
 * ops communicate. Streams are scheduled before. */
void hir_generator_schedule_devices (HirGenerator *g);

/* Copies, rfactors and allocation domains for some tensors; of a state of its own, so that the other
 * choices of a seed stay what they are. Last. */
void hir_generator_schedule_copies (HirGenerator *g);

G_END_DECLS
