import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, inject, it } from 'vitest'
import { MATRIX } from '../test-support/matrix-rows.ts'
import { expectDone } from '../test-support/expect-done.ts'
import { guideProject } from './guide-project.ts'
import { type PageStep, readPage } from './read-page.ts'
import { runSteps } from './run-page.ts'

// The first hour of a new owner, in one clone of the last commit. `npm run pergola -- test:scaffold` and `npm run pergola -- test:docs` test
// every model, and follow every page.
const root = join(import.meta.dirname, '../..')
const scratch = mkdtempSync(join(tmpdir(), 'new-owner-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))
const { adminUrl, prefix, template } = inject('databases')
const project = await guideProject(join(scratch, 'clone'), `${prefix}new_owner`, { adminUrl, template })
const cli = (words: string) => project.shell(`node cli/bin.js ${words}`)

// Tests of pages that list the resources.
const WITHOUT_RESOURCES = [
  'app/app.test',
  'app/home/',
  'app/dev/dev.test',
  'app/test/views',
  'app/test/imports',
]
// Tests that read every resource.
const OF_ALL_RESOURCES = ['app/test/probe', 'app/db/seed.test']
const [EVERY_TYPE = ''] = MATRIX.find(({ name }) => name === 'every modifier')?.commands ?? []

describe('the clone of a new owner', () => {
  it('passes its tests without the sample', async () => {
    await cli('destroy post --force')
    await expectDone(project.shell(`vitest run ${WITHOUT_RESOURCES.join(' ')}`))
  })

  it('passes the tests of a resource with every type and modifier', async () => {
    // The tests have databases of their own.
    const words = `${EVERY_TYPE} keeper:references:user?{null}`.split(' ').map((word) => `'${word}'`)
    await cli(`scaffold ${words.join(' ')} --no-migrate`)
    await expectDone(project.shell(`vitest run app/readings/ ${OF_ALL_RESOURCES.join(' ')}`))
  })

  it('compiles with the code of the tutorial', async () => {
    const page = readFileSync(join(root, 'docs/tutorial.md'), 'utf8')
    await runSteps(project, readPage('docs/tutorial.md', page).flatMap(thatWrites))
    await expectDone(project.shell('node cli/bin.js views check && tsc -p e2e'))
  })
})

/** Returns the step if it changes files: one of the editor, or the commands of the scaffold and its generators, and `rm`. */
function thatWrites(step: PageStep): PageStep[] {
  if (step.kind !== 'run') return [step]
  const lines = step.commands
    .split('\n')
    .filter((line) => /^(?:npx cli (?:scaffold|generate)|rm) /.test(line))
  const commands = lines.map((line) => line.replace('npx cli', 'node cli/bin.js'))
  // The compiler needs no tables.
  const quick = commands.map((line) => (line.includes(' scaffold ') ? `${line} --no-migrate` : line))
  return quick.length === 0 ? [] : [{ ...step, commands: quick.join('\n'), output: null }]
}
