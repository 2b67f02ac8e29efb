import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')
const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  dependencies: Record<string, string>
}

interface PrivateParts {
  readonly name: string
  /** The version with which the files were checked. */
  readonly version: string
  /** What the private parts look like in code. */
  readonly looksLike: RegExp
  readonly files: readonly string[]
}

// After an update, check these files against the code of the package and run the suite. Then write the new version here.
const PARTS: readonly PrivateParts[] = [
  {
    name: 'pg',
    version: '8.23.1',
    looksLike: /parsedStatements|prepareValue|processID|\{ connection \} = this\.client/,
    files: ['database/session-client.ts', 'database/session.ts', 'speed/statement.ts'],
  },
  {
    name: 'express',
    version: '5.3.0',
    looksLike: /\brouter\.stack\b|\bhandle\.stack\b/,
    files: ['manifest/live-layers.ts'],
  },
  {
    name: 'eta',
    version: '4.6.0',
    looksLike: /__eta|RuntimeErr|compileBody/,
    files: ['http/views/view-errors.ts', 'http/views/views.ts'],
  },
  { name: 'iron-session', version: '9.0.1', looksLike: /\/\^Fe26/, files: ['speed/opened-seals.ts'] },
  {
    name: 'pg-boss',
    version: '12.35.0',
    looksLike: /pgboss\.\w/,
    files: ['jobs/dead-letters.ts', 'jobs/list-jobs.ts', 'jobs/prepare-jobs.ts', 'jobs/taken-job.ts'],
  },
]

const texts = new Map(
  globSync('**/*.ts', { cwd: join(root, 'src') })
    .filter((file) => !file.endsWith('.test.ts'))
    .map((file) => [file.replaceAll('\\', '/'), readFileSync(join(root, 'src', file), 'utf8')]),
)

describe.each(PARTS)('private parts of $name', ({ name, version, looksLike, files }) => {
  it('were checked with the installed version', () => {
    expect(dependencies[name]).toBe(version)
  })

  it('are used in the listed files only', () => {
    const using = [...texts].filter(([, text]) => looksLike.test(text)).map(([file]) => file)
    expect(using.toSorted()).toEqual(files)
  })
})
