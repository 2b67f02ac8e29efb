import { type Command, InvalidArgumentError } from 'commander'
import { examples } from '../help.ts'

export function dbCommand(program: Command): void {
  const db = program.command('db').description('the database: DATABASE_URL, or the development Postgres')
  examples(db, 'db prepare', 'db status', 'db rollback')
  for (const declare of [migrate, rollback, status, seed, prepare, reset, types]) declare(db)
}

const AS_JSON = ['--json', 'as JSON'] as const
const CONFIRM = ['--confirm <name>', 'the name of a database that is not local, or in production'] as const

function migrate(db: Command): void {
  const command = db
    .command('migrate')
    .description('bring the tables up to date')
    .option(...AS_JSON)
    .action(async (options) => (await import('../db/migrate.ts')).migrateCommand(options))
  examples(command, 'db migrate')
}

function rollback(db: Command): void {
  const command = db
    .command('rollback')
    .argument('[n]', 'how many, the last one first', wholeNumber, 1)
    .description('undo the last migrations')
    .option(...CONFIRM)
    .option(...AS_JSON)
    .action(async (n, options) => (await import('../db/rollback.ts')).rollbackCommand(n, options))
  examples(command, 'db rollback', 'db rollback 2')
}

function status(db: Command): void {
  const command = db
    .command('status')
    .description('which migrations were run here, and which are still to come')
    .option(...AS_JSON)
    .action(async (options) => (await import('../db/status.ts')).statusCommand(options))
  examples(command, 'db status', "db status --json | jq '.[] | select(.executed_at == null)'")
}

function seed(db: Command): void {
  const command = db
    .command('seed')
    .description('fill an empty database with the demo accounts and examples')
    .option(...AS_JSON)
    .action(async (options) => (await import('../db/seed.ts')).seedCommand(options))
  examples(command, 'db seed')
}

function prepare(db: Command): void {
  const command = db
    .command('prepare')
    .description('create the database if it is missing, migrate, and seed what is empty; does no harm twice')
    .option(...AS_JSON)
    .action(async (options) => (await import('../db/prepare.ts')).prepareCommand(options))
  examples(command, 'db prepare', 'db prepare --json')
}

function reset(db: Command): void {
  const command = db
    .command('reset')
    .description('drop the database and everything in it, then prepare it anew')
    .option(...CONFIRM)
    .option(...AS_JSON)
    .action(async (options) => (await import('../db/reset.ts')).resetCommand(options))
  examples(command, 'db reset', 'db reset --confirm pergola_staging')
}

function types(db: Command): void {
  const command = db
    .command('types')
    .argument('[table]', 'only this table')
    .description('the table types that the database asks for')
    .option('--check', 'compare them with those of the code; 1 when they differ')
    .option('--json', 'with --check: the differences as JSON')
    .action(async (table, options) => (await import('../db/types.ts')).typesCommand(table, options))
  examples(command, 'db types posts', 'db types --check')
}

function wholeNumber(given: string): number {
  if (/^[1-9]\d{0,3}$/.test(given)) return Number(given)
  throw new InvalidArgumentError('Give a whole number from 1 on.')
}
