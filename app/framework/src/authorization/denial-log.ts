import type { Logger } from 'pino'
import type { DecisionEvent } from './registry.ts'

/**
 * Returns a `report` function for `useAuthorization` that writes each denial to the log: at level `info`, or `error`
 * if a rule threw. It logs ids only, never the values of a row.
 */
export const denialLog =
  (log: Logger) =>
  ({ error, ...event }: DecisionEvent): void => {
    if (error === undefined) log.info({ event: 'denied', ...event }, 'denied')
    else log.error({ event: 'denied', ...event, err: error }, 'a policy rule threw')
  }
