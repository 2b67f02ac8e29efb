import { sql } from 'kysely'
import { countOldRows, deleteOldRows } from '../../rows/old-rows.ts'

const changesOlderThan = (days: number) => ({
  table: 'record_changes',
  key: 'id',
  isOld: sql<boolean>`created_at < now() - make_interval(days => ${days})`,
})

/** Deletes a batch of recorded changes that are older than `days`. Returns how many: 0 if none is left. */
export const deleteOldChanges = (days: number): Promise<number> => deleteOldRows(changesOlderThan(days))

/** Returns the number of recorded changes that are older than `days`. */
export const countOldChanges = (days: number): Promise<number> => countOldRows(changesOlderThan(days))
