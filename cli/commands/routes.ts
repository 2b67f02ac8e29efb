import { type Command, Option } from 'commander'
import { examples } from '../help.ts'

export function routesCommand(program: Command): void {
  const routes = program
    .command('routes')
    .description('who may reach what, as in production')
    .enablePositionalOptions()
    .option('--json', 'as JSON')
    .option('--method <method>', 'only this method')
    .option('--path <prefix>', 'only below this path')
    .addOption(
      new Option('--access <kind>', 'only these').choices(['public', 'gated', 'framework', 'unclassified']),
    )
    .option('--role <name>', 'only what this role opens')
    .option('--resource <name>', 'only what decides about this resource')
    .addOption(
      new Option('--info <request...>', "what becomes of one request: --info 'GET /posts/7'").conflicts(
        'json',
      ),
    )
    .action(async (options) => (await import('../routes.ts')).routesCommand(options))

  examples(routes, 'routes --access public', "routes --info 'GET /posts/7'", 'routes audit')

  const audit = routes
    .command('audit')
    .description('what a reviewer should look at; exit code 1 when a route is in no table')
    .option('--json', 'the manifest')
    .addOption(
      new Option('--check', 'compare with security.manifest.json').conflicts(['write', 'diff', 'json']),
    )
    .addOption(new Option('--write', 'renew security.manifest.json').conflicts(['diff', 'json']))
    .addOption(
      new Option(
        '--diff <file>',
        'what got wider since this manifest (- is stdin); 1 when something did',
      ).conflicts('json'),
    )
    .action(async (options) => (await import('../routes.ts')).auditCommand(options))
  examples(audit, 'routes audit --check', 'routes audit --write')
}
