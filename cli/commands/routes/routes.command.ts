import { type Command, Option } from 'commander'
import { examples } from '../../help.ts'

export function routesCommand(program: Command): void {
  const routes = program
    .command('routes')
    .description('list the routes of production with their access rules')
    .enablePositionalOptions()
    .option('--json', 'print JSON')
    .option('--method <method>', 'only this method')
    .option('--path <prefix>', 'only paths that begin with this one')
    .addOption(
      new Option('--access <kind>', 'only this kind of access').choices([
        'public',
        'gated',
        'framework',
        'unclassified',
      ]),
    )
    .option('--role <name>', 'only routes for this role')
    .option('--resource <name>', 'only routes with a policy decision about this resource')
    .addOption(
      new Option(
        '--info <request...>',
        "explain how one request is handled: --info 'GET /posts/7'",
      ).conflicts('json'),
    )
    .action(async (options) => (await import('./routes.ts')).routesCommand(options))

  examples(routes, 'routes --access public', "routes --info 'GET /posts/7'", 'routes audit')

  const audit = routes
    .command('audit')
    .description('print a summary for reviewers; exit code 1 if a route is not in a route table')
    .option('--json', 'print the manifest as JSON')
    .addOption(
      new Option('--check', 'compare with security.manifest.json').conflicts(['write', 'diff', 'json']),
    )
    .addOption(new Option('--write', 'update security.manifest.json').conflicts(['diff', 'json']))
    .addOption(
      new Option(
        '--diff <file>',
        'compare with this manifest (- for stdin); exit code 1 if access became wider',
      ).conflicts('json'),
    )
    .action(async (options) => (await import('./routes.ts')).auditCommand(options))
  examples(audit, 'routes audit --check', 'routes audit --write')
}
