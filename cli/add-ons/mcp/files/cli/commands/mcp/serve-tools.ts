import { McpServer } from '@modelcontextprotocol/server'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'
import { readConfig } from '#app/config.ts'
import { Exit, EXIT } from '../../exit.ts'
import { toolsFor } from './tools.ts'

interface McpOptions {
  withData?: boolean
}

/** Serves the tools over stdin and stdout until stdin ends. They change nothing. */
export async function mcpCommand({ withData = false }: McpOptions): Promise<void> {
  const { app, profile } = readConfig()
  if (profile === 'production') throw new Exit(EXIT.usage, 'The tools are for development only.')
  const server = new McpServer(
    { name: app.name, version: '1.0.0' },
    { instructions: 'Facts about this application. Read AGENTS.md first. No tool changes anything.' },
  )
  for (const [name, { description, input, run }] of Object.entries(toolsFor(withData)))
    server.registerTool(
      name,
      { description, inputSchema: z.object(input), annotations: { readOnlyHint: true } },
      async (values) => ({ content: [{ type: 'text', text: await run(values) }] }),
    )
  const ended = new Promise((resolve) => process.stdin.once('end', resolve))
  await server.connect(new StdioServerTransport())
  await ended
}
