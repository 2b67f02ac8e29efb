import { sql } from 'kysely'
import { database, type PolicyContext, withAllTenants, withTenant } from 'pergola'
import { fromShard, shardNames } from 'pergola/scale'
import { readConfig } from '#app/config.ts'
import { resources } from '#app/resources.ts'
import { userContext } from '../../user-context.ts'

/** Returns the globals of the console: the database, every resource and its repository, `as` to act as a user, and the functions that set a tenant. */
export function consoleGlobals(): object {
  const repositories = resources.map(({ repository }) => repository)
  return {
    /** Reads any table. The tables of resources can be written only through their repositories. */
    get db() {
      return database()
    },
    sql,
    as,
    withTenant,
    withAllTenants,
    ...(readConfig().database.shards.length > 0 && { fromShard, shardNames }),
    ...Object.fromEntries(
      repositories.map((repository) => [variableOf(repository.resource.table), repository]),
    ),
    ...Object.fromEntries(repositories.map(({ resource }) => [resource.name, resource])),
  }
}

/** Returns the policy context of the user with this email address, or of a guest. Throws if no enabled user has it. */
async function as(email?: string): Promise<PolicyContext> {
  const ctx = await userContext(email === undefined ? null : { email }, readConfig())
  if (ctx === null) throw new Error(`No enabled user has the email address ${email}.`)
  return ctx
}

/** Returns `blogPosts` for `blog_posts`. */
const variableOf = (table: string) =>
  table.replaceAll(/[^A-Za-z0-9]+(.)/g, (_, letter: string) => letter.toUpperCase())
