import type { AnyTask } from 'pergola/tasks'
import { grantRole } from './grant-role.ts'
import { importPosts } from './import-posts.ts'
import { pruneSessions } from './prune-sessions.ts'
import { recountPosts } from './recount-posts.ts'

/** Every task of the application, in the order of the alphabet. */
export const tasks: readonly AnyTask[] = [grantRole, importPosts, pruneSessions, recountPosts]
