import { seedEmptyTables } from '../../src/application/seed-empty-tables.ts'
import type { Access } from '../../src/http/routes/route-types.ts'
import { objections } from './objections.ts'
import { MARKUP } from './hostile-values.ts'
import { type Attack, type RouteAttack, type Target } from './route-attacks.ts'
import {
  addressOf,
  isApiRoute,
  type Makers,
  recordMaker,
  resourceRoutes,
} from '../../testing/route-records.ts'
import type { TestApp, TestUser } from '../../testing/test-app.ts'
import { type Answer, TestClient } from '../../testing/test-client.ts'

/** The callers of an attack, and their records. */
export interface AttackOptions {
  /** A user who may use all routes and owns the records, such as an admin. */
  insider: TestUser
  makers: Makers
  /** Texts that no response may contain. */
  secrets: readonly string[]
}

/**
 * Sends the requests of an attack to every route of the application, as a guest and as `insider`, with records of the
 * insider. Returns the number of requests, and a sentence for each response that is wrong: with a status that the attack
 * doesn't allow or of 500 and above, with internals, secrets or unescaped markup, or without the security headers. Guests
 * may get any status below 500, and never the insider's email address. It changes and deletes records.
 *
 * ```ts
 * it.each(Object.entries(routeAttacks))('%s', async (_, attack) => {
 *   const { problems } = await attackRoutes(app, attack, { insider, makers, secrets: [] })
 *   expect(problems).toEqual([])
 * })
 * ```
 */
export async function attackRoutes(
  app: TestApp,
  attack: RouteAttack,
  { insider, makers, secrets }: AttackOptions,
): Promise<{ requests: number; problems: string[] }> {
  const result = { requests: 0, problems: [] as string[] }
  const asInsider = await app.signInAs(insider.email)
  const guest = { isAllowed: undefined, secrets: [...secrets, insider.email] }
  for (const target of await attackTargets(app, insider, makers)) {
    const attacks = attack.attacks(target)
    const sendAll = async (caller: string, client: TestClient, expected: Omit<Expected, 'target'>) => {
      for (const request of attacks) {
        result.requests++
        const problems = problemsOf(await send(client, target, request), { target, ...expected })
        result.problems.push(...problems.map((one) => `${nameOf(target, request)} as ${caller}: ${one}`))
      }
    }
    await sendAll('guest', new TestClient(app.url), guest)
    // A write may end the session.
    const endsSession = target.method !== 'GET' && attacks.length > 0
    const client = endsSession ? await app.signInAs(insider.email) : asInsider
    await sendAll('insider', client, { isAllowed: attack.allows, secrets })
  }
  return result
}

/**
 * Returns every route of the application with the ids of records that belong to `owner`, from `makers` or from the seed.
 * Routes that delete are the last.
 */
export async function attackTargets(app: TestApp, owner: TestUser, makers: Makers): Promise<Target[]> {
  return app.within(async () => {
    await seedEmptyTables(app.resources, [owner.id])
    const makeRecords = recordMaker(app, owner, makers)
    const targets: Target[] = []
    for (const route of resourceRoutes(app)) {
      targets.push({
        method: route.method,
        pattern: route.path,
        path: addressOf(route, await makeRecords(route)),
        isApi: isApiRoute(app, route),
        isSecured: route.guards.some(
          (guard) => guard.kind === 'access' && (guard as Access).access === 'secured',
        ),
      })
    }
    return targets.toSorted((one, other) => Number(deletes(one)) - Number(deletes(other)))
  })
}

const deletes = ({ method }: Target) => method === 'DELETE'

function send(client: TestClient, { method, path, isApi }: Target, attack: Attack): Promise<Answer | null> {
  // An API with versions requires it, and rejects the request before it reads the body.
  const headers = isApi ? { 'If-Match': '*', ...attack.headers } : (attack.headers ?? {})
  return client.send(attack.method ?? method, attack.path ?? path, { ...attack, headers }).catch(() => null)
}

interface Expected {
  target: Target
  isAllowed: RouteAttack['allows']
  secrets: readonly string[]
}

function problemsOf(answer: Answer | null, { target, isAllowed, secrets }: Expected): string[] {
  if (answer === null) return ['no response']
  const isPage = (answer.headers.get('content-type') ?? '').startsWith('text/html')
  const expected = isAllowed ?? ((status) => status < 500)
  return [
    ...objections(answer, secrets),
    ...(expected(answer.status, target) || answer.status >= 500 ? [] : [`status ${answer.status}`]),
    ...(isPage && answer.text.includes(MARKUP) ? ['unescaped markup'] : []),
  ]
}

function nameOf({ method, path }: Target, attack: Attack): string {
  const { method: _method, path: _path, ...content } = attack
  return `${attack.method ?? method} ${attack.path ?? path} ${JSON.stringify(content)}`.slice(0, 200)
}
