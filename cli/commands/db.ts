import type { Command } from 'commander'

export function dbCommand(program: Command): void {
  const db = program.command('db').description('the database: DATABASE_URL, or the development Postgres')

  db.command('migrate')
    .description('bring the tables up to date')
    .action(async () => (await import('../db.ts')).migrateCommand())

  db.command('seed')
    .description('fill an empty database with the demo accounts and a thousand posts')
    .action(async () => (await import('../db.ts')).seedCommand())
}
