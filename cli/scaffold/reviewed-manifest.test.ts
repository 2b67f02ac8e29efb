import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { destroy } from './destroy-resource.ts'
import { inChild } from './project/project.ts'
import { testProject } from '../test-support/test-project.ts'
import { scaffold } from './scaffold-resource.ts'

const project = await testProject()
const at = (path: string) => join(project.root, path)
const read = (path: string) => readFileSync(at(path), 'utf8')
const MANIFEST = 'security.manifest.json'
const reviewed = read(MANIFEST)

// The resource has a second route table, which was not reviewed.
mkdirSync(at('app/reports'))
writeFileSync(
  at('app/reports/report.controller.ts'),
  `import { publicRoute, routes } from 'pergola'
export const reportRoutes = routes('/reports', { 'GET /': [publicRoute(), function index() {}] })
`,
)
writeFileSync(
  at('app/resources.ts'),
  `import { reportRoutes } from './reports/report.controller.ts'\n${read('app/resources.ts')}`.replace(
    'routes: { userRoutes, ',
    'routes: { userRoutes, reportRoutes, ',
  ),
)

const check = () => inChild(project.root, ['routes', 'audit', '--check'])
const diff = () => inChild(project.root, ['routes', 'audit', '--diff', MANIFEST])
const gadget = { name: 'gadget', fields: ['title'], options: {} }

/** Expects that the audit still reports the new route, but none of the routes of gadgets. */
async function expectUnreviewed(): Promise<void> {
  const reports = [check(), diff()].map((audit) =>
    audit.then(
      () => '',
      (error: Error) => error.message,
    ),
  )
  for (const report of await Promise.all(reports)) {
    expect(report).toMatch(/GET \/reports .*new/)
    expect(report).not.toContain('adget')
  }
  expect(read(MANIFEST)).not.toContain('/reports')
}

describe('the reviewed manifest', () => {
  it('contains the changes of scaffold and destroy, but not an unreviewed route', async () => {
    await expectUnreviewed()
    const { steps } = await scaffold(project, gadget)
    expect(read(MANIFEST)).toContain('"GET /gadgets/new"')
    expect(steps.at(-1)).toMatchObject({ path: MANIFEST, verb: 'change' })
    await expectUnreviewed()
    await scaffold(project, { ...gadget, fields: ['size:integer'] })
    expect(JSON.parse(read(MANIFEST))).toMatchObject({
      dimensions: {
        authorization_policies: {
          resources: expect.arrayContaining([
            expect.objectContaining({ resource: 'Gadget', input: ['size', 'title'] }),
          ]) as unknown,
        },
      },
    })
    await expectUnreviewed()
    await destroy(project, 'gadget')
    expect(read(MANIFEST)).toBe(reviewed)
  })

  it('covers every route table of a resource', async () => {
    const cli = (...words: string[]) => inChild(project.root, ['routes', ...words])
    const [one, other, all] = await Promise.all([
      cli('--info', 'GET /reports'),
      cli('--info', 'GET /users'),
      cli('--json'),
    ])
    expect(one).toContain('defined at app/reports/report.controller.ts:2')
    expect(other).toContain('defined at app/users/user.controller.ts')
    const paths = (JSON.parse(all) as { path: string }[]).map(({ path }) => path)
    expect(paths).toEqual(expect.arrayContaining(['/reports', '/users']))
  })

  it('is not written if it is missing or invalid, so that no unreviewed change is approved', async () => {
    writeFileSync(at(MANIFEST), '{}\n')
    const { steps } = await scaffold(project, gadget)
    expect(steps.at(-1)).toMatchObject({ path: MANIFEST, verb: 'leave' })
    await destroy(project, 'gadget')
    expect(read(MANIFEST)).toBe('{}\n')
  })
})
