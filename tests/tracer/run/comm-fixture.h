/* Host programs of several ranks, built by hand, and a machine that runs them. */
#pragma once

#include "fake-wire.h"
#include "program-builder.h"
#include "run/comm/comm-local.h"

G_BEGIN_DECLS

#define MAX_RANKS 8

/* How ranks reach each other: as threads, or as if they were processes under MPI (fake-wire.h). */
typedef enum
{
  CLUSTER_LOCAL,
  CLUSTER_MPI,
} ClusterKind;

/* Ranks with a CPU back end, a communicator and an evaluator each. */
typedef struct
{
  ClusterKind kind;
  int n;
  HirCommWorld *world; /* local */
  FakeHub *hub;        /* MPI */
  HirMpiModule *modules[MAX_RANKS];
  HirCommunicator *communicators[MAX_RANKS];
  HirBackend *backends[MAX_RANKS];
  HirEvaluator *evaluators[MAX_RANKS];
} Cluster;

/* @programs: one a rank. Each task is delayed at random by up to @max_delay_us. Over MPI the time-out
 * is two seconds. */
void cluster_init (Cluster *cluster,
                   ClusterKind kind,
                   int n,
                   HirContainer *const *programs,
                   guint max_delay_us);
void cluster_clear (Cluster *cluster);
/* Runs all programs, each on a thread of its own; @inputs[rank] are its inputs (nullable: none).
 * The first error, or NULL. */
GError *cluster_run (Cluster *cluster, HirValue *const *const *inputs, guint n_inputs);

/* A mesh in the program's arena. */
const HirMesh *mesh_of (HirContainer *program, guint n, const gint64 *devices);
HirTensor *tensor_on (
    HirContainer *program, HirDType dtype, const HirMesh *mesh, guint n, const gint64 *sizes);
HirExpr *put_communication (HirContainer *program,
                            HirScope *scope,
                            HirCommType type,
                            HirTensor *out,
                            HirTensor *in,
                            guint n_team,
                            const gint64 *team,
                            gint64 root,
                            HirBinaryOp op);
HirExpr *put_wait (HirContainer *program, HirScope *scope, HirExpr *of);
HirExpr *
put_p2p (HirContainer *program, HirScope *scope, gboolean is_send, HirTensor *buffer, gint64 peer);

G_END_DECLS
