import type { Result } from '../upgrade/report.ts'

/** The result of an upgrade that changes nothing. */
export const emptyResult: Result = {
  from: '0.1.0 (a)',
  to: '0.2.0 (b)',
  outcomes: [],
  news: { entries: [], steps: [] },
  next: [],
  diff: null,
  isDry: false,
}
