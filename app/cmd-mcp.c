/* Implements `hirscope mcp`: serves the Model Context Protocol. */
#include "config.h"

#include "command.h"

#if HIR_HAVE_MCP
#include "mcp-server.h"
#endif

static int
serve (gboolean allow_run)
{
#if HIR_HAVE_MCP
  hir_mcp_server_run (allow_run);
  return HIR_EXIT_DONE;
#else
  return hir_command_fail ("this build has no Model Context Protocol; rebuild with json-glib 1.6");
#endif
}

static int
run (const HirCommand *command, int argc, char **argv)
{
  g_auto (GStrv) rest = NULL;
  gboolean allow_run = FALSE;
  const GOptionEntry entries[] = {
    { "allow-run", 0, 0, G_OPTION_ARG_NONE, &allow_run,
      "also serve the tool run, which executes programs and\nwrites recordings", NULL },
    { NULL },
  };
  const HirOptionSection sections[] = { { "Options", entries } };
  int code;

  if (!hir_command_parse (command, sections, G_N_ELEMENTS (sections), argc, argv, &rest, &code))
    return code;
  if (rest[0] != NULL)
    return hir_command_fail ("hirscope mcp takes no arguments, not '%s'; see hirscope mcp --help",
                             rest[0]);
  return serve (allow_run);
}

const HirCommand hir_command_mcp = {
  .name = "mcp",
  .group = "Analyze",
  .arguments = "",
  .summary = "serve agents the analyses (Model Context Protocol)",
  .description =
      "Serves the Model Context Protocol on standard input and output, so that an agent can lower\n"
      "programs, check them, analyze traces, query them by SQL, and get images of timelines and\n"
      "graphs. Each call runs a command of hirscope as a child process. Programs are executed\n"
      "only with --allow-run. The server ends with its standard input. docs/mcp.md describes the\n"
      "tools and how to register the server.",
  .examples = "hirscope mcp\n"
              "claude mcp add hirscope -- hirscope mcp --allow-run",
  .run = run,
};
