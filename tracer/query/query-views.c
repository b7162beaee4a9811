/* The tables of `stats` as queries. tests/app/test-query.py compares both. */
#include <string.h>

#include "query/query.h"

/* Work of devices as stats counts it. */
#define WORK                                                                                       \
  "WITH work AS (\n"                                                                               \
  "  SELECT * FROM events\n"                                                                       \
  "  WHERE class IS NOT NULL AND phase = 'program' AND NOT is_left_out)"

static const char gpus[] =
    WORK ",\n"
         "points AS (\n"
         "  SELECT rank, device, start_ns AS at, class = 'computation' AS compute,\n"
         "    class = 'communication' AS comm, class = 'memcpy' AS copy, is_fused AS fused\n"
         "  FROM work UNION ALL\n"
         "  SELECT rank, device, end_ns, -(class = 'computation'), -(class = 'communication'),\n"
         "    -(class = 'memcpy'), -is_fused FROM work),\n"
         "steps AS (\n"
         "  SELECT rank, device, at, lead(at) OVER w - at AS ns, sum(compute) OVER w AS compute,\n"
         "    sum(comm) OVER w AS comm, sum(copy) OVER w AS copy, sum(fused) OVER w AS fused\n"
         "  FROM points\n"
         "  WINDOW w AS (PARTITION BY rank, device ORDER BY at ROWS UNBOUNDED PRECEDING)),\n"
         "sums AS (\n"
         "  SELECT rank, device, max(at) - min(at) AS total,\n"
         "    total(ns) FILTER (WHERE compute OR comm OR copy) AS busy,\n"
         "    total(ns) FILTER (WHERE compute) AS compute, total(ns) FILTER (WHERE comm) AS comm,\n"
         "    total(ns) FILTER (WHERE copy) AS copy, total(ns) FILTER (WHERE fused) AS fused,\n"
         "    total(ns) FILTER (WHERE comm AND NOT compute) AS exposed_comm,\n"
         "    total(ns) FILTER (WHERE copy AND NOT comm AND NOT compute) AS exposed_copy\n"
         "  FROM steps GROUP BY rank, device),\n"
         "counts AS (SELECT rank, device, count(*) AS events FROM work GROUP BY rank, device),\n"
         "devices AS (SELECT DISTINCT rank, device FROM tracks WHERE kind IN ('stream', 'link'))\n"
         "SELECT rank, device, coalesce(events, 0) AS events, coalesce(total, 0) AS total_ns,\n"
         "  coalesce(CAST(busy AS INTEGER), 0) AS busy_ns,\n"
         "  coalesce(total - CAST(busy AS INTEGER), 0) AS idle_ns,\n"
         "  coalesce(CAST(compute AS INTEGER), 0) AS computation_ns,\n"
         "  coalesce(CAST(exposed_comm AS INTEGER), 0) AS exposed_comm_ns,\n"
         "  coalesce(CAST(exposed_copy AS INTEGER), 0) AS exposed_memcpy_ns,\n"
         "  coalesce(CAST(comm AS INTEGER), 0) AS total_comm_ns,\n"
         "  coalesce(CAST(copy AS INTEGER), 0) AS total_memcpy_ns,\n"
         "  coalesce(CAST(fused AS INTEGER), 0) AS fused_ns,\n"
         "  100 * (comm - exposed_comm) / nullif(comm, 0) AS comm_overlap_percent\n"
         "FROM devices LEFT JOIN sums USING (rank, device) LEFT JOIN counts USING (rank, device)\n"
         "ORDER BY rank, device\n";

static const char kernels[] =
    WORK "\n"
         "SELECT name, kind AS class, count(*) AS count, sum(dur_ns) AS sum_ns,\n"
         "  CAST(sum(dur_ns) AS REAL) / count(*) AS mean_ns, min(dur_ns) AS min_ns,\n"
         "  percentile(dur_ns, 50) AS p50_ns, percentile(dur_ns, 99) AS p99_ns,\n"
         "  max(dur_ns) AS max_ns, coalesce(sum(size_bytes), 0) AS bytes,\n"
         "  coalesce(sum(flops), 0) AS flops\n"
         "FROM work GROUP BY name, kind\n"
         "ORDER BY sum_ns DESC, name, instr('kernel memcpy memset communication', kind)\n";

