import { alignedText } from '../../commands/routes/table.ts'
import { editorOfTest } from '../editors/editors.ts'
import type { Model } from '../model.ts'

/** An actor or a record. */
interface Sample {
  readonly name: string
  readonly code: string
  readonly owns?: boolean
  readonly isPublic?: boolean
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

const listed = (all: readonly Sample[]) => all.map(({ name, code }) => `${name}: ${code}`).join(', ')

const actorsOf = (model: Model): Sample[] => [
  { name: 'guest', code: 'contextOf(null)' },
  ...(model.owner ? [{ name: 'owner', code: 'person(1)', owns: true }] : []),
  { name: model.owner ? 'stranger' : 'member', code: 'person(2)' },
  ...editorOfTest(model).actors,
  { name: 'admin', code: "person(3, ['admin'])" },
]

function recordsOf(model: Model): Sample[] {
  const { names, owner, readers, tenant } = model
  const columns = [
    ...(tenant ? [`${tenant.column}: 1`] : []),
    ...(owner === null ? [] : [`${owner.column}: 1`]),
    ...editorOfTest(model).columns,
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

function tableOf(model: Model, actors: readonly Sample[], records: readonly Sample[]): string {
  const rows = actors.flatMap((actor) =>
    records.map((record) => [actor.name, record.name, ...signsOf(model, actor, record)]),
  )
  const verbs = ['show', 'create', 'update', 'delete', ...model.actions.map(({ verb }) => verb)]
  return alignedText([['', '', ...verbs], ...rows]).replaceAll(/^/gm, '    ')
}

function signsOf(model: Model, { name, owns }: Sample, { isPublic }: Sample): string[] {
  const { owner, readers, editors, actions } = model
  const isMember = name !== 'guest'
  const deletes = name === 'admin' || owns === true
  const edits = deletes || name === 'editor'
  const shows = isPublic || edits || (readers === 'members' && !owner && !editors && isMember)
  const signs = [shows, owner ? isMember : deletes, edits, deletes, ...actions.map(() => edits)]
  return signs.map((may) => (may ? '+' : '-'))
}
