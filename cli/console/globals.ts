import { sql } from 'kysely'
import { contextOf, database, type PolicyContext, registryOfResources } from 'pergola'
import { resources } from '#app/resources.ts'

/** Returns the globals of the console: the database, every resource and its repository, and `as` to act as a user. */
export function consoleGlobals(): object {
  const repositories = resources.map(({ repository }) => repository)
  return {
    /** Reads any table. The tables of resources can be written only through their repositories. */
    get db() {
      return database()
    },
    sql,
    as,
    ...Object.fromEntries(
      repositories.map((repository) => [variableOf(repository.resource.table), repository]),
    ),
    ...Object.fromEntries(repositories.map(({ resource }) => [resource.name, resource])),
  }
}

/** Returns the policy context of the user with this email address, or of a guest. Throws if no enabled user has it. */
async function as(email?: string): Promise<PolicyContext> {
  const parts = { db: database, registry: registryOfResources(resources) }
  if (email === undefined) return contextOf(null, parts)
  const user = await database()
    .selectFrom('users')
    .select(['id', 'name', 'roles'])
    .where('email', '=', email.toLowerCase())
    .where('disabled_at', 'is', null)
    .executeTakeFirst()
  if (user === undefined) throw new Error(`No enabled user has the email address ${email}.`)
  return contextOf({ id: 'console', userId: user.id, name: user.name, roles: user.roles }, parts)
}

/** Returns `blogPosts` for `blog_posts`. */
const variableOf = (table: string) =>
  table.replaceAll(/[^A-Za-z0-9]+(.)/g, (_, letter: string) => letter.toUpperCase())
