import { type RawBuilder, sql } from 'kysely'
import type { Config } from '#app/config.ts'

/** How long sessions last: `[session]` in config.toml. */
export type SessionLimits = Pick<Config['session'], 'idle_minutes' | 'lifetime_hours'>

/** SQL condition: the session was used in the last `idle_minutes`, and is not older than `lifetime_hours`. */
export const isAlive = ({ idle_minutes, lifetime_hours }: SessionLimits): RawBuilder<boolean> =>
  sql<boolean>`(last_seen_at > now() - make_interval(mins => ${sql.lit(idle_minutes)})
    and sessions.created_at > now() - make_interval(hours => ${sql.lit(lifetime_hours)}))`

/** SQL condition: `last_seen_at` is so old that a request updates it. Most requests write nothing. */
export const isStale = ({ idle_minutes }: SessionLimits): RawBuilder<boolean> =>
  sql<boolean>`last_seen_at < now() - make_interval(secs => ${sql.lit(Math.min(300, idle_minutes * 12))})`
