import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { fieldsOf, type RawRecord, readRecords } from './read-records.ts'

const folder = mkdtempSync(join(tmpdir(), 'records-'))
afterAll(() => rmSync(folder, { recursive: true }))
const path = join(folder, 'file.csv')

async function read(content: string | Buffer, from = { byte: 0, line: 1 }): Promise<RawRecord[]> {
  const bytes = Buffer.from(content)
  writeFileSync(path, bytes)
  return Array.fromAsync(readRecords(path, from, bytes.length))
}

const texts = (records: readonly RawRecord[]) =>
  records.map(({ line, bytes, problem }) => [line, problem ?? bytes.toString()])

describe('readRecords', () => {
  it('returns the line number of each record, also after fields of several lines and with both line ends', async () => {
    expect(texts(await read('a,b\n"x\ny\r\nz",1\r\nc,d\r\n\n"last"'))).toEqual([
      [1, 'a,b'],
      [2, '"x\ny\r\nz",1'],
      [5, 'c,d'],
      [6, ''],
      [7, '"last"'],
    ])
  })

  it('rejects only the first line if a quote is never closed', async () => {
    expect(texts(await read('a,"b\nc,d\ne,f\n'))).toEqual([
      [1, 'a quote is opened and not closed'],
      [2, 'c,d'],
      [3, 'e,f'],
    ])
  })

  it('rejects only the first line if a quote in a later line seems to close it', async () => {
    expect(texts(await read('a,"b\n"c",d\n"e",f'))).toEqual([
      [1, 'a closing quote is followed by text'],
      [2, '"c",d'],
      [3, '"e",f'],
    ])
  })

  it('rejects a quote in a field without quotes', async () => {
    expect(texts(await read('5" pipe,b\nc,d'))).toEqual([
      [1, 'a field without quotes contains a quote'],
      [2, 'c,d'],
    ])
  })

  it.each([
    ['without quotes', 'x'.repeat(900_000), 'the line is longer than 256 kB'],
    ['in quotes', `"${'x'.repeat(900_000)}"`, 'the line is longer than 256 kB'],
    ['of many lines', `"${'x\n'.repeat(200_000)}`, 'a quote is opened and not closed'],
  ])('rejects a record that is longer than 256 kB: one %s', async (_what, long, problem) => {
    const records = await read(`a,b\n${long}\nc,d\n`)
    expect(records[1]?.problem).toBe(problem)
    expect(records[1]?.bytes.length).toBeLessThanOrEqual(256 * 1_024)
    expect(records.at(-1)?.bytes.toString()).toBe('c,d')
  })

  it('reads the records that were written, from every position', { timeout: 60_000 }, async () => {
    const field = fc.string({
      unit: fc.constantFrom('a', 'é', '🌿', '"', ',', '\n', '\r', ' '),
      maxLength: 8,
    })
    const rows = fc.array(fc.array(field, { minLength: 2, maxLength: 3 }), { minLength: 1, maxLength: 12 })
    const lineEnd = fc.constantFrom('\n', '\r\n')
    await fc.assert(
      fc.asyncProperty(rows, lineEnd, fc.nat(11), async (rows, end, from) => {
        const content = rows
          .map((row) => row.map((value) => `"${value.replaceAll('"', '""')}"`).join(','))
          .join(end)
        const all = await read(content)
        expect(all.map(({ problem }) => problem)).toEqual(rows.map(() => null))
        expect(all.map(({ bytes }) => fieldsOf(bytes))).toEqual(rows)
        const start = all[from]
        if (start === undefined) return
        expect(texts(await read(content, start.next))).toEqual(texts(all.slice(from + 1)))
      }),
      { numRuns: 200 },
    )
  })
})
