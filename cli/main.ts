import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'

const root = join(import.meta.dirname, '..')
process.chdir(root)
// First, since it may say which profile this machine has.
if (process.env.NODE_ENV !== 'test' && existsSync('.env')) process.loadEnvFile()
process.env.NODE_ENV ??= 'development'

const program = new Command('cli').description('Pergola on the command line').showHelpAfterError()
const db = program.command('db').description('the database: DATABASE_URL, or the development Postgres')

db.command('migrate')
  .description('bring the tables up to date')
  .action(async () => (await import('./db.ts')).migrateCommand())

db.command('seed')
  .description('fill an empty database with the demo accounts and a thousand posts')
  .action(async () => (await import('./db.ts')).seedCommand())

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
