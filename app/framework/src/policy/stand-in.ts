import type { Request } from 'express'
import { setOrigin } from '../rows/row-origins.ts'
import { type FieldKind, fieldFacts } from '../resource/fields/field-kind.ts'
import type { Resource } from '../resource/resource.ts'
import type { RecordId } from '../resource/tables.ts'
import type { PolicyContext } from './authorization-types.ts'
import { policyContext } from './policy-context.ts'

/** Returns a row in place of the one that a request didn't find. */
export const missingRow = async (req: Request, resource: Resource, id: RecordId): Promise<object> =>
  standIn(await policyContext(req), resource, id)

/**
 * Returns a row in place of a missing one, so that the policy decides about both: otherwise a stranger could tell a
 * denied record by the statements of its rules. Its references are ids of no row, so that lookups find nothing. No
 * decision on it allows anything.
 */
export function standIn(
  { tenant }: PolicyContext,
  resource: Resource,
  id: RecordId = NO_ID[resource.idKind],
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
function valueOf({ references, owner, input, idKind }: Resource, column: string): unknown {
  if (column === owner) return NO_ID.bigint
  if (column in references || column.endsWith('_id')) return NO_ID[references[column]?.idKind ?? idKind]
  const schema = input.shape[column]
  if (schema === undefined) return null
  const { kind, usual } = fieldFacts(schema)
  return usual ?? EMPTY[kind] ?? null
}

const NO_ID = { bigint: -1, uuid: '00000000-0000-0000-0000-000000000000' }

const EMPTY: Partial<Record<FieldKind, unknown>> = { text: '', number: 0, boolean: false }
