/* Schema of the Nsight-compatible database that Hirscope exports and imports. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Additional columns at the end of each table of events. */
#define HIR_NSIGHT_EXTRA                                                                                     \
  "hirTrack INTEGER, hirKind INTEGER, hirName INTEGER, hirBytes INTEGER, hirFlops INTEGER, "                 \
  "hirInstruction INTEGER, hirIteration INTEGER, hirPhase INTEGER, hirCorrelation INTEGER, " HIR_NSIGHT_ARGS \
  " TEXT"
/* JSON members, with the category (trace/event-category.h) */
#define HIR_NSIGHT_ARGS "hirArgs"

#define HIR_NSIGHT_DEVICE                                                                          \
  "start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL, "                      \
  "contextId INTEGER NOT NULL, greenContextId INTEGER, streamId INTEGER NOT NULL, "                \
  "correlationId INTEGER, globalPid INTEGER, "

#define HIR_NSIGHT_SCHEMA                                                                                                                  \
  "CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);"                                                         \
  "CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT);"                                                                    \
  "CREATE TABLE ThreadNames (nameId INTEGER NOT NULL, priority INTEGER, globalTid INTEGER);"                                               \
  "CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER, utcTime TEXT, localTime "                                              \
  "TEXT);"                                                                                                                                 \
  "CREATE TABLE TARGET_INFO_GPU (vmId INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT, "                                                  \
  "totalMemory INTEGER, smCount INTEGER, computeMajor INTEGER, computeMinor INTEGER);"                                                     \
  "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (" HIR_NSIGHT_DEVICE                                                                            \
  "demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, mangledName INTEGER, "                                                      \
  "gridX INTEGER NOT NULL, gridY INTEGER NOT NULL, gridZ INTEGER NOT NULL, "                                                               \
  "blockX INTEGER NOT NULL, blockY INTEGER NOT NULL, blockZ INTEGER NOT NULL, "                                                            \
  "registersPerThread INTEGER NOT NULL, staticSharedMemory INTEGER NOT NULL, "                                                             \
  "dynamicSharedMemory INTEGER NOT NULL, " HIR_NSIGHT_EXTRA ");"                                                                           \
  "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (" HIR_NSIGHT_DEVICE                                                                            \
  "bytes INTEGER NOT NULL, copyKind INTEGER NOT NULL, srcKind INTEGER, dstKind INTEGER, " HIR_NSIGHT_EXTRA                                 \
  ");"                                                                                                                                     \
  "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (" HIR_NSIGHT_DEVICE                                                                            \
  "value INTEGER NOT NULL, bytes INTEGER NOT NULL, memKind INTEGER, " HIR_NSIGHT_EXTRA ");"                                                \
  "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (" HIR_NSIGHT_DEVICE                                                                   \
  "syncType INTEGER NOT NULL, eventId INTEGER NOT NULL, " HIR_NSIGHT_EXTRA ");"                                                            \
  "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL, "                                               \
  "eventClass INTEGER NOT NULL, globalTid INTEGER, correlationId INTEGER, "                                                                \
  "nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL, " HIR_NSIGHT_EXTRA ");"                                                          \
  "CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, "                                            \
  "text TEXT, globalTid INTEGER, textId INTEGER, " HIR_NSIGHT_EXTRA ");"                                                                   \
  "CREATE TABLE HIRSCOPE_COUNTERS (start INTEGER NOT NULL, end INTEGER NOT NULL, nameId INTEGER NOT NULL, "                                \
  "value REAL NOT NULL, " HIR_NSIGHT_EXTRA ");"                                                                                            \
  "CREATE TABLE HIRSCOPE_TRACKS (track INTEGER PRIMARY KEY, kind INTEGER, rank INTEGER, "                                                  \
  "device INTEGER, stream INTEGER, name TEXT);"                                                                                            \
  "CREATE TABLE HIRSCOPE_MEETINGS (key INTEGER, sequence INTEGER, side INTEGER, rank INTEGER, "                                            \
  "correlation INTEGER, bytes INTEGER, op INTEGER, dtype INTEGER, root INTEGER, "                                                          \
  "messageBytes INTEGER, inElements INTEGER, outElements INTEGER);"                                                                        \
  "CREATE TABLE HIRSCOPE_FLOWS (category INTEGER, name INTEGER, id INTEGER, phase TEXT, isEnclosed INTEGER, time INTEGER, track INTEGER);" \
  "CREATE TABLE HIRSCOPE_META (key TEXT, value TEXT);"                                                                                     \
  "CREATE TABLE HIRSCOPE_ACCOUNT (line TEXT);"

/* Process part of a global id of Nsight for @rank. The process id is rank + 1. */
#define HIR_NSIGHT_PID(rank) (((gint64) (rank) + 1) << 24)

G_END_DECLS
