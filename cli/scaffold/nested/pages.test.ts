import { describe, expect, it } from 'vitest'
import { argumentsOf, quickProject } from '../../test-support/quick-project.ts'
import { changeResource } from '../changes/change-resource.ts'
import { destroy } from '../destroy-resource.ts'

const { project, quick, read, run } = await quickProject({ gadget: 'title', part: 'name', note: 'id' })

const GADGET = 'gadget title:string owner:references:user'
const PART = 'part name:string gadget:references owner:references:user --in gadget --pages'
const NOTE = 'note text:text part:references author:references:user --in part'
const chain = async () => {
  for (const command of [GADGET, PART, NOTE]) await run(command)
}
const POLICY = 'app/parts/part.policy.ts'

describe('scaffold --in --pages', () => {
  it('writes pages with rules that follow the parent, and a list on its page', async () => {
    await run(GADGET)
    const { steps } = await run(PART)
    expect(steps.map(({ path }) => path)).not.toContain('app/parts/part.policy.test.ts')
    expect(read('app/resources.ts')).toContain("nav: 'Parts'")
    expect(read('app/parts/part.controller.ts')).toContain("routes('/parts', {")
    expect(read('app/parts/part.controller.ts')).toContain('prefilled(req, Part, parts.formFor(')
    expect(read(POLICY)).toContain("const seesGadget = parentAllows('show', Gadget, 'gadget_id')")
    expect(read(POLICY)).toContain("where: (ctx) => hasVisible(ctx, Gadget, 'parts.gadget_id'),")
    expect(read('app/gadgets/gadget.controller.ts')).toContain('partList: await partsOf(req, gadget),')
    expect(read('views/gadgets/show.eta')).toContain("<%~ include('/parts/_list', it.partList) %>")
    expect(read('views/parts/_list.eta')).toContain(
      "'GET /new') %>?gadget_id=<%= gadget.id %>\">New part</a>",
    )
  })

  it('is the parent of a nested resource, whose tests create all parents of a user', async () => {
    await chain()
    expect(read('app/notes/note.controller.ts')).toContain("routes('/parts/:part_id/notes', {")
    expect(read('app/notes/note.test.ts')).toContain(
      'gadget_id: (await makeGadget(ownedBy(Gadget, owner.user))).id',
    )
  })

  it('opens the routes of children and of their children to the readers that the parent gets', async () => {
    await chain()
    const routes = ['app/parts/part.controller.ts', 'app/notes/note.controller.ts']
    expect(routes.map((file) => read(file).includes('publicRoute()'))).toEqual([false, false])
    await run('gadget --public-read')
    expect(routes.map((file) => read(file).includes('publicRoute()'))).toEqual([true, true])
    const written = project.files()
    for (const command of [PART, NOTE]) await run(command)
    expect(project.files()).toEqual(written)
  })

  it('tests the editors of the parent', async () => {
    await run('gadget title:string fans:many:user owner:references:user --editors fans')
    await run(PART.replace(' owner:references:user', ''))
    const test = read('app/parts/part.test.ts')
    expect(test).toContain('lets the owner of its gadget read and edit it')
    expect(test).toContain('lets the fans of its gadget read and edit it')
    expect(test).toContain('fan_ids: [member.user.id]')
  })

  it('gives the tests of children the new name of a reference above them', async () => {
    await chain()
    await changeResource(
      quick,
      {
        args: argumentsOf('part'),
        changes: { rename: ['gadget:gizmo'] },
      },
      { migrate: false },
    )
    expect(read('app/notes/note.test.ts')).toContain('gizmo_id: (await makeGadget(')
    expect(read('app/notes/note.test.ts')).not.toContain('gadget_id')
  })

  it('shows the parent in the list first, and imports each module once', async () => {
    await run(GADGET)
    await run('part name:string a:string b:string c:string d:string gadget:references --in gadget --pages')
    await run(`${NOTE} --count`)
    expect(read('views/parts/index.eta')).toContain('gadgets.get(part.gadget_id)')
    expect(read('app/parts/part.controller.ts')).toContain(
      "import { childCounts, prefilled, withFilterChoices } from 'pergola/features'",
    )
  })

  it('restores every byte with destroy', async () => {
    const written = project.files()
    await chain()
    for (const name of ['note', 'part', 'gadget']) await destroy(quick, name)
    expect(project.files()).toEqual(written)
  })

  it.each([
    ['part name --pages', 'Records without a parent have pages: remove --pages.'],
    [`${PART} --public-read`, 'Users who see the gadget see its parts'],
    ['part name gadget:references fans:many:user --in gadget --editors fans', 'remove --editors.'],
  ])('refuses %s', async (command, problem) => {
    await run(GADGET)
    const written = project.files()
    await expect(run(command)).rejects.toThrow(problem)
    expect(project.files()).toEqual(written)
  })

  it('can’t give pages to an existing resource', async () => {
    await run(GADGET)
    await run(PART.replace(' --pages', ''))
    await expect(run('part --pages')).rejects.toThrow('was created with another value')
  })
})
