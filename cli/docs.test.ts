import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readConfig } from '#app/config.ts'

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

describe('the settings in README.md and docs', () => {
  const pages = globSync(['README.md', 'docs/*.md'], { cwd: root })
  const names = pages.flatMap(
    (page) => readFileSync(join(root, page), 'utf8').match(/\b[A-Z_]+?__[A-Z_]+\b/g) ?? [],
  )
  const settings = [...new Set(names)].filter((name) => name !== 'SECTION__KEY')

  it.each(settings)('%s exists', (name) => {
    const [section = ''] = name.toLowerCase().split('__')
    expect(readConfig({ NODE_ENV: 'test' })).toHaveProperty(section)
    expect(problemOf({ NODE_ENV: 'test', [name]: 'a value' })).not.toContain('Unknown setting')
  })
})

function problemOf(env: Record<string, string>): string {
  try {
    readConfig(env)
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

describe('docs/production.md', () => {
  const page = readFileSync(join(root, 'docs/production.md'), 'utf8')
  const [, section = ''] = page.split('## What to watch')
  const messages = [...section.matchAll(/^\| `([^`]+)`/gm)].map(([, message = '']) => message)
  const code = globSync(['app/**/*.ts', 'cli/**/*.ts', 'node_modules/pino-http/logger.js'], { cwd: root })
    .filter((file) => !file.endsWith('.test.ts'))
    .map((file) => readFileSync(join(root, file), 'utf8'))

  it.each(messages.filter((message) => message !== 'msg'))('names a line of the log: %s', (message) => {
    expect(code.some((text) => text.includes(`'${message}'`))).toBe(true)
  })
})