static const char collectives[] =
    "WITH messages AS (\n"
    "  SELECT max(r.id) AS last, min(e.id) AS a, max(e.id) AS b,\n"
    "    max(e.start_ns) - min(e.start_ns) AS start_skew,\n"
    "    max(e.end_ns) - min(e.end_ns) AS end_skew\n"
    "  FROM comm_records AS r JOIN events AS e ON e.id = r.event_id\n"
    "  WHERE r.sequence IS NOT NULL GROUP BY r.team, r.sequence\n"
    "  HAVING count(*) >= 2 AND min(e.phase = 'program')),\n"
    "matched AS (  -- a send and a receive between the same two events are one exchange\n"
    "  SELECT min(last) AS last, start_skew, end_skew FROM messages GROUP BY a, b),\n"
    "parts AS (\n"
    "  SELECT op, team, team_size, 1 AS is_event, dur_ns, transfer_ns, message_bytes,\n"
    "    busbw_gb_s / algbw_gb_s AS factor, busbw_gb_s, NULL AS start_skew, NULL AS end_skew\n"
    "  FROM collectives WHERE op IS NOT NULL AND phase = 'program' UNION ALL\n"
    "  SELECT r.event_op, r.event_team, r.event_team_size, 0, NULL, NULL, NULL, NULL, NULL,\n"
    "    start_skew, end_skew\n"
    "  FROM matched JOIN comm_records AS r ON r.id = last WHERE r.event_op IS NOT NULL),\n"
    "sums AS (\n"
    "  SELECT op, team, max(team_size) AS team_size, sum(is_event) AS n, sum(dur_ns) AS ns,\n"
    "    max(dur_ns) AS longest, max(factor) AS factor, count(start_skew) AS n_matched,\n"
    "    sum(message_bytes) FILTER (WHERE message_bytes > 0 AND transfer_ns > 0) AS bytes,\n"
    "    sum(transfer_ns) FILTER (WHERE message_bytes > 0 AND transfer_ns > 0) AS transfer,\n"
    "    min(message_bytes) FILTER (WHERE message_bytes > 0 AND transfer_ns > 0) AS least,\n"
    "    max(message_bytes) FILTER (WHERE message_bytes > 0 AND transfer_ns > 0) AS most,\n"
    "    min(busbw_gb_s) AS slowest, max(busbw_gb_s) AS fastest,\n"
    "    avg(start_skew) AS start_mean, max(start_skew) AS start_max, avg(end_skew) AS end_mean,\n"
    "    max(end_skew) AS end_max\n"
    "  FROM parts GROUP BY op, team)\n"
    "SELECT op AS name, team, coalesce(team_size, 0) AS group_size, n AS count,\n"
    "  coalesce(bytes, 0) AS bytes, coalesce(least, 0) AS message_bytes_min,\n"
    "  coalesce(most, 0) AS message_bytes_max, coalesce(ns, 0) AS sum_ns,\n"
    "  coalesce(CAST(ns AS REAL) / nullif(n, 0), 0) AS mean_ns, coalesce(longest, 0) AS max_ns,\n"
    "  iif(factor IS NULL, NULL, CAST(bytes AS REAL) / transfer) AS algbw_gbps,\n"
    "  CAST(bytes AS REAL) / transfer * factor AS busbw_gbps,\n"
    "  slowest AS busbw_min_gbps, fastest AS busbw_max_gbps, n_matched AS matched,\n"
    "  coalesce(start_mean, 0) AS start_skew_mean_ns, coalesce(start_max, 0) AS start_skew_max_ns,\n"
    "  coalesce(end_mean, 0) AS end_skew_mean_ns, coalesce(end_max, 0) AS end_skew_max_ns\n"
    "FROM sums ORDER BY sum_ns DESC, op, team\n";

static const char streams[] = WORK
    ",\n"
    "spans AS (\n"
    "  SELECT track, start_ns, end_ns, 1 AS work, 0 AS wait FROM work UNION ALL\n"
    "  SELECT track, start_ns, end_ns, 0, 1 FROM events\n"
    "  WHERE kind = 'sync' AND phase = 'program' AND NOT is_left_out),\n"
    "points AS (\n"
    "  SELECT track, start_ns AS at, work, wait FROM spans UNION ALL\n"
    "  SELECT track, end_ns, -work, -wait FROM spans),\n"
    "steps AS (\n"
    "  SELECT track, lead(at) OVER w - at AS ns, sum(work) OVER w AS work, sum(wait) OVER w AS wait\n"
    "  FROM points WINDOW w AS (PARTITION BY track ORDER BY at ROWS UNBOUNDED PRECEDING)),\n"
    "sums AS (\n"
    "  SELECT track, sum(ns) FILTER (WHERE work) AS busy,\n"
    "    sum(ns) FILTER (WHERE wait AND NOT work) AS waiting\n"
    "  FROM steps GROUP BY track),\n"
    "counts AS (SELECT track, count(*) AS events FROM work GROUP BY track),\n"
    "totals AS (\n"
    "  SELECT rank, device, max(end_ns) - min(start_ns) AS total FROM work\n"
    "  GROUP BY rank, device)\n"
    "SELECT t.rank, t.device, t.stream, t.name, coalesce(c.events, 0) AS events,\n"
    "  coalesce(busy, 0) AS busy_ns, coalesce(waiting, 0) AS waiting_ns,\n"
    "  coalesce(100.0 * busy / nullif(total, 0), 0.0) AS occupancy_percent\n"
    "FROM tracks AS t LEFT JOIN sums AS s ON s.track = t.id LEFT JOIN counts AS c ON c.track = t.id\n"
    "LEFT JOIN totals AS d ON d.rank = t.rank AND d.device = t.device\n"
    "WHERE t.kind IN ('stream', 'link')\n"
    "ORDER BY t.rank, t.device, t.kind = 'link', t.stream, t.id\n";

static const char queue_delay[] = WORK
    "\n"
    "SELECT count(queue_ns) AS count,\n"
    "  CAST(sum(queue_ns) AS REAL) / count(queue_ns) AS mean_ns,\n"
    "  coalesce(min(queue_ns), 0) AS min_ns, coalesce(percentile(queue_ns, 50), 0) AS p50_ns,\n"
    "  coalesce(percentile(queue_ns, 99), 0) AS p99_ns, coalesce(max(queue_ns), 0) AS max_ns\n"
    "FROM work\n";

static const HirQueryView views[] = {
  { "gpus", "busy, idle and exposed time of each device", gpus },
  { "kernels", "device work by name", kernels },
  { "collectives", "bandwidth and skew of communications by team", collectives },
  { "streams", "busy and waiting time of each stream", streams },
  { "queue_delay", "delay from the end of a launch to the start of its work", queue_delay },
  { NULL, NULL, NULL },
};

const HirQueryView *
hir_query_get_views (void)
{
  return views;
}

const HirQueryView *
hir_query_lookup_view (const char *name)
{
  for (const HirQueryView *view = views; view->name != NULL; view++)
    if (strcmp (view->name, name) == 0)
      return view;
  return NULL;
}
