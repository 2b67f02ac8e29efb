import type { Logger } from 'pino'
import type { DecisionEvent } from './registry.ts'

/** For `useAuthorization({ report })`: writes each denial to the log, as an error if a rule threw. */
export const denialLog =
  (log: Logger) =>
  ({ error, ...event }: DecisionEvent): void => {
    if (error === undefined) log.info({ event: 'denied', ...event }, 'denied')
    else log.error({ event: 'denied', ...event, err: error }, 'a policy rule threw')
  }
