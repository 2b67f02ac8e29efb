import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { createDatabase, databaseUrl } from 'pergola/lab'
import { catalogOf } from '../../test-support/catalog.ts'
import { expectCleanCode, expectDone } from '../../test-support/expect-done.ts'
import { cloneOf, runIn } from '../../test-support/run-in.ts'
import { schemaNamed } from '../../test-support/stored-schema.ts'
import { root } from '../../test/tools.ts'
import { scaffoldsIn } from '../project/record.ts'
import type { TableLine } from './from-schema.ts'

// `npm run pergola -- test:scaffold`: all tables of two schemas, each in a clone of the last commit.
const scratch = mkdtempSync(join(tmpdir(), 'scaffold-tables-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

describe.each(['pagila', 'northwind'] as const)('%s', (schema) => {
  const clone = join(scratch, schema)
  const database = `${inject('databases').prefix}${schema}`
  const url = databaseUrl(inject('databases').adminUrl, database)
  const run = (program: string, args: readonly string[]) =>
    runIn(clone, { program, args: [...args], env: { DATABASE_URL: url } })
  const cli = (...words: string[]) => run('cli/bin.js', words)
  const tool = (file: string, ...words: string[]) => run(join('node_modules', file), words)
  const linesNow = async () => JSON.parse(await cli('scaffold', '--from-schema', '--json')) as TableLine[]
  const execute = async (text: string) => {
    const client = new Client({ connectionString: url })
    await client.connect()
    try {
      await client.query(text)
    } finally {
      await client.end()
    }
  }
  const before: { catalog: string[] } = { catalog: [] }

  beforeAll(async () => {
    await cloneOf(root, clone)
    await createDatabase(inject('databases').adminUrl, database)
    await cli('db', 'migrate')
    await execute(schemaNamed(schema))
  })

  it('needs at most five decisions: to adapt tables, and one for each remedy', async () => {
    const sentences = (await linesNow()).flatMap((line) => line.sentences)
    const remedies = sentences.flatMap((sentence) => /: (alter table .*)$/.exec(sentence)?.[1] ?? [])
    expect(1 + remedies.length).toBeLessThanOrEqual(5)
    for (const remedy of remedies) await execute(remedy)
    before.catalog = await catalogOf(url)
  })

  it('scaffolds all tables that are not joins or views', async () => {
    const lines = await linesNow()
    const left = lines.filter(({ command }) => command === null).flatMap(({ sentences }) => sentences)
    for (const sentence of left) expect(sentence).toMatch(/ is a view, | joins \w+ and \w+: /)
    for (const { command } of lines) if (command !== null) await cli(...command.split(' ').slice(2))
    expect((await linesNow()).every(({ command }) => command === null)).toBe(true)
  })

  it('passes the formatter, the linter and the compiler', async () => {
    await expectCleanCode(tool)
  })

  it('has the types of the database, and no unguarded route', async () => {
    await expectDone(cli('db', 'types', '--check'))
    await expectDone(cli('routes', 'audit', '--check'))
  })

  it('passes the generated tests', async () => {
    const folders = scaffoldsIn(clone).map(({ names }) => `app/${names.folder}/`)
    await expectDone(tool('vitest/vitest.mjs', 'run', ...folders, 'app/test/probe.test.ts'))
  })

  it('restores the tables and the files with destroy', async () => {
    const created = scaffoldsIn(clone).filter(({ names }) => names.resource !== 'Post')
    const newest = ({ scaffold: { files } }: (typeof created)[number]) =>
      Object.keys(files).find((path) => path.includes('_adopt_')) ?? ''
    const inOrder = created.toSorted((one, other) => (newest(one) < newest(other) ? 1 : -1))
    for (const { names } of inOrder) await cli('destroy', names.file)
    expect(await catalogOf(url)).toEqual(before.catalog)
    expect(await runIn(clone, { program: 'git', args: ['status', '--porcelain'] })).toBe('')
  })
})
