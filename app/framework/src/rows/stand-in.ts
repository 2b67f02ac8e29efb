import { type FieldKind, fieldFacts } from '../resource/fields/field-kind.ts'
import type { Resource } from '../resource/resource.ts'
import type { RecordId } from '../resource/tables.ts'
import { setOrigin } from './row-origins.ts'

/**
 * Returns a row in place of a missing one, so that the policy decides about both: otherwise a stranger could tell a
 * denied record by the statements of its rules. Its references are ids of no row, so that lookups find nothing. No
 * decision on it allows anything.
 */
export function standIn(
  resource: Resource,
  { tenant, id = NO_ID[resource.idKind] }: { tenant: RecordId | null; id?: RecordId | undefined },
): object {
  const row: Record<string, unknown> = Object.fromEntries(
    resource.columns.map((column) => [column, valueOf(resource, column)]),
  )
  row['id'] = id
  if (resource.tenant !== null) row[resource.tenant] = tenant
  setOrigin(row, { resource, id, version: '', isMissing: true })
  return Object.freeze(row)
}

/** Returns the value that a new row would have, as far as the declaration of the resource tells it. */
function valueOf({ references, joins, owner, input, idKind }: Resource, column: string): unknown {
  if (column in joins) return []
  if (column === owner) return NO_ID.bigint
  if (column in references || column.endsWith('_id')) return NO_ID[references[column]?.idKind ?? idKind]
  const schema = input.shape[column]
  if (schema === undefined) return null
  const { kind, usual } = fieldFacts(schema)
  return usual ?? EMPTY[kind] ?? null
}

const NO_ID = { bigint: -1, uuid: '00000000-0000-0000-0000-000000000000' }

const EMPTY: Partial<Record<FieldKind, unknown>> = { text: '', number: 0, boolean: false }
