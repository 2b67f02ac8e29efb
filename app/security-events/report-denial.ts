import type { Logger } from 'pino'
import { denialLog, recordRejection } from 'pergola'

type Report = ReturnType<typeof denialLog>

/** Returns a function that logs denials, and records the first one of each rate limit in a window. */
export function reportDenial(log: Logger): Report {
  const logDenial = denialLog(log)
  return (denial) => {
    logDenial(denial)
    if (denial.cause !== 'rate_limit') return
    void recordRejection('rate-limited', () => Promise.resolve({ target: denial.actor }))
  }
}
