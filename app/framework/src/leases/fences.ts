import type { Fence } from '../database/unit.ts'
import type { Heartbeat } from './heartbeat.ts'

/**
 * Returns the fence of a run: after the run has lost its lease, its statements throw `LeaseLost`. `holdLease` returns
 * whether the run has its lease, and locks the row of the lease until the end of the transaction.
 */
export function leaseFence(heartbeat: Heartbeat, holdLease: () => Promise<boolean>): Fence {
  return {
    check(sql) {
      // A run that has lost its lease must still be able to roll back its transaction.
      if (sql !== 'rollback') heartbeat.check()
    },
    async hold() {
      if (!(await holdLease())) heartbeat.lose()
    },
  }
}

const HARMLESS =
  /^\s*(?:select|begin|start|commit|rollback|set|show|with(?!.*\b(?:insert|update|delete|merge)\b))\b/is

/** Returns the fence of a dry run: statements that write throw. */
export const readOnlyFence = ({ name }: { readonly name: string }): Fence => ({
  check(sql) {
    if (!HARMLESS.test(sql))
      throw new Error(
        `${name} tried to write in a dry run: ${sql.slice(0, 100)}. Check \`dryRun\` before writing.`,
      )
  },
  hold: () => Promise.resolve(),
})
