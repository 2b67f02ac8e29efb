import type { Logger } from 'pino'
import { recordRejection } from 'pergola/accounts'
import { denialLog } from 'pergola/app'

type Report = ReturnType<typeof denialLog>

/** Returns a function that logs denials, and records the first one of each rate limit in a window. */
export function reportDenial(log: Logger): Report {
  const logDenial = denialLog(log)
  return (denial) => {
    logDenial(denial)
    if (denial.cause !== 'rate_limit') return
    const details = { target: denial.actor, ...(denial.reason !== null && { detail: denial.reason }) }
    // Not awaited: the refusal shouldn't wait for the database, and `recordRejection` never throws.
    void recordRejection('rate-limited', () => Promise.resolve(details))
  }
}
