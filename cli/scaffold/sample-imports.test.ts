import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { importsOf } from './project/imported-files.ts'

const root = join(import.meta.dirname, '../..')
const samples = globSync('app/*/companions.json', { cwd: root }).map((file) => basename(dirname(file)))

// Without a sample vitest would miss the tests of it.
describe.skipIf(samples.length === 0)('the sample', () => {
  it.each(samples)('app/%s is imported by its own files and app/resources.ts alone', (sample) => {
    const files = globSync('{app,cli,e2e}/**/*.ts', {
      cwd: root,
      exclude: ['**/node_modules', `app/${sample}`],
    }).map((file) => file.replaceAll('\\', '/'))
    expect(files.length).toBeGreaterThan(100)
    const importers = files.filter((file) =>
      importsOf(file, codeOf(file)).some((path) => path.startsWith(`app/${sample}/`)),
    )
    expect(importers).toEqual(['app/resources.ts'])
  })
})

/** A file without the code that stands in its strings. */
const codeOf = (file: string) => readFileSync(join(root, file), 'utf8').replaceAll(/`[^`]*`/g, '')
