import { type PolicyContext, withDatabase } from 'pergola'
import { explain, type Explanation } from 'pergola/manifest'
import { type Config, readConfig } from '#app/config.ts'
import { resources } from '#app/resources.ts'
import { Exit, EXIT } from '../../exit.ts'
import { inDatabase } from '../../in-database.ts'
import { oneDatabase, type ShardOption } from '../../shards.ts'
import { choices, nearest } from '../../nearest.ts'
import { printResult } from '../../print-result.ts'
import { userContext } from '../../user-context.ts'

interface WhyOptions extends ShardOption {
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
  const config = oneDatabase(readConfig(), options)
  await inDatabase(config, (db) =>
    withDatabase(db, async () => {
      const ctx = await contextFor(options.user, config)
      const explanation = await explain(repository, ctx, { action, id })
      const known = Object.keys(repository.options.policy?.rules ?? {})
      printResult(options.json, explanation, inWords(explanation, { ...options, ctx, known }))
      if (!explanation.allowed) process.exitCode = EXIT.failed
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

/** Returns the context of an enabled user, by id or email address, or of a guest. */
async function contextFor(user: string, config: Config): Promise<PolicyContext> {
  const isId = /^[1-9]\d{0,15}$/.test(user)
  const key = isId ? { id: Number(user) } : { email: user }
  const ctx = await userContext(user === 'guest' ? null : key, config)
  if (ctx !== null) return ctx
  throw new Exit(EXIT.failed, `No enabled user has the ${isId ? 'id' : 'email address'} ${user}.`)
}

interface Asked extends WhyOptions {
  ctx: PolicyContext
  /** The rules of the policy. */
  known: readonly string[]
}

function inWords(explanation: Explanation, { action, resource, id, ctx, known }: Asked): string {
  const { exists, otherTenant, allowed, cause, rules, isListed, declaredAt } = explanation
  const roles = ctx.roles.length === 0 ? 'no roles' : ctx.roles.join(', ')
  const caller = ctx.userId === null ? 'a guest' : `user ${ctx.userId} (${roles})`
  const record = id === undefined ? resource : `${resource} ${id}`
  if (otherTenant !== null) {
    const own = ctx.tenant === null ? 'has none' : `to ${ctx.tenant}`
    return `${record} belongs to the tenant ${otherTenant}, and ${caller} ${own}. ${action} is a 404, as for a missing record.`
  }
  if (!exists) return `${record} does not exist. ${action} is a 404 for ${caller}.`
  const lines = rules.flatMap(({ rule, answer, lookups }) => [
    `  ${rule}: ${answer}${cause === 'no_action' ? `. ${choices(known, nearest(rule, known))}` : ''}`,
    ...lookups.map(
      ({ declaredAt: place, key, value, isScope }) =>
        `    ${isScope ? key : `lookup of ${key}`}: ${JSON.stringify(value)} (${place})`,
    ),
  ])
  const listed = isListed ? 'lists' : 'does not list'
  return [
    `${action} of ${record} is ${allowed ? 'allowed' : 'denied'} for ${caller}${allowed || cause === 'denied' ? '' : `: ${cause}`}.`,
    ...lines,
    `  policy: ${declaredAt.policy ?? 'none'}`,
    ...(isListed === null ? [] : [`  scope: ${listed} the record (${declaredAt.scope ?? 'no scope'})`]),
  ].join('\n')
}
