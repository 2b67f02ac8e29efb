/** What the requests of this process did, for development: see `/_dev/requests`. Imported as `pergola/dev`. */

export { answerWithError } from './answer-with-error.ts'
export { editorUrl } from './editor-url.ts'
export { locateFunction } from './locate-function.ts'
export { notices, recordedRequests, recordRequest } from './record-requests.ts'
export {
  type DecisionStep,
  type GuardStep,
  type LogLine,
  type Outcome,
  type Repeated,
  type RequestRecord,
  repeatedStatements,
  type StatementStep,
  type Step,
  type ViewStep,
} from './request-record.ts'
export {
  type Place,
  planPage,
  type PlanPage,
  requestPage,
  type RequestPage,
  requestsPage,
  type RequestsPage,
} from './request-pages.ts'
