import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { companionTexts, withoutTexts } from './companions.ts'
import { importsOf } from './project/imported-files.ts'
import { capital, namesOf } from './read/names.ts'

const root = join(import.meta.dirname, '../..')
const samples = globSync('app/*/companions.json', { cwd: root }).map((file) => basename(dirname(file)))

// Without a sample, the list of tests is empty, which vitest reports as a failure.
describe.skipIf(samples.length === 0)('the sample', () => {
  it.each(samples)('app/%s is imported only by its own files and app/resources.ts', (sample) => {
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

  it.each(samples)(
    'app/%s is mentioned only by its own files and in texts that are removed with it',
    (sample) => {
      const removed = new Map(companionTexts(root, namesOf(sample)))
      const textOf = (file: string) =>
        withoutTexts(readFileSync(join(root, file), 'utf8'), removed.get(file) ?? [])
      const word = new RegExp(`\\b(?:${sample}|${capital(namesOf(sample).one)})\\b`)
      const files = globSync('{app,views,e2e}/**/*.{ts,eta}', { cwd: root })
        .map((file) => file.replaceAll('\\', '/'))
        .filter((file) => !/^app\/(?:framework|db\/migrations|resources\.ts)/.test(file))
        .filter((file) => !new RegExp(`^(?:app|views|e2e)/${sample}[/.]`).test(file))
      expect(files.filter((file) => word.test(textOf(file)))).toEqual([])
    },
  )
})

/** Returns the code of a file without template literals, which may contain generated code. */
const codeOf = (file: string) => readFileSync(join(root, file), 'utf8').replaceAll(/`[^`]*`/g, '')
