import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Kysely, sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import type { Tables } from 'pergola'
import { testDatabase } from 'pergola/testing'
import { runCli } from '../test-support/run-cli.ts'
import { isUntouched, scaffoldNamed } from './project/record.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const sample = existsSync(join(root, 'app/posts/companions.json')) ? scaffoldNamed(root, 'post') : null

describe.skipIf(sample === null)('the sample', () => {
  it('equals the output of the command in the README', async () => {
    const [, command = ''] = /^npx cli scaffold (post .*)$/m.exec(read('README.md')) ?? []
    const words = command.replaceAll("'", '').split(' ')
    const { code, stdout } = await runCli(['scaffold', ...words, '--dry-run', '--json'])
    const { files } = JSON.parse(stdout) as { files: { path: string; verb: string }[] }
    expect([code, files.filter(({ verb }) => verb !== 'same')]).toEqual([0, []])
    expect(files.map(({ path }) => path)).toEqual(
      expect.arrayContaining([...Object.keys(sample?.scaffold.files ?? {}), 'app/resources.ts']),
    )
  })

  it.each(globSync('app/db/migrations/*_index_*.ts', { cwd: root }))(
    'succeeds if the indexes of %s already exist or are gone',
    async (path) => {
      const { db, statements } = await testDatabase()
      const { up, down } = (await import(pathToFileURL(join(root, path)).href)) as Record<
        'up' | 'down',
        (db: Kysely<Tables>) => Promise<void>
      >
      await up(db)
      await down(db)
      await down(db)
      await up(db)
      expect(statements.length).toBeGreaterThan(5)
    },
  )

  it.each(globSync('app/db/migrations/*_index_*.ts', { cwd: root }))(
    'has no search indexes after %s without the right to create their extension',
    async (path) => {
      const { db } = await testDatabase()
      const { up } = (await import(pathToFileURL(join(root, path)).href)) as {
        up: (db: Kysely<Tables>) => Promise<void>
      }
      await sql`drop extension pg_trgm cascade`.execute(db)
      for (const subject of ['table users', 'table posts', 'schema public'])
        await sql`alter ${sql.raw(subject)} owner to pg_monitor`.execute(db)
      await db.transaction().execute(async (transaction) => {
        await sql`set local role pg_monitor`.execute(transaction)
        await up(transaction)
      })
      const { rows } = await sql`select from pg_indexes where indexname like '%_search'`.execute(db)
      expect(rows).toEqual([])
      // A role with this right creates them.
      await up(db)
      const created = await sql`select from pg_indexes where indexname like '%_search'`.execute(db)
      expect(created.rows.length).toBeGreaterThan(0)
    },
  )

  it('has a digest for each of these files, so that it can grow', () => {
    const paths = Object.keys(sample?.scaffold.files ?? {})
    expect(paths.length).toBeGreaterThan(12)
    expect(paths.filter((path) => sample && !isUntouched(sample.scaffold, path, read(path)))).toEqual([])
  })
})
