import type { Cause } from '../database/unit.ts'

/**
 * Returns the log of a unit without a logger, whose output is the terminal or the log of the worker:
 * `role-granted: target_id 2, detail admin`.
 */
export function causeLog(warn: (line: string) => void): NonNullable<Cause['log']> {
  const write = ({ event: _event, kind: _kind, ...fields }: Record<string, unknown>, message: string) => {
    const facts = Object.entries(fields).filter(([, value]) => value !== null)
    warn(`${message}: ${facts.map(([name, value]) => `${name} ${String(value)}`).join(', ')}`)
  }
  return { info: write, error: write }
}
