import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readConfig } from '#app/config.ts'

const root = join(import.meta.dirname, '..')

describe('docs/authorization/groups.md', () => {
  it('contains the group-membership code that the tests of the framework run', () => {
    const tested = readFileSync(join(root, 'app/framework/test/membership.test.ts'), 'utf8')
    const page = readFileSync(join(root, 'docs/authorization/groups.md'), 'utf8')
    const parts = [...tested.matchAll(/\/\/ begin\n([\s\S]*?)\/\/ end/g)].map(([, part = '']) => part)
    expect(parts).toHaveLength(2)
    for (const part of parts) {
      const documents = part.replaceAll('Brochure', 'Document').replaceAll('brochure', 'document')
      expect(page).toContain(documents.replaceAll('enlistment', 'membership'))
    }
  })
})

/** Names that a page uses for any setting, or for one that the reader adds. */
const EXAMPLES = new Set(['SECTION__KEY', 'FEEDBACK__TO', 'SERVER__MAINTENANCE_FILE'])

describe('the settings in README.md and docs', () => {
  const pages = globSync(['README.md', 'docs/**/*.md'], { cwd: root })
  const names = pages.flatMap(
    (page) => readFileSync(join(root, page), 'utf8').match(/\b[A-Z_]+?__[A-Z_]+\b/g) ?? [],
  )
  const settings = [...new Set(names)].filter((name) => !EXAMPLES.has(name))

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

describe('docs/production/monitoring.md', () => {
  const page = readFileSync(join(root, 'docs/production/monitoring.md'), 'utf8')
  const [, section = ''] = page.split('## The log')
  const messages = [...section.matchAll(/^\| `([^`]+)`/gm)].map(([, message = '']) => message)
  const code = globSync(['app/**/*.ts', 'cli/**/*.ts', 'node_modules/pino-http/logger.js'], { cwd: root })
    .filter((file) => !file.endsWith('.test.ts'))
    .map((file) => readFileSync(join(root, file), 'utf8'))

  it.each(messages.filter((message) => message !== 'msg'))('names a line of the log: %s', (message) => {
    expect(code.some((text) => text.includes(`'${message}'`))).toBe(true)
  })
})

describe('docs/dependencies.md', () => {
  const versionsIn = (path: string) => {
    const json = JSON.parse(readFileSync(join(root, path), 'utf8')) as Record<string, Record<string, string>>
    return Object.entries({ ...json['dependencies'], ...json['devDependencies'] })
  }
  const ofFramework = versionsIn('app/framework/package.json')
  const page = readFileSync(join(root, 'docs/dependencies.md'), 'utf8')
  const listed = [...page.matchAll(/^\| ([^|]*?) *\|/gm)].flatMap(([, cell = '']) => cell.split(', '))
  // An application has more packages, and chooses their versions.
  const packages = [...ofFramework, ...versionsIn('package.json').filter(([name]) => listed.includes(name))]

  it.each(ofFramework.map(([name]) => name).filter((name) => !name.startsWith('@types/')))(
    'explains %s',
    (name) => {
      expect(listed).toContain(name)
    },
  )

  it('lists packages with exact versions', () => {
    expect(packages.length).toBeGreaterThan(ofFramework.length + 10)
    expect(packages.filter(([, version]) => !/^(?:file:|\d+\.\d+\.\d+)/.test(version))).toEqual([])
  })
})

const readme = readFileSync(join(root, 'README.md'), 'utf8')

// An application replaces the README by its own.
describe.runIf(readme.startsWith('# Pergola\n'))('README.md', () => {
  it('has at most 900 words', () => {
    expect(readme.split(/\s+/).length).toBeLessThanOrEqual(900)
  })

  it.each([
    ['app/framework/{src,views,migrations}/**/*.{ts,js,eta}', 'a framework of'],
    ['cli/**/*.{ts,js,eta}', 'a command line of'],
  ])('states the number of lines of %s', (pattern, words) => {
    const exclude = ['**/*.{test,matrix,guide}.ts', 'cli/test-support/**']
    const files = globSync(pattern, { cwd: root, exclude })
    const lines = files.flatMap((file) => readFileSync(join(root, file), 'utf8').split('\n')).length
    const [, stated = ''] = new RegExp(String.raw`${words} ([\d,]+)`).exec(readme) ?? []
    expect(Math.abs(Number(stated.replaceAll(',', '')) / lines - 1)).toBeLessThan(0.1)
  })
})
