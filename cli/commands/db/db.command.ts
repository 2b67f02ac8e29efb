import { type Command, InvalidArgumentError } from 'commander'
import { examples } from '../../help.ts'
import { ONLY_SHARD, SHARD } from '../../shard-option.ts'

export function dbCommand(program: Command): void {
  const db = program.command('db').description('manage the database: DATABASE_URL, or the embedded Postgres')
  examples(db, 'db prepare', 'db status', 'db rollback')
  for (const declare of [migrate, rollback, status, seed, prepare, reset, types]) declare(db)
}

const AS_JSON = ['--json', 'print JSON'] as const
const CONFIRM = [
  '--confirm <name>',
  'the name of the database, required in production or if it is not local',
] as const

function migrate(db: Command): void {
  const command = db
    .command('migrate')
    .description('run the pending migrations')
    .option(...ONLY_SHARD)
    .option(...AS_JSON)
    .action(async (options) => (await import('./migrate.ts')).migrateCommand(options))
  examples(command, 'db migrate')
}

function rollback(db: Command): void {
  const command = db
    .command('rollback')
    .argument('[n]', 'the number of migrations', wholeNumber, 1)
    .description('roll back the last migrations')
    .option(...CONFIRM)
    .option(...SHARD)
    .option(...AS_JSON)
    .action(async (n, options) => (await import('./rollback.ts')).rollbackCommand(n, options))
  examples(command, 'db rollback', 'db rollback 2')
}

function status(db: Command): void {
  const command = db
    .command('status')
    .description('list the migrations, and when they ran')
    .option(...ONLY_SHARD)
    .option(...AS_JSON)
    .action(async (options) => (await import('./status.ts')).statusCommand(options))
  examples(command, 'db status', "db status --json | jq '.[] | select(.executed_at == null)'")
}

function seed(db: Command): void {
  const command = db
    .command('seed')
    .description('insert the demo accounts and example records into empty tables')
    .option(...ONLY_SHARD)
    .option(...AS_JSON)
    .action(async (options) => (await import('./seed.ts')).seedCommand(options))
  examples(command, 'db seed')
}

function prepare(db: Command): void {
  const command = db
    .command('prepare')
    .description(
      'create the database if it does not exist, migrate it, and seed empty tables; safe to repeat',
    )
    .option(...ONLY_SHARD)
    .option(...AS_JSON)
    .action(async (options) => (await import('./prepare.ts')).prepareCommand(options))
  examples(command, 'db prepare', 'db prepare --json')
}

function reset(db: Command): void {
  const command = db
    .command('reset')
    .description('drop the database with all its data, then create, migrate and seed it')
    .option(...CONFIRM)
    .option(...SHARD)
    .option(...AS_JSON)
    .action(async (options) => (await import('./reset.ts')).resetCommand(options))
  examples(command, 'db reset', 'db reset --confirm pergola_staging')
}

function types(db: Command): void {
  const command = db
    .command('types')
    .argument('[table]', 'only this table')
    .description('print the TypeScript types of the tables')
    .option('--check', 'compare them with the types in the code; exit code 1 if they differ')
    .option(...SHARD)
    .option('--json', 'with --check: print the differences as JSON')
    .action(async (table, options) => (await import('./types.ts')).typesCommand(table, options))
  examples(command, 'db types posts', 'db types --check')
}

function wholeNumber(text: string): number {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Expected a whole number greater than 0.')
}
