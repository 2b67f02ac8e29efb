/** Features of repositories: those of the framework, and what a feature of your own needs. Imported as `pergola/features`. */

// Rules of single fields
export { type FieldRule, fieldRules } from '../features/field-rules/field-rules.ts'

// The history of records
export { history } from '../features/history/history.ts'
export type { RecordChange } from '../features/history/record-history.ts'
export { countOldChanges, deleteOldChanges } from '../features/history/prune-changes.ts'

// Features of your own
export type {
  FeatureMethods,
  RecordFeature,
  RecordQuery,
  WatchedRecords,
  WriteAction,
  WriteWatcher,
} from '../writes/record-feature.ts'
