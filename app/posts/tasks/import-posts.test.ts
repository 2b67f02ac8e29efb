import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { type RunOptions, runTask } from 'pergola/tasks'
import { withDatabase } from 'pergola'
import { testDatabase } from 'pergola/testing'
import { makeUser } from '#app/users/user.factory.ts'
import { posts } from '../post.repository.ts'
import { importPosts } from './import-posts.ts'

const { db } = await testDatabase()
const author = await withDatabase(db, () => makeUser())
const folder = mkdtempSync(join(tmpdir(), 'import-'))
afterAll(() => rmSync(folder, { recursive: true }))
const file = join(folder, 'posts.csv')
const HEADER = 'title,body,published,author'

const output: string[] = []
const warnings: string[] = []
beforeEach(async () => {
  output.length = 0
  warnings.length = 0
  await sql`delete from task_runs`.execute(db)
  await sql`delete from posts`.execute(db)
})

const run = (more: Partial<RunOptions> = {}) =>
  runTask(db, importPosts, {
    args: { file },
    dryRun: false,
    resume: false,
    starter: { started_by: 'a test', host: 'here', pid: process.pid },
    leaseSeconds: 30,
    signal: new AbortController().signal,
    output: { say: (line) => output.push(line), warn: (line) => warnings.push(line), progress: () => {} },
    ...more,
  })

const importing = (content: string | Buffer, more: Partial<RunOptions> = {}) => {
  writeFileSync(file, content)
  return run(more)
}

const titles = async () => {
  const rows = await withDatabase(db, () => posts.asSystem('test').findAll({}))
  return rows.map(({ title }) => title).toSorted()
}

const numbered = (count: number) =>
  [HEADER, ...Array.from({ length: count }, (_, at) => `Post ${at + 1},Body,true,${author.email}`)].join('\n')

describe('import-posts', () => {
  it('accepts a byte order mark, any line ending, columns in any order, and authors in any case', async () => {
    const lines = [
      'Author,published,title,body',
      `${author.email.toUpperCase()},yes,"Hops, again","Two\r\nlines with ""quotes"""`,
      '',
      `${author.email},,Draft,Body`,
    ]
    expect(await importing(`\ufeff${lines.join('\r\n')}\r\n`)).toMatchObject({ outcome: 'done' })
    expect(warnings).toEqual([])
    expect(output).toEqual(['Imported 2 posts, rejected 0 lines.'])
    const rows = await withDatabase(db, () => posts.asSystem('test').findAll({}))
    expect(rows.toSorted((one, other) => one.id - other.id)).toMatchObject([
      { title: 'Hops, again', body: 'Two\nlines with "quotes"', published: true, author_id: author.id },
      { title: 'Draft', published: false },
    ])
  })

  it('warns about each invalid line with its number and the reason, and stores the others', async () => {
    const ok = `Good,"Two\nlines",true,${author.email}`
    const content = Buffer.concat([
      Buffer.from(`${HEADER}\n${ok}\n`),
      Buffer.from(`,Body,true,${author.email}\n`), // 4
      Buffer.from(`${'x'.repeat(201)},Body,true,${author.email}\n`), // 5
      Buffer.from(`T,Body,true,nobody@example.test\n`), // 6
      Buffer.from(`T,Body,perhaps,${author.email}\n`), // 7
      Buffer.from(`T,Body,true\n`), // 8
      Buffer.concat([Buffer.from('T'), Buffer.of(0xff), Buffer.from(`,Body,true,${author.email}\n`)]), // 9
      Buffer.from(`T,Bo\0dy,true,${author.email}\n`), // 10
      Buffer.from(`T,"Body,true,${author.email}\n`), // 11
      Buffer.from(`Good too,Body,true,${author.email}\n`),
    ])
    expect(await importing(content)).toMatchObject({ outcome: 'done' })
    expect(warnings).toEqual([
      expect.stringMatching(/^line 4: title: /),
      expect.stringMatching(/^line 5: title: /),
      'line 6: author: no user with the email address "nobody@example.test"',
      'line 7: published: Use true or false.',
      'line 8: it has 3 fields instead of 4',
      'line 9: it is not UTF-8',
      'line 10: it contains a zero byte',
      'line 11: a quote is opened and not closed',
    ])
    expect(output).toEqual(['Imported 2 posts, rejected 8 lines.'])
    expect(await titles()).toEqual(['Good', 'Good too'])
  })

  it('prints the changes in a dry run, and stores nothing', async () => {
    expect(await importing(numbered(1_200), { dryRun: true })).toMatchObject({ outcome: 'done' })
    expect(output).toEqual(['Would import 1,200 posts, rejected 0 lines.'])
    expect(await titles()).toEqual([])
  })

  it('stores every line once, even if it is interrupted several times', async () => {
    writeFileSync(file, numbered(2_300))
    const stopAfterABatch = (resume: boolean) => {
      const stop = new AbortController()
      const progress = () => stop.abort()
      const terminal = { say: (line: string) => void output.push(line), warn: () => {}, progress }
      return run({ signal: stop.signal, resume, output: terminal })
    }
    expect(await stopAfterABatch(false)).toMatchObject({ outcome: 'interrupted' })
    expect(await stopAfterABatch(true)).toMatchObject({ outcome: 'interrupted' })
    expect(await run({ resume: true })).toMatchObject({ outcome: 'done' })
    expect(output).toEqual(['Imported 2,300 posts, rejected 0 lines.'])
    const imported = await titles()
    expect([imported.length, new Set(imported).size]).toEqual([2_300, 2_300])
  })
})
