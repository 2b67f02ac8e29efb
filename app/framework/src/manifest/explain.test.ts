import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { contextOf, deny, inScope, lookup, policy, repository } from 'pergola'
import { registryOfResources } from 'pergola/app'
import { testDatabase } from 'pergola/testing'
import { withDatabase } from '../database/executor.ts'
import { makeNote, Note, noteScope } from '../../test/fixtures/note.ts'
import { explain } from './explain.ts'

const { db } = await testDatabase()
const isEven = lookup((_db, ids: readonly number[]) =>
  Promise.resolve(new Map(ids.map((id) => [id, id % 2 === 0]))),
)
const explained = repository(Note, {
  policy: policy(Note, {
    before: (ctx) => (ctx.hasRole('admin') ? true : undefined),
    canShow: async (ctx, note) =>
      (await isEven(ctx, note.id)) === true || deny('odd', 'Odd notes are hidden.'),
    canUpdate: () => {
      throw new Error('The rule broke.')
    },
    canDelete: () => 1 as never,
    canWait: () => sleep(3_000, true),
  }),
  scope: noteScope,
})
const registry = { ...registryOfResources([{ repository: explained }]), ruleDeadline: 50 }
const within = <Result>(work: () => Promise<Result>) => withDatabase(db, work)
const ask = (action: string, id: string | null) =>
  within(() => explain(explained, contextOf(null, { db: () => db, registry }), { action, id }))

describe('explain', () => {
  it('returns each rule with its lookups, and the scope', async () => {
    const { id } = await within(() => makeNote({ published: true }))
    const isAllowed = id % 2 === 0
    expect(await ask('show', String(id))).toEqual({
      exists: true,
      otherTenant: null,
      allowed: isAllowed,
      cause: isAllowed ? 'allowed' : 'denied',
      rules: [
        { rule: 'before', answer: 'undefined', lookups: [] },
        {
          rule: 'canShow',
          answer: isAllowed ? 'true' : 'false (odd)',
          lookups: [
            { declaredAt: expect.stringContaining('explain.test.ts:') as string, key: id, value: isAllowed },
          ],
        },
      ],
      isListed: true,
      declaredAt: {
        policy: expect.stringContaining('explain.test.ts') as string,
        scope: expect.stringContaining('note.ts') as string,
      },
    })
  })

  it.each([
    ['update', 'threw: The rule broke.', 'error'],
    ['delete', 'number: denies', 'invalid_result'],
    ['publish', 'no rule', 'no_action'],
  ])('explains %s: %s', async (action, answer, cause) => {
    const { id } = await within(() => makeNote({ published: false }))
    expect(await ask(action, String(id))).toMatchObject({
      allowed: false,
      cause,
      rules: [{ rule: 'before' }, { answer }],
      isListed: false,
    })
  })

  // Without the setting of the registry, a rule has five seconds.
  it('denies after the deadline of rules if a rule answers later', async () => {
    const { id } = await within(() => makeNote({ published: true }))
    expect(await ask('wait', String(id))).toMatchObject({
      allowed: false,
      cause: 'timeout',
      rules: [{ rule: 'before' }, { rule: 'canWait', answer: 'no answer: timeout' }],
    })
  })

  it('reports a missing record, and a draft', async () => {
    expect(await ask('show', '999999')).toMatchObject({ exists: false, cause: 'missing', otherTenant: null })
    expect(await ask('create', null)).toMatchObject({ exists: true, cause: 'no_action', isListed: null })
  })
})

describe('explain of a rule with inScope', () => {
  const scoped = repository(Note, {
    policy: policy(Note, { canShow: inScope() }),
    scope: noteScope,
  })
  const scopes = registryOfResources([{ repository: scoped }])

  it.each([
    [true, 'allowed'],
    [false, 'denied'],
  ])('returns the answer of the scope and its declaration: %s', async (published, cause) => {
    const { id } = await within(() => makeNote({ published }))
    const ctx = contextOf(null, { db: () => db, registry: scopes })
    expect(await within(() => explain(scoped, ctx, { action: 'show', id: String(id) }))).toMatchObject({
      cause,
      isListed: published,
      rules: [
        {
          rule: 'canShow',
          answer: String(published),
          lookups: [
            {
              declaredAt: expect.stringContaining('note.ts:') as string,
              key: 'inScope()',
              value: published,
              isScope: true,
            },
          ],
        },
      ],
    })
  })
})
