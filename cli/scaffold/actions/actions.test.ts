import { describe, expect, it } from 'vitest'
import { quickProject } from '../../test-support/quick-project.ts'
import { destroy } from '../destroy-resource.ts'

const { project, quick, read, edit, run } = await quickProject({ gadget: 'title', remark: 'id' })

const GADGET = 'gadget title:string owner:references:user'
const STATES = "'phase:states{open>on_hold>closed,on_hold>open}'"
const RESOURCE = 'app/gadgets/gadget.ts'
const POLICY = 'app/gadgets/gadget.policy.ts'
const REPOSITORY = 'app/gadgets/gadget.repository.ts'
const CONTROLLER = 'app/gadgets/gadget.controller.ts'
const PAGE = 'views/gadgets/show.eta'
const RULE = 'canMarkClosed: mayWrite,'

describe('a field of type states', () => {
  it('is an enum of the server, whose changes are actions with a rule, a route and a button each', async () => {
    await run(`${GADGET} ${STATES}`)
    expect(read(RESOURCE)).toContain("export const PHASES = ['open', 'on_hold', 'closed'] as const")
    expect(read(RESOURCE)).toContain("  on_hold: ['closed', 'open'],\n  closed: [],\n")
    expect(read(RESOURCE)).toContain("columns: ['phase', 'created_at']")
    expect(read(RESOURCE)).not.toContain('phase: field')
    expect(read(POLICY)).toContain(RULE)
    expect(read(REPOSITORY)).toContain("markOnHold: () => ({ phase: 'on_hold' }),")
    expect(read(REPOSITORY)).toContain("features: [transitions('phase', NEXT_PHASES)],")
    expect(read(CONTROLLER)).toContain("'POST /:id/mark-on-hold': [")
    expect(read(PAGE)).toContain(
      "if (may(gadget, 'markClosed') && nextPhases[gadget.phase]?.includes('closed'))",
    )
    expect(read('views/gadgets/_form.eta')).not.toContain('phase')
  })

  it('begins with the first state, or with the default', async () => {
    const created = async (command: string) => {
      const { migrations } = await run(command)
      return read(`app/db/migrations/${migrations[0]}.ts`)
    }
    expect(await created(`${GADGET} ${STATES}`)).toContain("defaultTo('open')")
    expect(await created("remark text:text 'phase:states{draft>out,old>out}=old'")).toContain(
      "defaultTo('old')",
    )
  })

  it('needs no quotes with slashes', async () => {
    await run(`${GADGET} phase:states:open/on_hold/closed,on_hold/open`)
    const written = project.files()
    await destroy(quick, 'gadget')
    await run(`${GADGET} ${STATES}`)
    for (const path of [RESOURCE, CONTROLLER, PAGE])
      expect(read(path)).toBe(Object.entries(written).find(([file]) => file.endsWith(`/${path}`))?.[1])
  })

  it.each([
    ['phase:states', 'The states need their transitions.'],
    ["'phase:states{open}'", 'open has no transition.'],
    ["'phase:states{open>closed,draft}'", 'draft has no transition.'],
    ["'phase:states{open>Closed}'", '"Closed" is not valid'],
    ["'phase:states{open>on-hold}'", '"on-hold" is not valid'],
    ["'phase:states{open>}'", 'one is empty'],
    ["'phase:states{open>open}'", '"open>open" is not a transition'],
    ["'phase:states{open>closed,open>closed}'", '"open>closed" occurs twice'],
    ["'phase:states{open>closed}?'", 'A record always has a state'],
    ["'phase:states{open>closed}^'", "can't be unique"],
    ["'phase:states{open>closed}:private'", 'remove the word private'],
    ["'phase:states{open>closed}=gone'", 'not a valid default for a field of type states'],
    ["'phase:states{open>closed}' 'mood:states{good>bad}'", 'two fields with states'],
    ["'phase:states{open>a_b,open>a__b}'", 'Two actions have the name markAB'],
    ["'phase:states{open>closed}' next_phase:enum:a,b", 'The states that follow each phase'],
    ["'phase:states{open>closed}' --action mark_closed", 'Two actions have the name markClosed'],
  ])('rejects %s', async (fields, problem) => {
    const written = project.files()
    await expect(run(`gadget title:string ${fields}`)).rejects.toThrow(problem)
    expect(project.files()).toEqual(written)
  })

  it('is part of a nested resource, on the page of its parent', async () => {
    await run(GADGET)
    await run(`remark text:text gadget:references author:references:user ${STATES} --in gadget`)
    expect(read('app/remarks/remark.policy.ts')).toContain(RULE)
    expect(read('app/remarks/remark.controller.ts')).toContain("'POST /:id/mark-closed': [")
    expect(read('views/remarks/_list.eta')).toContain("nextPhases[remark.phase]?.includes('closed')")
    expect(read('app/remarks/remark.list.ts')).toContain('nextPhases: NEXT_PHASES,')
  })
})

describe('scaffold --action', () => {
  it('adds a rule, a route, a button and its tests to edited files of a resource, once', async () => {
    await run(GADGET)
    edit(POLICY, 'canDelete: mayWrite,', 'canDelete: mayWrite, // and nobody else')
    edit(PAGE, '<div class="record">', '<div class="record wide">')
    const { steps } = await run('gadget --action close --action mark_paid')
    expect(steps.filter(({ verb }) => verb === 'keep')).toEqual([])
    expect(read(POLICY)).toContain('canDelete: mayWrite, // and nobody else\n  canClose: mayWrite,\n')
    expect(read(PAGE)).toContain('<div class="record wide">')
    expect(read(PAGE)).toContain("'POST /:id/mark-paid', gadget")
    expect(read(REPOSITORY)).toContain('close: () => ({}),\n    markPaid: () => ({}),')
    expect(read('app/gadgets/gadget.policy.test.ts')).toMatch(/delete {2}close {2}markPaid\n/)
    const written = project.files()
    await run('gadget --action close')
    expect(project.files()).toEqual(written)
    await run('gadget --action praise')
    expect(read(CONTROLLER)).toContain("action: 'close' | 'markPaid' | 'praise'")
  })

  it('has the paths of the API, also for words that begin with a digit', async () => {
    await run(`${GADGET} phase:states:open/step_2 --action step_1 --action step_1`)
    expect(read(CONTROLLER)).toContain("'POST /:id/mark-step2': [")
    expect(read(CONTROLLER).match(/'POST \/:id\/step1': \[/g)).toHaveLength(1)
  })

  it('restores every byte with destroy', async () => {
    const written = project.files()
    await run(`${GADGET} ${STATES} --action praise`)
    await destroy(quick, 'gadget')
    expect(project.files()).toEqual(written)
  })

  it.each([
    ['delete', 'delete has another meaning'],
    ['become', 'become has another meaning'],
    ['markPaid --action mark_paid', 'Two actions have the name markPaid'],
    ['to_string', 'to_string has another meaning'],
    ['1st', '"1" can\'t be at the beginning of a name'],
  ])('rejects %s', async (verb, problem) => {
    await expect(run(`${GADGET} --action ${verb}`)).rejects.toThrow(problem)
  })
})
