import { alignedText } from '../../commands/routes/table.ts'
import type { Model } from '../model.ts'

interface Named {
  readonly name: string
  readonly code: string
}

interface Actor extends Named {
  readonly owns: boolean
}

interface Sample extends Named {
  readonly isPublic: boolean
}

/** The variables of the policy test's template: the actors, the records, and the permissions of each actor. */
export function policyTestData(model: Model): object {
  const actors = actorsOf(model)
  const records = recordsOf(model)
  return {
    names: model.names,
    tenant: model.tenant,
    actors: listed(actors),
    records: listed(records),
    table: tableOf(model, actors, records),
  }
}

const listed = (all: readonly Named[]) => all.map(({ name, code }) => `${name}: ${code}`).join(', ')

function actorsOf({ owner }: Model): Actor[] {
  const guest = { name: 'guest', code: 'contextOf(null)', owns: false }
  const admin = { name: 'admin', code: "person(3, ['admin'])", owns: false }
  const member = { name: 'member', code: 'person(2)', owns: false }
  if (owner === null) return [guest, member, admin]
  return [guest, { name: 'owner', code: 'person(1)', owns: true }, { ...member, name: 'stranger' }, admin]
}

function recordsOf({ names, owner, readers, tenant }: Model): Sample[] {
  const columns = [
    ...(tenant ? [`${tenant.column}: 1`] : []),
    ...(owner === null ? [] : [`${owner.column}: 1`]),
  ]
  const record = (name: string, isPublic: boolean, more: readonly string[] = []) => ({
    name,
    isPublic,
    code: `{ ${[...columns, ...more].join(', ')} }`,
  })
  if (typeof readers !== 'object') return [record(names.one, readers === 'everybody')]
  const { column } = readers.when
  const hidden = column === 'draft' ? 'hidden' : 'draft'
  return [record(column, true, [`${column}: true`]), record(hidden, false, [`${column}: false`])]
}

const STANDARD = ['show', 'create', 'update', 'delete']

function tableOf(model: Model, actors: readonly Actor[], records: readonly Sample[]): string {
  const rows = actors.flatMap((actor) =>
    records.map((record) => [actor.name, record.name, ...signsOf(model, actor, record)]),
  )
  const verbs = [...STANDARD, ...model.actions.map(({ verb }) => verb)]
  return alignedText([['', '', ...verbs], ...rows]).replaceAll(/^/gm, '    ')
}

function signsOf({ owner, readers, actions }: Model, { name, owns }: Actor, { isPublic }: Sample): string[] {
  const isAdmin = name === 'admin'
  const isMember = name !== 'guest'
  const shows = isPublic || isAdmin || owns || (readers === 'members' && owner === null && isMember)
  const creates = owner === null ? isAdmin : isMember
  const changes = [...STANDARD.slice(2), ...actions].map(() => isAdmin || owns)
  return [shows, creates, ...changes].map((may) => (may ? '+' : '-'))
}
