import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterAll, describe, expect, it } from 'vitest'
import { EXIT } from '../exit.ts'
import { scaffoldNamed } from './project/record.ts'
import { confirmSamePlural } from './same-plural.ts'

const root = mkdtempSync(join(tmpdir(), 'same-plural-'))
afterAll(() => rmSync(root, { recursive: true }))
// The first of two folders belongs to the other resource.
write('news', ['new'], 'news')
write('news-items', ['news', '--plural', 'news_items'], 'news_items')
write('sheep', ['lamb', '--plural', 'sheep'], 'sheep')

function write(folder: string, command: string[], plural: string): void {
  mkdirSync(join(root, 'app', folder), { recursive: true })
  const record = { version: 1, command, plural, files: {} }
  writeFileSync(join(root, 'app', folder, 'scaffold.json'), JSON.stringify(record))
}

const terminal = (isTTY: boolean) => ({
  input: Object.assign(new PassThrough(), { isTTY }),
  output: new PassThrough(),
})

function answered(answer: string): Promise<void> {
  const streams = terminal(true)
  const confirmed = confirmSamePlural(root, 'sheep', streams)
  streams.input.write(`${answer}\n`)
  return confirmed
}

describe('confirmSamePlural', () => {
  it.each(['new', 'New', 'lamb', 'news', 'goat'])('asks nothing about %s', async (name) => {
    await expect(confirmSamePlural(root, name, terminal(false))).resolves.toBeUndefined()
  })

  it('asks about the plural of a resource that has another singular', async () => {
    await expect(answered('y')).resolves.toBeUndefined()
    await expect(answered('n')).rejects.toMatchObject({
      code: EXIT.usage,
      message: expect.stringContaining('sheep is the plural of Lamb, with the table sheep.') as string,
    })
  })
})

describe('scaffoldNamed', () => {
  it.each([
    ['news', undefined, 'News'],
    ['new', undefined, 'New'],
    ['sheep', undefined, 'Lamb'],
    ['sheep', 'flocks', undefined],
  ])('finds for %s with the plural %s: %s', (name, plural, resource) => {
    expect(scaffoldNamed(root, name, plural)?.names.resource).toBe(resource)
  })
})
