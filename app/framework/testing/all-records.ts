import { allRows, listSource } from '../src/lists/list-source.ts'
import { listing } from '../src/lists/listing.ts'
import type { Resource } from '../src/resource/resource.ts'
import type { RecordId } from '../src/resource/tables.ts'

export type Row = Readonly<Record<string, unknown>> & { readonly id: RecordId }

/** Returns all records of a resource, whatever its policy and its scope. Within `withTenant`, those of the tenant. */
export const allRecords = async (resource: Resource): Promise<Row[]> =>
  (await listing(listSource(resource, allRows(resource))).findAll()) as Row[]
