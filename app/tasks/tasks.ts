import type { AnyTask } from 'pergola/tasks'
import { grantRole } from './grant-role.ts'
import { pruneSessions } from './prune-sessions.ts'

/** The application's own tasks, in the order of the alphabet. Those of a resource are in its entry in resources.ts. */
export const tasks: readonly AnyTask[] = [grantRole, pruneSessions]
