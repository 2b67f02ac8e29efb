/** Columns with several values, responses for caches, counts of child records, the choices of filters, field rules, the history of records, forms filled in by a link, and the types for features of your own. Imported as `pergola/features`. */

export { arrayField, arrayFilter } from '../features/arrays/arrays.ts'
export { cache } from '../features/cache/cache.ts'
export { withFilterChoices } from '../features/choices/filter-choices.ts'
export { childCounts } from '../features/child-scope/child-scope.ts'
export { type FieldRule, fieldRules } from '../features/field-rules/field-rules.ts'
export { type JoinedIds, joinTable } from '../features/join-table/join-table.ts'
export { prefilled } from '../features/prefilled/prefilled.ts'
export { history } from '../features/history/history.ts'
export type { RecordChange } from '../features/history/record-history.ts'
export { transitions } from '../features/transitions/transitions.ts'
export { countOldChanges, deleteOldChanges } from '../features/history/prune-changes.ts'
export type { FeatureMethods, RecordFeature, WriteWatcher } from '../writes/record-feature.ts'
