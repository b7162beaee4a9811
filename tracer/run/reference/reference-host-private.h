/* Shared by the files of the reference of host programs. A tensor is a HirValue, which says how it
 * lies, on a buffer that holds doubles instead of bytes: a HirRefTensor of one axis. */
#pragma once

#include "run/host-unit.h"
#include "run/reference/reference-host.h"
#include "run/reference/reference-private.h"

G_BEGIN_DECLS

/* What every rank has posted to a team in one place of its order. */
typedef struct
{
  const HirExpr *expr;
  gint64 *members;
  guint n;
  HirRefTensor **in;  /* one a member, as the next; nullable: snapshots */
  HirValue **out;     /* nullable */
  guint n_posted;
} HirRefCollective;

/* What a Wait waits for. */
typedef struct
{
  const HirExpr *expr;
  HirRefCollective *collective; /* nullable: messages, or this rank has no part in it */
  guint place;                  /* among its members */
  GArray *receives;             /* HirRefReceive; nullable */
} HirRefWork;

typedef struct
{
  const HirExpr *expr;
  gint64 from;
  guint number; /* of all from there */
  HirValue *value;
} HirRefReceive;

typedef struct
{
  GHashTable *teams;    /* text -> GPtrArray of HirRefCollective* */
  GHashTable *messages; /* "0>1" -> GPtrArray of HirRefTensor* */
} HirRefWorld;

typedef struct
{
  const HirScope *scope;
  guint next;
  const HirExpr *loop; /* nullable */
  gint64 i, stop, step;
} HirRefFrame;

typedef struct
{
  HirRefWorld *world;
  HirContainer *program;
  int rank;
  HirEnv *env;
  GHashTable *pieces;     /* see stream-piece.h */
  GHashTable *dependents; /* const HirExpr* -> GPtrArray of HirVal* */
  GHashTable *plans;      /* const HirHostUnit* -> HirUnitPlan* */
  GHashTable *next;       /* team or "0<1" -> how many were posted, as a pointer */
  GArray *frames;         /* HirRefFrame */
  GPtrArray *works;       /* HirRefWork*: posted and not waited for */
  HirRefWork *group;      /* nullable: since a StartCoalescing */
  guint64 n_steps, limit;    /* it stands when it has taken so many */
  const HirExpr *blocked_on; /* nullable: the Wait that it stands at */
  guint i;                   /* of all ranks */
  HirReferenceWatch watch;   /* nullable */
  gpointer watch_data;
  gboolean is_done;
} HirRefRank;

/* reference-host-store.c */
/* @shape, which has no memory, on new memory full of poison. */
HirValue *hir_ref_host_realize (const HirValue *shape, GError **error);
/* Elements in row-major order: a copy. */
HirRefTensor *hir_ref_host_gather (const HirValue *value, GError **error);
/* The other way; equal counts. */
gboolean hir_ref_host_scatter (const HirValue *value, const HirRefTensor *from, GError **error);
/* A copy of a tensor in host memory. */
HirValue *hir_ref_host_load (const HirValue *value, GError **error);

/* reference-host-op.c */
gboolean hir_ref_host_compute (HirRefRank *rank, const HirExpr *expr, GError **error);
gboolean hir_ref_host_post_unit (HirRefRank *rank, const HirExpr *expr, GError **error);

/* reference-host-comm.c */
HirRefWorld *hir_ref_world_new (void);
void hir_ref_world_free (HirRefWorld *world);
void hir_ref_work_free (HirRefWork *work);
/* A Communication, CollectivePermute, P2P, or either end of a group. */
gboolean hir_ref_host_post (HirRefRank *rank, const HirExpr *expr, GError **error);
/* *@ready: FALSE where another rank must go on first; then nothing has changed. */
gboolean
hir_ref_host_wait (HirRefRank *rank, const HirExpr *wait, gboolean *ready, GError **error);

G_END_DECLS
