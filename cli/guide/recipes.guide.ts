import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { createDatabase, databaseUrl } from 'pergola/lab'
import { ownPackages, runIn } from '../test-support/run-in.ts'
import { guideProject } from './guide-project.ts'
import { readPage } from './read-page.ts'
import { checkProject, runSteps, untestedFolders } from './run-page.ts'

// `npm run pergola -- test:docs`: follows each recipe in a clone of the last commit. One recipe: npm run pergola -- test:docs -- -t csv-export
const root = join(import.meta.dirname, '../..')
const pages = globSync('docs/recipes/*.md', { cwd: root }).filter((page) => !page.endsWith('README.md'))
const scratch = mkdtempSync(join(tmpdir(), 'guide-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

const { adminUrl, prefix } = inject('databases')
const template = `${prefix}seeded`

// The database of a reader who has started the application once.
beforeAll(async () => {
  await createDatabase(adminUrl, template)
  const env = { DATABASE_URL: databaseUrl(adminUrl, template) }
  await runIn(root, { program: 'cli/bin.js', args: ['db', 'prepare'], env })
})

describe.each(pages.toSorted().map((page) => [basename(page, '.md'), page] as const))('%s', (name, page) => {
  it('works as written, and passes every check', async () => {
    const steps = readPage(page, readFileSync(join(root, page), 'utf8'))
    const database = `${prefix}${name.replaceAll('-', '_')}`
    const project = await guideProject(join(scratch, name), database, { adminUrl, template })
    const isInstalling = steps.some((step) => step.kind === 'run' && /^npm install /m.test(step.commands))
    if (isInstalling) await ownPackages(project.root)
    await runSteps(project, steps)
    expect(await untestedFolders(project, steps)).toEqual([])
    await expect(checkProject(project)).resolves.toBeUndefined()
  })
})
