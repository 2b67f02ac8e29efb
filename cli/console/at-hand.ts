import { sql } from 'kysely'
import { contextOf, database, type PolicyContext, registryOfResources } from 'pergola'
import { resources } from '#app/resources.ts'

/** What the console knows by name: the database, every resource and its repository, and who to be. */
export function atHand(): object {
  const repositories = resources.map(({ repository }) => repository)
  return {
    /** It reads everything; the tables of resources are written by their repositories alone. */
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

/** How policies and scopes see the user with this address; a guest without one. Throws where nobody has it. */
async function as(email?: string): Promise<PolicyContext> {
  const parts = { db: database, registry: registryOfResources(resources) }
  if (email === undefined) return contextOf(null, parts)
  const user = await database()
    .selectFrom('users')
    .select(['id', 'name', 'roles'])
    .where('email', '=', email.toLowerCase())
    .where('disabled_at', 'is', null)
    .executeTakeFirst()
  if (user === undefined) throw new Error(`Nobody can sign in as ${email}.`)
  return contextOf({ id: 'console', userId: user.id, name: user.name, roles: user.roles }, parts)
}

/** `blog_posts` → `blogPosts` */
const variableOf = (table: string) =>
  table.replaceAll(/[^A-Za-z0-9]+(.)/g, (_, letter: string) => letter.toUpperCase())
