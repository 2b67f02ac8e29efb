import { contextOf, database, type PolicyContext, registryOfResources, withDatabase } from 'pergola'
import { explain, type Explanation } from 'pergola/manifest'
import { readConfig } from '#app/config.ts'
import { resources } from '#app/resources.ts'
import { Exit, EXIT } from './exit.ts'
import { inDatabase } from './in-database.ts'
import { choices, nearest } from './nearest.ts'

interface WhyOptions {
  user: string
  action: string
  resource: string
  id?: string
  json?: boolean
}

/** Prints the answer of each rule, lookup and scope for one user, one action and one record. */
export async function whyCommand(options: WhyOptions): Promise<void> {
  const repository = repositoryNamed(options.resource)
  const { action, id = null } = options
  if (id === null && action !== 'create')
    throw new Exit(EXIT.usage, `${action} concerns a record. Add its id: npx cli why … ${options.resource} 1`)
  await inDatabase(readConfig(), (db) =>
    withDatabase(db, async () => {
      const ctx = await contextFor(options.user)
      const explanation = await explain(repository, ctx, { action, id })
      if (options.json) console.log(JSON.stringify(explanation, null, 2))
      else console.log(inWords(explanation, { ...options, ctx }))
    }),
  )
}

function repositoryNamed(name: string) {
  const repositories = resources.map(({ repository }) => repository)
  const found = repositories.find(({ resource }) => resource.name.toLowerCase() === name.toLowerCase())
  if (found !== undefined) return found
  const names = repositories.map(({ resource }) => resource.name)
  throw new Exit(EXIT.usage, `No resource is named ${name}. ${choices(names, nearest(name, names))}`)
}

/** Returns the context of an enabled user, or of a guest. */
async function contextFor(user: string): Promise<PolicyContext> {
  const parts = { db: database, registry: registryOfResources(resources) }
  if (user === 'guest') return contextOf(null, parts)
  const isId = /^[1-9]\d{0,15}$/.test(user)
  const row = await database()
    .selectFrom('users')
    .select(['id', 'name', 'roles'])
    .where('disabled_at', 'is', null)
    .where((is) => (isId ? is('id', '=', Number(user)) : is('email', '=', user.toLowerCase())))
    .executeTakeFirst()
  if (row === undefined)
    throw new Exit(EXIT.failed, `No enabled user has the ${isId ? 'id' : 'email address'} ${user}.`)
  return contextOf({ id: 'why', userId: row.id, name: row.name, roles: row.roles }, parts)
}

interface Asked extends WhyOptions {
  ctx: PolicyContext
}

function inWords(explanation: Explanation, { action, resource, id, ctx }: Asked): string {
  const { exists, allowed, cause, rules, isListed, declaredAt } = explanation
  const roles = ctx.roles.length === 0 ? 'no roles' : ctx.roles.join(', ')
  const caller = ctx.userId === null ? 'a guest' : `user ${ctx.userId} (${roles})`
  const record = id === undefined ? resource : `${resource} ${id}`
  if (!exists) return `${record} does not exist. ${action} is a 404 for ${caller}.`
  const lines = rules.flatMap(({ rule, answer, lookups }) => [
    `  ${rule}: ${answer}`,
    ...lookups.map(
      ({ declaredAt: place, key, value }) => `    lookup of ${key}: ${JSON.stringify(value)} (${place})`,
    ),
  ])
  return [
    `${action} of ${record} is ${allowed ? 'allowed' : 'denied'} for ${caller}${allowed || cause === 'denied' ? '' : `: ${cause}`}.`,
    ...lines,
    `  policy: ${declaredAt.policy ?? 'none'}`,
    ...(isListed === null
      ? []
      : [
          `  scope: ${isListed ? 'lists the record' : 'does not list the record'} (${declaredAt.scope ?? 'no scope'})`,
        ]),
  ].join('\n')
}
