import type { Command } from 'commander'
import { examples } from '../../help.ts'

export function mcpCommand(program: Command): void {
  const command = program
    .command('mcp')
    .description('serve facts about this application to coding tools, over the Model Context Protocol')
    .option('--with-data', 'also serve rows of tables, and lines of the log')
    .action(async (options) => (await import('./serve-tools.ts')).mcpCommand(options))
  examples(command, 'mcp', 'mcp --with-data')
}
