import { describe, expect, it } from 'vitest'
import { migrationData } from '../code/migration-code.ts'
import { type Existing, tenantsIn } from '../existing.ts'
import { EMPTY_PROJECT } from '../../test-support/empty-project.ts'
import { extendedModel } from '../extend-model.ts'
import type { Target } from '../field-types/field-type.ts'
import { namesOf } from '../read/names.ts'
import { type ModelOptions, wordsOfCommand } from '../read/options.ts'
import { readModel } from '../read/read-model.ts'
import { WrongCommandLine } from '../read/command-line-problems.ts'

const target = (name: string, more: Partial<Target>): Target => ({
  names: namesOf(name),
  label: 'name',
  id: 'bigint',
  isUser: false,
  isSelf: false,
  ...more,
})
const tenant = 'account_id'
const withTenants: Existing = {
  ...EMPTY_PROJECT,
  tenants: { names: namesOf('account'), column: tenant },
  targets: [target('user', { isUser: true, tenant }), target('project', { tenant }), target('country', {})],
}

const read = (fields: string[], options: ModelOptions = { tenant }, existing = withTenants) =>
  readModel({ name: 'ticket', fields, options }, existing).model

function refusal(fields: string[], options?: ModelOptions, existing?: Existing): string[] {
  try {
    read(fields, options, existing)
  } catch (error) {
    if (!(error instanceof WrongCommandLine)) throw error
    return error.problems.map(({ message }) => message)
  }
  return []
}

describe('--tenant', () => {
  it('names the next command if users have no tenant yet', () => {
    expect(refusal(['title'], { tenant }, EMPTY_PROJECT)).toEqual([
      'Users have no account_id yet. Create it first: npx cli generate tenant account',
    ])
    expect(refusal(['title'], { tenant: 'account' }, EMPTY_PROJECT)).toEqual([
      'Name the column of the users that contains their tenant, like account_id.',
    ])
  })

  it.each<[string[], ModelOptions, string]>([
    [['title'], { tenant: 'team_id' }, 'use --tenant account_id'],
    [['title'], { tenant, publicRead: true }, 'Guests have no tenant'],
    [['done:boolean'], { tenant, publicWhen: 'done' }, 'Guests have no tenant'],
    [['account:references:user'], { tenant }, 'account_id is the tenant'],
    [['project:references'], {}, 'add --tenant account_id'],
  ])('rejects %j with %j', (fields, options, message) => {
    expect(refusal(fields, options)).toEqual([expect.stringContaining(message)])
  })

  it('accepts references to users and to records without a tenant from records without one', () => {
    expect(refusal(['owner:references:user', 'country:references'], {})).toEqual([])
  })

  it('puts the tenant first in keys, unique constraints, indexes and references', () => {
    const fields = [
      'code:string:unique',
      'project:references',
      'country:references',
      'parent:references:self?{null}',
    ]
    const data = migrationData(read(fields)) as Record<string, unknown>
    expect(data).toMatchObject({
      key: { name: 'tickets_pkey', columns: "'account_id', 'id'" },
      uniques: [{ name: 'tickets_code_unique', columns: "'account_id', 'code'" }],
    })
    const columns = data['columns'] as { name: string; modifiers: string }[]
    expect(columns.find(({ name }) => name === 'project_id')?.modifiers).toBe('.notNull()')
    expect(columns.find(({ name }) => name === 'country_id')?.modifiers).toContain('countries.id')
    expect(data['foreignKeys']).toEqual([
      expect.stringContaining("['account_id', 'project_id'], 'projects', ['account_id', 'id']"),
      // The tenant keeps its value.
      expect.stringContaining('on delete set null (parent_id)'),
    ])
    const indexes = data['indexes'] as string[]
    expect(indexes.filter((index) => !index.includes("columns(['account_id', "))).toEqual([])
  })
})

describe('extendedModel', () => {
  it('keeps the tenant, also for new references', () => {
    const args = { name: 'ticket', fields: ['title'], options: { tenant } }
    const record = {
      path: 'app/tickets/scaffold.json',
      names: namesOf('ticket'),
      scaffold: { version: 1, command: wordsOfCommand(args), plural: 'tickets', files: {} },
    } as const
    const fields = ['project:references?']
    const { model, added } = extendedModel(record, { name: 'ticket', fields, options: {} }, withTenants)
    expect([model.tenant?.column, added.map(({ column }) => column)]).toEqual([tenant, ['project_id']])
    const other = { name: 'ticket', fields: [], options: { tenant: 'team_id' } }
    expect(() => extendedModel(record, other, withTenants)).toThrow(WrongCommandLine)
  })
})

describe('tenantsIn', () => {
  it('returns the tenants whose function app.ts imports', () => {
    const line = "import { tenantOf } from './work-teams/work-team.ts'\n"
    expect(tenantsIn(line)).toEqual({
      column: 'work_team_id',
      names: namesOf('work_team', { plural: 'work_teams' }),
    })
    expect(tenantsIn('import { findSession } from "./x.ts"')).toBeUndefined()
  })
})
