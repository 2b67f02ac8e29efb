import type { AnyTask } from 'pergola/tasks'
import { grantRole } from './grant-role.ts'
import { inviteUser } from './invite.ts'
import { pruneSessions } from './prune-sessions.ts'

/** The application's own tasks, in alphabetical order. The tasks of a resource are listed in resources.ts. */
export const tasks: readonly AnyTask[] = [grantRole, inviteUser, pruneSessions]
