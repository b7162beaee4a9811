/* Hand-written host programs of several ranks, and a machine that runs them. */
#pragma once

#include "fake-wire.h"
#include "program-builder.h"
#include "run/comm/comm-local.h"

G_BEGIN_DECLS

#define MAX_RANKS 8

/* Transport between ranks: threads, or simulated MPI processes (fake-wire.h). */
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

/* @programs: one per rank. Each task is delayed by a random time of at most @max_delay_us. The MPI
 * timeout is 2 s. */
void cluster_init (
    Cluster *cluster, ClusterKind kind, int n, HirContainer *const *programs, guint max_delay_us);
void cluster_clear (Cluster *cluster);
/* Runs each program on a separate thread. @inputs[rank] are its inputs (NULL: none). Returns the
 * first error, or NULL. */
GError *cluster_run (Cluster *cluster, HirValue *const *const *inputs, guint n_inputs);

/* Returns a mesh in the program's arena. */
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
