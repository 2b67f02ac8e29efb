import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { quickProject } from '../../test-support/quick-project.ts'
import { destroy } from '../destroy-resource.ts'
import type { Step } from '../step.ts'

const { project, quick, read, edit, run } = await quickProject({ gadget: 'title', remark: 'id', note: 'id' })
const at = (path: string) => join(project.root, path)

const GADGET = 'gadget title:string owner:references:user'
const REMARK = 'remark text:text gadget:references author:references:user --in gadget'
const CONTROLLER = 'app/gadgets/gadget.controller.ts'
const PAGE = 'views/gadgets/show.eta'
const ENTRY = '    remarkList: await remarksOf(req, gadget),\n'

const changedIn = ({ steps }: { steps: readonly Step[] }) =>
  Object.fromEntries(
    steps
      .filter(({ path, verb }) => verb !== 'same' && !path.startsWith('app/db/') && !path.endsWith('.json'))
      .map(({ path, verb }) => [path, verb]),
  )

beforeEach(() => run(GADGET))

describe('scaffold --in', () => {
  it('writes no pages and no navigation, and shows the records on the page of the parent', async () => {
    expect(changedIn(await run(REMARK))).toEqual({
      ...Object.fromEntries(
        ['', '.policy', '.repository', '.list', '.controller', '.factory', '.seed', '.test'].map((part) => [
          `app/remarks/remark${part}.ts`,
          'create',
        ]),
      ),
      ...Object.fromEntries(
        ['_list', '_fields', 'index', 'edit'].map((view) => [`views/remarks/${view}.eta`, 'create']),
      ),
      'e2e/remarks.spec.ts': 'create',
      'app/resources.ts': 'change',
      [CONTROLLER]: 'change',
      [PAGE]: 'change',
    })
    expect(read(CONTROLLER)).toContain(ENTRY)
    expect(read(PAGE)).toContain("<%~ include('/remarks/_list', it.remarkList) %>")
    expect(read('app/resources.ts')).toContain(
      '  { repository: remarks, routes: { remarkRoutes }, seed: seedRemarks },\n',
    )
    expect(read('app/remarks/remark.ts')).toContain("columns: ['gadget_id', 'created_at']")
    expect(read('app/remarks/remark.repository.ts')).toContain("api: '/api/gadgets/:gadget_id/remarks'")
  })

  it('links to no page of a record that another one of the list refers to', async () => {
    await run(REMARK.replace('remark ', 'remark answers:references:self? '))
    const list = read('views/remarks/_list.eta')
    expect(list).toContain('.get(remark.answers_id)')
    expect(list).not.toContain("'GET /:id',")
  })

  it('writes nothing the second time, and keeps the list when the parent or the child grows', async () => {
    await run(REMARK)
    const written = project.files()
    expect(changedIn(await run(REMARK))).toEqual({})
    expect(project.files()).toEqual(written)
    await run('gadget weight:integer?')
    expect(read(CONTROLLER)).toContain(ENTRY)
    await run('remark rating:integer?')
    expect(read('app/remarks/remark.controller.ts')).toContain("routes('/gadgets/:gadget_id/remarks'")
  })

  it('opens the routes of the children to the readers that the parent gets', async () => {
    await run(REMARK)
    expect(read('app/remarks/remark.controller.ts')).not.toContain('publicRoute()')
    const done = await run('gadget --public-read')
    expect(changedIn(done)).toMatchObject({
      'app/remarks/remark.controller.ts': 'change',
      'app/remarks/remark.test.ts': 'change',
    })
    expect(read('app/remarks/remark.controller.ts')).toContain("'GET /': [publicRoute(), ...ofGadget, index]")
    expect(changedIn(await run(REMARK))).toEqual({})
  })

  it('follows the required reference, also if an optional one to the same model precedes it', async () => {
    await run("note 'other:references:gadget?' text:text gadget:references --in gadget")
    const done = await run('gadget --public-read')
    expect(changedIn(done)).toMatchObject({ 'app/notes/note.controller.ts': 'change' })
    expect(read('app/notes/note.controller.ts')).toContain("routes('/gadgets/:gadget_id/notes'")
  })

  it('merges into an edited page of the parent, and takes only its own lines away again', async () => {
    edit(CONTROLLER, '    may: await gadgets', '    // Mine.\n    may: await gadgets')
    edit(PAGE, '<div class="record">', '<div class="record mine">')
    const edited = [read(CONTROLLER), read(PAGE)]
    expect(changedIn(await run(REMARK))).toMatchObject({ [CONTROLLER]: 'merge', [PAGE]: 'merge' })
    expect(read(CONTROLLER)).toContain(ENTRY)
    await destroy(quick, 'remark')
    expect([read(CONTROLLER), read(PAGE)]).toEqual(edited)
  })

  it('keeps a page that it can’t merge into, also with --force, and shows the lines to add', async () => {
    edit(CONTROLLER, '    may: await gadgets.abilities(req, [gadget]),\n  })', '    ...more })')
    const done = await run(REMARK, { force: true })
    expect(changedIn(done)).toMatchObject({ [CONTROLLER]: 'keep', [PAGE]: 'change' })
    expect(read(CONTROLLER)).not.toContain(ENTRY)
  })

  it('shows the number of children in the list of parents with --count, also later', async () => {
    await run(`${REMARK} --count`)
    const LIST = 'views/gadgets/index.eta'
    const number = '<span class="label">Remarks: </span><%= remarkCounts.get(gadget.id) ?? 0 %>'
    const counted = [read(CONTROLLER), read(LIST)]
    expect(counted[0]).toContain('remarkCounts: await childCounts(ctx, Remark, {')
    expect(counted[1]).toContain(number)
    await destroy(quick, 'remark')
    await run(REMARK)
    expect(read(LIST)).not.toContain(number)
    expect(changedIn(await run('remark --count'))).toMatchObject({ [CONTROLLER]: 'change', [LIST]: 'change' })
    expect([read(CONTROLLER), read(LIST)]).toEqual(counted)
    await expect(run('gadget --count')).rejects.toThrow('add --in.')
  })

  it('restores every byte with destroy', async () => {
    const written = project.files()
    await run(REMARK)
    await destroy(quick, 'remark')
    expect(project.files()).toEqual(written)
  })

  it('refuses to destroy a child that an edited page of the parent still shows', async () => {
    await run(REMARK)
    edit(CONTROLLER, ENTRY, ENTRY.replace('remarkList:', 'notes:'))
    const written = project.files()
    await expect(destroy(quick, 'remark', { force: true })).rejects.toThrow(CONTROLLER)
    expect(project.files()).toEqual(written)
  })

  it('refuses to destroy a child whose list was moved to another place', async () => {
    await run(REMARK)
    const include = "<%~ include('/remarks/_list', it.remarkList) %>\n"
    edit(PAGE, include, '')
    edit(PAGE, '<div class="record">', `${include}<div class="record">`)
    const written = project.files()
    await expect(destroy(quick, 'remark', { force: true })).rejects.toThrow(PAGE)
    expect(project.files()).toEqual(written)
  })

  it('generates the same files for an upgrade', async () => {
    await run(REMARK)
    const records = ['app/gadgets/scaffold.json', 'app/remarks/scaffold.json']
    const words = ['cli/upgrade/generate.ts', project.root, project.root, ...records]
    const { stdout } = spawnSync(process.execPath, words, { cwd: project.root, encoding: 'utf8' })
    const outputs = JSON.parse(stdout) as Record<string, { path: string; text: string }[]>
    const generated = records
      .flatMap((record) => outputs[record] ?? [])
      .filter(({ path }) => existsSync(at(path)))
    expect(generated).toHaveLength(29)
    expect(generated.filter(({ path, text }) => text !== read(path))).toEqual([])
  })

  it.each([
    ['note text:text gadget:references --in gadget --in remark', 'use --in once.'],
    ["note text:text 'note:references:self?' --in note", 'can’t be shown on their own page: remove --in.'],
    ['note text:text --in gizmo', 'Unknown model gizmo.'],
    ['note text:text author:references:user --in user', 'The pages of user were not scaffolded'],
    ['note text:text --in gadget', 'have no required reference to their gadget: add gadget:references.'],
    ["note text:text 'gadget:references?' --in gadget", 'add gadget:references.'],
    ["note text:text 'gadget:references^' --in gadget", 'add gadget:references.'],
    ['note text:text gadget:references --in gadget --public-read', 'Users who see the gadget see its notes'],
  ])('refuses %s', async (command, problem) => {
    const written = project.files()
    await expect(run(command)).rejects.toThrow(problem)
    expect(project.files()).toEqual(written)
  })

  it('refuses a parent without a page of its own, and another parent later', async () => {
    await run(REMARK)
    await expect(run('note text:text remark:references --in remark')).rejects.toThrow(
      'Remarks have no page of their own, because they are shown on the page of their gadget: scaffold them with --pages.',
    )
    await expect(run('remark --in user')).rejects.toThrow('was created with another value')
  })
})
