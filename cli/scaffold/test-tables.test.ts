import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')

/** Returns the tables and the policies that the tests of the application add to its types. */
function declaredInTests(): string[] {
  const texts = globSync('app/test/**/*.ts', { cwd: root }).map((path) =>
    readFileSync(join(root, path), 'utf8'),
  )
  return texts
    .flatMap((text) => [...text.matchAll(/^declare module 'pergola' \{$(.*?)^\}$/gms)])
    .flatMap(([, body = '']) => [...body.matchAll(/^ {4}(\w+):/gm)].map(([, name = '']) => name))
}

// The compiler sees them beside those of the resources, so an owner could not scaffold resources of these names.
it('Types of the application’s tests have names that no resource needs', () => {
  expect(declaredInTests()).toContain('test_notes')
  expect(declaredInTests().filter((name) => !/^test_|^Test/.test(name))).toEqual([])
})
