import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const samples = globSync('app/*/companions.json', { cwd: root }).map((file) => basename(dirname(file)))

describe('the sample', () => {
  it.each(samples)('app/%s is imported by its own files and app/resources.ts alone', (sample) => {
    const importing = new RegExp(String.raw`from '(?:#app|\.|\.\.)(?:/app|/\.\.)*/${sample}/`)
    const files = globSync('{app,cli,e2e}/**/*.ts', {
      cwd: root,
      exclude: ['**/node_modules', `app/${sample}`],
    })
    const others = files.filter((file) => file !== 'app/resources.ts')
    expect(others.filter((file) => importing.test(codeOf(file)))).toEqual([])
  })
})

/** A file without the code that stands in its strings. */
const codeOf = (file: string) => readFileSync(join(root, file), 'utf8').replaceAll(/`[^`]*`|"[^"\n]*"/g, '')
