/* The tables of Nsight Systems that become events, and those that are ignored. */
#pragma once

#include "trace/nsight/nsys-db.h"
#include "trace/trace.h"

G_BEGIN_DECLS

/* The tracks that the events of a table are on. */
typedef enum
{
  HIR_NSYS_STREAM,
  HIR_NSYS_CALLS,
  HIR_NSYS_RANGES,
  HIR_NSYS_MPI,
  HIR_NSYS_OVERHEAD,
} HirNsysGroup;

typedef struct
{
  const char *name;  /* without the suffix of a version, "_V3" */
  const char *event; /* name of events that have none */
  HirEventKind kind;
  HirNsysGroup group;
  gboolean is_work; /* the processes in it used a device */
} HirNsysTable;

/* A table in a database. */
typedef struct
{
  char *name;
  const HirNsysTable *table;
} HirNsysSource;

/* Returns the tables of @db that become events, of all versions: those of devices first.
 * Returns: (transfer full): array of HirNsysSource */
GArray *hir_nsys_tables_find (HirNsysDb *db);
/* Adds to the account the tables of @db that contain data and are not read. */
void hir_nsys_tables_write_ignored (HirNsysDb *db, HirTraceBuilder *builder);

G_END_DECLS
