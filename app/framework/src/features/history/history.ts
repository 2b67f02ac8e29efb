import type { Resource } from '../../resource/resource.ts'
import type { RecordFeature } from '../../writes/record-feature.ts'
import { changeRecorder } from './record-changes.ts'
import { type RecordHistory, recordHistory, type SystemHistory, systemHistory } from './record-history.ts'

declare module 'pergola/features' {
  interface FeatureMethods<R extends Resource> {
    history: { methods: RecordHistory<R>; systemMethods: SystemHistory<R> }
  }
}

/**
 * The feature of a repository that records the changes of each record, with the user or the task, in the transaction of
 * the write. `history(record)` returns them. A write costs two statements and a transaction more, an insert one statement.
 *
 * ```ts
 * export const posts = repository(Post, { policy: postPolicy, scope: postScope, features: [history] })
 * ```
 */
export const history: RecordFeature<'history'> = Object.freeze({
  name: 'history',
  watch: changeRecorder,
  methods: recordHistory,
  systemMethods: systemHistory,
})
