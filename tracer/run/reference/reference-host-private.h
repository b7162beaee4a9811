/* Internal declarations of the reference of host programs. A tensor is a HirValue, which defines
 * its layout, on a buffer that contains a HirRefTensor of one axis instead of bytes. */
#pragma once

#include "run/host-unit.h"
#include "run/reference/reference-host.h"
#include "run/reference/reference-private.h"

G_BEGIN_DECLS

/* One collective of a team: the posts of all ranks. */
typedef struct
{
  const HirExpr *expr;
  gint64 *members;
  guint n;
  HirRefTensor **in; /* one per member, like the next; nullable: snapshots */
  HirValue **out;    /* nullable */
  guint n_posted;
} HirRefCollective;

/* A posted communication. */
typedef struct
{
  const HirExpr *expr;
  HirRefCollective *collective; /* NULL for messages, or if this rank does not take part */
  guint place;                  /* index of this rank among the members */
  GArray *receives;             /* HirRefReceive; nullable */
  /* Of a CollectivePermute, which completes with its send: the key of the receiver, nullable, and
   * the number of receives that it must have posted. */
  char *receiver;
  guint n_received;
} HirRefWork;

typedef struct
{
  const HirExpr *expr;
  gint64 from;
  guint number; /* number among all messages from there */
  HirValue *value;
} HirRefReceive;

typedef struct
{
  GHashTable *teams;    /* members as text -> GPtrArray of HirRefCollective* */
  GHashTable *messages; /* "0>1" -> GPtrArray of HirRefTensor* */
  GHashTable *received; /* "1<0" -> number of posted receives, as a pointer */
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
  GHashTable *pieces;        /* see stream-piece.h */
  GHashTable *dependents;    /* const HirExpr* -> GPtrArray of HirVal* */
  GHashTable *plans;         /* const HirHostUnit* -> HirUnitPlan* */
  GHashTable *next;          /* team or "0<1" -> number of posts, as a pointer */
  GArray *frames;            /* HirRefFrame */
  GPtrArray *works;          /* HirRefWork*: posts without a Wait so far */
  HirRefWork *group;         /* nullable: since a StartCoalescing */
  guint64 n_steps, limit;    /* number of executed instructions, and the limit at which it pauses */
  const HirExpr *blocked_on; /* nullable: the Wait in which it is blocked */
  guint i;                   /* index among all ranks */
  HirReferenceWatch watch;   /* nullable */
  gpointer watch_data;
  gboolean is_done;
} HirRefRank;

/* reference-host-store.c: returns a tensor of @shape with new, poisoned memory. */
HirValue *hir_ref_host_realize (const HirValue *shape, GError **error);
/* Returns a copy of the elements in row-major order. */
HirRefTensor *hir_ref_host_gather (const HirValue *value, GError **error);
/* Writes the elements of @from, of equal count, to @value. */
gboolean hir_ref_host_scatter (const HirValue *value, const HirRefTensor *from, GError **error);
/* Returns a copy of a tensor in host memory. */
HirValue *hir_ref_host_load (const HirValue *value, GError **error);

/* reference-host-op.c: executes a tensor op. */
gboolean hir_ref_host_compute (HirRefRank *rank, const HirExpr *expr, GError **error);
/* Executes a HostUnit. */
gboolean hir_ref_host_post_unit (HirRefRank *rank, const HirExpr *expr, GError **error);

/* reference-host-comm.c: creates the posts of all ranks. */
HirRefWorld *hir_ref_world_new (void);
/* Frees @world. */
void hir_ref_world_free (HirRefWorld *world);
/* Frees @work. */
void hir_ref_work_free (HirRefWork *work);
/* Posts a Communication, CollectivePermute or P2P, or starts or ends a group. */
gboolean hir_ref_host_post (HirRefRank *rank, const HirExpr *expr, GError **error);
/* Executes a Wait. Sets *@ready to FALSE and changes nothing if another rank must continue
 * first. */
gboolean hir_ref_host_wait (HirRefRank *rank, const HirExpr *wait, gboolean *ready, GError **error);

G_END_DECLS
