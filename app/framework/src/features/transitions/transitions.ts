import { sql } from 'kysely'
import { Invalid } from '../../http/errors.ts'
import { humanize } from '../../resource/humanize.ts'
import type { Resource } from '../../resource/resource.ts'
import { selectFrom } from '../../rows/statements.ts'
import {
  type RecordFeature,
  type RecordQuery,
  withIds,
  type WriteWatcher,
} from '../../writes/record-feature.ts'

/** The states that may follow each state: `{ open: ['closed'], closed: [] }`. */
export type NextStates<State extends string = string> = {
  readonly [From in State]: readonly NoInfer<State>[]
}

/**
 * The feature of a repository whose records change their state only along these transitions. Any other change throws
 * `Invalid` (422), also one of `asSystem`. A new record may have any state. The state of a column that is null is `nothing`.
 * A write of the column costs two statements and a transaction more. An update of other columns costs nothing, unless
 * another feature watches it.
 *
 * ```ts
 * repository(Ticket, { features: [transitions('state', { open: ['closed'], closed: ['open'] })] })
 * ```
 */
export function transitions<State extends string>(
  column: string,
  next: NextStates<State>,
): RecordFeature<'transitions'> {
  return Object.freeze({
    name: 'transitions',
    watch: (resource: Resource) => watcherOf(resource, column, next),
  })
}

function watcherOf(resource: Resource, column: string, next: NextStates): WriteWatcher {
  const known = [...resource.columns, ...resource.hidden]
  if (!known.includes(column))
    throw new Error(
      `${resource.name} has no column ${column}. Name the column with the state in transitions.`,
    )
  const statesIn = async (records: RecordQuery) => {
    const state = sql<string>`coalesce(${sql.ref(column)}::text, 'nothing')`.as('state')
    // In the order of the ids, so that two calls with the same records can't deadlock.
    const rows = await records.clearSelect().select(['id', state]).orderBy('id').forNoKeyUpdate().execute()
    return new Map(rows.map(({ id, state }) => [String(id), state]))
  }
  return {
    only: [column],
    inserted: async () => {},
    async before(_action, records) {
      const before = await statesIn(records)
      const ids = [...before.keys()]
      const after = async () => {
        const written = await statesIn(withIds(resource, selectFrom(resource, { which: 'all' }), ids))
        for (const [id, state] of written) refuseUnlisted({ column, next }, before.get(id), state)
      }
      return { ids, after }
    },
  }
}

function refuseUnlisted(
  { column, next }: { column: string; next: NextStates },
  from: string | undefined,
  to: string,
): void {
  if (from === undefined || from === to || next[from]?.includes(to)) return
  const message = `${humanize(from)} can’t become ${humanize(to).toLowerCase()}.`
  throw new Invalid([{ field: column, messages: [message] }])
}
