import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Command, Option } from 'commander'

const root = join(import.meta.dirname, '..')
process.chdir(root)
// First, since it may say which profile this machine has.
if (process.env.NODE_ENV !== 'test' && existsSync('.env')) process.loadEnvFile()
process.env.NODE_ENV ??= 'development'

const program = new Command('cli')
  .description('Pergola on the command line')
  .showHelpAfterError()
  // Options belong to the command that they follow: `--json` after `audit` is the audit's.
  .enablePositionalOptions()
const db = program.command('db').description('the database: DATABASE_URL, or the development Postgres')

db.command('migrate')
  .description('bring the tables up to date')
  .action(async () => (await import('./db.ts')).migrateCommand())

db.command('seed')
  .description('fill an empty database with the demo accounts and a thousand posts')
  .action(async () => (await import('./db.ts')).seedCommand())

const routes = program
  .command('routes')
  .description('who may reach what, as in production')
  .enablePositionalOptions()
  // 1 is a finding of the audit; 2 says that the command can't be read.
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
  .option('--json', 'as JSON')
  .option('--method <method>', 'only this method')
  .option('--path <prefix>', 'only below this path')
  .addOption(
    new Option('--access <kind>', 'only these').choices(['public', 'gated', 'framework', 'unclassified']),
  )
  .option('--role <name>', 'only what this role opens')
  .option('--resource <name>', 'only what decides about this resource')
  .addOption(
    new Option('--info <request...>', "what becomes of one request: --info 'GET /posts/7'").conflicts('json'),
  )
  .action(async (options) => (await import('./routes.ts')).routesCommand(options))

routes
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
  .action(async (options) => (await import('./routes.ts')).auditCommand(options))

const task = program.command('task').description('what is done now and then, by hand')

task
  .command('grant-role')
  .description('give somebody who signed up a role, as for the first admin')
  .requiredOption('--email <address>', 'the address they sign in with')
  .requiredOption('--role <role>', 'the role, like admin')
  .action(async (given: { email: string; role: string }) =>
    (await import('./task.ts')).grantRoleCommand(given),
  )

try {
  await program.parseAsync()
} catch (error) {
  const { message, cause } = error as Error
  console.error([message, cause].filter(Boolean).join(': '))
  process.exitCode = 1
}
