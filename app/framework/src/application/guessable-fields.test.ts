import { type Generated, sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { field, policy, repository, resource } from 'pergola'
import { type FieldRule, fieldRules } from '../features/field-rules/field-rules.ts'
import { columnProblems } from 'pergola/database'
import { testDatabase } from 'pergola/testing'

interface BadgeHolderTable {
  id: Generated<number>
  name: string
  code: string
  user_id: number
}

declare module 'pergola' {
  interface Tables {
    badge_holders: BadgeHolderTable
  }
}

const Holder = resource('BadgeHolder', {
  table: 'badge_holders',
  label: 'name',
  input: z.strictObject({ name: field.string(), code: field.string() }),
  owner: 'user_id',
})
type Rule = FieldRule<typeof Holder>

const { db } = await testDatabase()
const run = (text: string) => sql.raw(text).execute(db)
await run('create table badge_holders (id bigint primary key, name text, code text, user_id bigint)')

const problemsOf = (rule: Rule, column: 'code' | 'user_id' = 'code') => {
  const rules = policy(Holder, {}, { fields: fieldRules(Holder, { [column]: rule } as Record<'code', Rule>) })
  return columnProblems([{ repository: repository(Holder, { policy: rules }) }], db)
}

const REFUSED = [
  expect.stringMatching(
    /guessable-fields\.test\.ts:\d+: clients may set BadgeHolder\.code without seeing it in every row, and it is unique: .* Drop the unique index,/,
  ),
]
const forAdmins: Rule = { see: (ctx) => ctx.hasRole('admin') }
const forOwners: Rule = { see: (ctx, row) => ctx.owns(row.user_id) }
const forAll: Rule = { see: (ctx) => ctx.hasRole('admin'), set: () => true }

const INDEXES = {
  'a unique index': 'create unique index codes on badge_holders (code)',
  'a unique index of several columns': 'create unique index codes on badge_holders (user_id, code)',
  'a unique index of an expression': 'create unique index codes on badge_holders (lower(code))',
  'a partial unique index': "create unique index codes on badge_holders (code) where name = 'x'",
  'an exclusion constraint':
    'alter table badge_holders add constraint codes exclude using btree (code with =)',
}

describe.each(Object.entries(INDEXES))('a field with %s', (_name, statement) => {
  const withIndex = async (rule: Rule, column?: 'code' | 'user_id') => {
    await run(statement)
    const problems = await problemsOf(rule, column)
    await run('alter table badge_holders drop constraint if exists codes')
    await run('drop index if exists codes')
    return problems
  }

  it('is refused if callers may set it without seeing it in every row', async () => {
    expect(await withIndex(forOwners)).toEqual(REFUSED)
    expect(await withIndex(forAll)).toEqual(REFUSED)
  })

  it('is accepted if only callers set it who see it in every row', async () => {
    expect(await withIndex(forAdmins)).toEqual([])
    expect(await withIndex({ set: (ctx) => ctx.hasRole('admin') })).toEqual([])
  })

  it('is accepted if clients can’t set it', async () => {
    expect(await withIndex(forOwners, 'user_id')).toEqual([])
  })
})

it.each([forOwners, forAll, forAdmins])('a field without a unique index is accepted: %o', async (rule) => {
  await run('create index codes on badge_holders (code)')
  expect(await problemsOf(rule)).toEqual([])
  await run('drop index codes')
})
