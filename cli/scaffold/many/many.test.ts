import { describe, expect, it } from 'vitest'
import { quickProject } from '../../test-support/quick-project.ts'
import { destroy } from '../destroy-resource.ts'

const { project, quick, read, run } = await quickProject({ gadget: 'title', badge: 'title', remark: 'id' })

const BADGE = 'badge title:string'
const RESOURCE = 'app/gadgets/gadget.ts'
const migrationOf = async (command: string) => {
  const { migrations } = await run(command)
  return read(`app/db/migrations/${migrations[0]}.ts`)
}

describe('a field of type many', () => {
  it('is a list of ids in a join table, with a choice in the form and badges on the pages', async () => {
    await run(BADGE)
    const migration = await migrationOf('gadget title badges:many author:references:user')
    expect(migration).toContain(".createTable('gadget_badges')")
    expect(migration).toContain("references('gadgets.id').onDelete('cascade')")
    expect(migration).toContain("references('badges.id').onDelete('cascade')")
    expect(migration).toContain("addPrimaryKeyConstraint('gadget_badges_pkey', ['gadget_id', 'badge_id'])")
    expect(migration).toContain(".columns(['badge_id', 'gadget_id'])")
    expect(migration).toMatch(/dropTable\('gadget_badges'\)[^]*dropTable\('gadgets'\)/)
    expect(read(RESOURCE)).toContain('badge_ids: field.references().default([]),')
    expect(read(RESOURCE)).toContain(
      "joins: { badge_ids: joinTable('gadget_badges', { own: 'gadget_id', other: 'badge_id' }) },",
    )
    expect(read(RESOURCE)).toContain("badge_ids: filter.several(field.reference(), { label: 'Badges' }),")
    expect(read('views/gadgets/_form.eta')).toContain("name: 'badge_ids', label: 'Badges'")
    expect(read('views/gadgets/index.eta')).toContain("filter: 'badge_ids'")
    const controller = read('app/gadgets/gadget.controller.ts')
    expect(controller).toContain('flatMap((gadget) => gadget.badge_ids)')
    expect(controller).toContain('withFilterChoices(req, Gadget, await gadgets.pageFor(req))')
  })

  it('takes users, the resource itself, UUIDs and a rule for deletions', async () => {
    const migration = await migrationOf(
      "gadget title 'fans:many:user{restrict}' peers:many:self author:references:user --id uuid",
    )
    expect(migration).toContain("references('users.id').onDelete('restrict')")
    expect(migration).toContain("addColumn('peer_id', 'uuid'")
    expect(read(RESOURCE)).toContain('peer_ids: JoinedIds<string>')
    expect(read(RESOURCE)).toContain("field.references('uuid').default([])")
    expect(read(RESOURCE)).toContain("peer_ids: 'self'")
  })

  it('has an order of its own with :ordered', async () => {
    await run(BADGE)
    const migration = await migrationOf('gadget title badges:many:ordered author:references:user')
    expect(migration).toContain("addColumn('position', 'integer', (column) => column.notNull())")
    expect(migration).toContain(
      "createIndex('gadget_badges_position')\n    .on('gadget_badges')\n    .columns(['gadget_id', 'position', 'badge_id'])",
    )
    expect(read(RESOURCE)).toContain('position: number')
    expect(read(RESOURCE)).toContain("other: 'badge_id', position: 'position' }")
    expect(read('views/gadgets/show.eta')).toContain("filter: 'badge_ids', ordered: true })")
    await expect(run('gadget badges:many')).rejects.toThrow('already has a different badge_ids')
  })

  it('does not own the records', async () => {
    const { model } = await run('gadget title creator:references:user fans:many:user')
    expect(model.owner?.name).toBe('creator')
    expect((await run('badge title fans:many:user')).model.owner).toBeNull()
  })

  it('names the users who can read and edit a record with --editors', async () => {
    const POLICY = 'app/gadgets/gadget.policy.ts'
    await run('gadget title fans:many:user author:references:user --editors fans')
    const policy = read(POLICY)
    expect(policy).toContain('gadget.fan_ids.some((id) => ctx.owns(id))')
    expect(policy).toContain('canUpdate: mayEdit,\n  canDelete: mayWrite,')
    expect(policy).toContain(
      "gadgets.id = any(array(${is.selectFrom('gadget_fans').select('gadget_id').where('fan_id', '=', ctx.userId)}))",
    )
    expect(read('app/gadgets/gadget.policy.test.ts')).toMatch(/editor +gadget +\+ +\+ +\+ +-\n/)
    await run('badge title fans:many:user --editors fans')
    expect(read('app/badges/badge.policy.ts')).toContain('canShow: mayEdit,\n  canCreate: mayWrite,')
    for (const wrong of ['title --editors title', 'title author:references:user --editors author'])
      await expect(run(`remark ${wrong}`)).rejects.toThrow('The editors of a record are a list of users')
  })

  it('shares the statement for labels with the other references to the same resource', async () => {
    await run('gadget title fans:many:user author:references:user')
    const controller = read('app/gadgets/gadget.controller.ts')
    expect(controller).toContain(
      'list.page.content.flatMap((gadget) => [...gadget.fan_ids, gadget.author_id])',
    )
    expect(controller).toContain('fans: userLabels,\n    authors: userLabels,')
    expect(controller).toContain(
      'await userNames(await policyContext(req), [...gadget.fan_ids, gadget.author_id])',
    )
  })

  it('is added to a resource', async () => {
    await run('gadget title')
    const migration = await migrationOf('gadget fans:many:user weight:integer?')
    expect(migration).toContain(".createTable('gadget_fans')")
    expect(migration).toContain("addColumn('weight', 'integer')")
    expect(migration).not.toContain('fan_ids')
    expect(migration).toMatch(/down[^]*dropTable\('gadget_fans'\)/)
    await expect(run('gadget fans:many:user{restrict}')).rejects.toThrow('already has a different fan_ids')
  })

  it('is part of a nested resource', async () => {
    await run('gadget title')
    await run(BADGE)
    await run('remark text:text gadget:references badges:many --in gadget')
    expect(read('app/remarks/remark.list.ts')).toContain('flatMap((remark) => remark.badge_ids)')
    expect(read('views/remarks/_list.eta')).toContain('[id, badges.get(id)]) }')
  })

  it('restores every byte with destroy', async () => {
    const written = project.files()
    await run('gadget title fans:many:user')
    await destroy(quick, 'gadget')
    expect(project.files()).toEqual(written)
  })

  it.each([
    ['title tags:many', 'Unknown model tags.'],
    ['title fans:many:user?', 'A record may have none of them'],
    ['title fans:many:user^', 'Several records may have the same ones'],
    ['title:string:ordered', 'Only a list of other records has an order'],
    ['title fan:references:user:ordered', 'Only a list of other records has an order'],
    ['title fans:many:user:private', 'they can’t be private'],
    ['title fans:many:user{null}', 'Choose what the deletion of one of them does'],
    ['title fans:many:user=1', "can't have a default"],
    ['title gadgets:many:self', 'Both columns of gadget_gadgets would have the name gadget_id'],
    ['title fans:many:user --no-version', 'needs a version: remove --no-version'],
    ['title fans:many:user fan:many:user', 'also has the column fan_ids'],
    ['title fans:many:user fan:references:user', 'fans and fan have the same plural'],
  ])('rejects %s', async (fields, problem) => {
    const written = project.files()
    await expect(run(`gadget ${fields}`)).rejects.toThrow(problem)
    expect(project.files()).toEqual(written)
  })

  it('rejects the name of an existing table', async () => {
    await run('gadget_fan title')
    await expect(run('gadget title fans:many:user')).rejects.toThrow('The table gadget_fans already exists')
  })
})
