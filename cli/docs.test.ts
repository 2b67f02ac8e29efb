import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')

describe('docs/authorization.md', () => {
  it('contains the group-membership code that the tests of the framework run', () => {
    const tested = readFileSync(join(root, 'app/framework/test/membership.test.ts'), 'utf8')
    const page = readFileSync(join(root, 'docs/authorization.md'), 'utf8')
    const parts = [...tested.matchAll(/\/\/ begin\n([\s\S]*?)\/\/ end/g)].map(([, part = '']) => part)
    expect(parts).toHaveLength(2)
    for (const part of parts) {
      const documents = part.replaceAll('Brochure', 'Document').replaceAll('brochure', 'document')
      expect(page).toContain(documents.replaceAll('enlistment', 'membership'))
    }
  })
})
