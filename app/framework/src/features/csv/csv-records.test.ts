import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { type CsvOptions, csvRecords } from './csv-records.ts'

const folder = mkdtempSync(join(tmpdir(), 'csv-'))
afterAll(() => rmSync(folder, { recursive: true }))
const path = join(folder, 'file.csv')
const columns = ['name', 'note'] as const
const warned: string[] = []
beforeEach(() => void (warned.length = 0))
const warn = (line: string) => void warned.push(line)

const walkOf = (content: string | Buffer, options: Partial<CsvOptions<'name' | 'note'>> = {}) => {
  writeFileSync(path, content)
  return csvRecords(path, { columns, warn, ...options })
}

async function read(content: string | Buffer, options: Partial<CsvOptions<'name' | 'note'>> = {}) {
  const walk = walkOf(content, options)
  const batches = await Array.fromAsync(walk)
  return { walk, records: batches.flat() }
}

const numbered = (count: number) =>
  ['name,note', ...Array.from({ length: count }, (_, index) => `Name ${index + 1},Note`)].join('\n')

describe('csvRecords', () => {
  it('reads a byte order mark, either line end, blank lines, and columns in any order and case', async () => {
    const lines = ['Note,NAME', '"Two\r\nlines with ""quotes""","Hops, again"', '', ',Draft']
    const { records, walk } = await read(`\ufeff${lines.join('\r\n')}\r\n`)
    expect(records).toEqual([
      { line: 2, values: { name: 'Hops, again', note: 'Two\r\nlines with "quotes"' } },
      { line: 5, values: { name: 'Draft', note: '' } },
    ])
    expect([walk.accepted, walk.refused, warned]).toEqual([2, 0, []])
  })

  it('rejects malformed records with their line and the reason, and reads the others', async () => {
    const content = Buffer.concat([
      Buffer.from('name,note\nGood,"Two\nlines"\nT\n'), // 4
      Buffer.concat([Buffer.from('T'), Buffer.of(0xff), Buffer.from(',N\n')]), // 5
      Buffer.from('T,No\0te\nT,"Note\nT,N,more\nGood too,N\n'), // 6, 7, 8
    ])
    const { records, walk } = await read(content)
    expect(records.map(({ values }) => values.name)).toEqual(['Good', 'Good too'])
    expect(warned).toEqual([
      'line 4: it has 1 field instead of 2',
      'line 5: it is not UTF-8',
      'line 6: it contains a zero byte',
      'line 7: a quote is opened and not closed',
      'line 8: it has 3 fields instead of 2',
    ])
    expect([walk.accepted, walk.refused]).toEqual([2, 5])
  })

  it('lets the caller reject records, and warns in the order of the file', async () => {
    const walk = walkOf('name,note\nA,1\nB\nC,3\n')
    for await (const rows of walk)
      for (const row of rows) if (row.values.name === 'A') walk.refuse(row, 'A is taken')
    expect(warned).toEqual(['line 2: A is taken', 'line 3: it has 1 field instead of 2'])
    expect([walk.accepted, walk.refused, walk.progress()]).toEqual([1, 2, { rows: 1, share: 1 }])
  })

  it('warns about a hundred records, and counts them all', async () => {
    const { walk } = await read(['name,note', ...Array.from({ length: 1_250 }, () => 'T')].join('\n'))
    expect(warned).toHaveLength(101)
    expect(warned.at(-1)).toBe('Further malformed lines are counted but not listed.')
    expect(walk.refused).toBe(1_250)
  })

  it.each([
    ['name', 'has too few columns'],
    ['name,note,id', 'has one too many'],
    ['name,name', 'has one twice'],
    ['name;note', 'has semicolons between them'],
    ['', 'is empty'],
    ['"name', 'is not closed'],
    ['name,"note"\r"T",', 'ends as on an old Macintosh'],
  ])('rejects a file whose first line %j %s', async (header) => {
    await expect(read(`${header}\nT,N`)).rejects.toThrow('must name the columns name, note')
  })

  it('rejects a folder and a pipe, without waiting for a writer', async () => {
    const pipe = join(folder, 'pipe.csv')
    execFileSync('mkfifo', [pipe])
    const walk = (file: string) => Array.fromAsync(csvRecords(file, { columns }))
    await expect(walk(folder)).rejects.toThrow('is a folder')
    await expect(walk(pipe)).rejects.toThrow('is a pipe or a device')
    await expect(walk(join(folder, 'missing.csv'))).rejects.toThrow('ENOENT')
  })

  it('resumes after the batch of the given position, with its counts', async () => {
    const content = `${numbered(1_200)}\nbad\n`
    const names: string[] = []
    const stop = new AbortController()
    const first = walkOf(content, { signal: stop.signal })
    const stopped = (async () => {
      for await (const rows of first) {
        names.push(...rows.map(({ values }) => values.name))
        stop.abort()
      }
    })()
    await expect(stopped).rejects.toThrow('aborted')
    expect([names.length, first.accepted]).toEqual([500, 500])
    const { records, walk } = await read(content, { position: first.position })
    names.push(...records.map(({ values }) => values.name))
    expect(names).toEqual(Array.from({ length: 1_200 }, (_, index) => `Name ${index + 1}`))
    expect([walk.accepted, walk.refused]).toEqual([1_200, 1])
  })

  it('rejects a position in a file that has changed', async () => {
    const walk = walkOf(numbered(1_200))
    for await (const _ of walk) break
    appendFileSync(path, '\nMore,N')
    const resumed = csvRecords(path, { columns, position: walk.position })
    await expect(Array.fromAsync(resumed)).rejects.toThrow(
      'The file has changed since it was read up to line 502',
    )
  })
})
