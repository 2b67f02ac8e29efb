import { z } from 'zod'
import type { Role } from 'pergola'

/** The roles of users. Each is a checkbox on a user's page, and an argument of `ctx.hasRole` and `secured`. */
export const ROLES = ['admin'] as const

/** The schema of the checkboxes: one for each role. */
export const roleFields = Object.fromEntries(ROLES.map((role) => [role, z.boolean()])) as Record<
  Role,
  z.ZodBoolean
>
