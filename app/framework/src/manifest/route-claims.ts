import { type Claim, claim, CLOSES, NEUTRAL, OPENS, valueClaim } from './claims.ts'
import type { RouteEntry } from './schema.ts'

/** Returns the claim of a route: its access, its decisions and its other guards. */
export function routeClaim(entry: RouteEntry): Claim {
  const { method, path, name, roles, guards, policy } = entry
  const key = `${method} ${path}`
  const decisions = policy?.split(', ').map(question) ?? []
  const [access, rank] = [accessText(entry), openness(entry)]
  const whole = [access, ...decisions.map((decision) => `checks ${decision}`)].join('; ')
  return {
    ...valueClaim({ ...OPENS, changed: 'other' }, key, access),
    added: `${key} is new, and ${whole}.`,
    gone: `${key} was removed; it was ${whole}.`,
    rank,
    // Changes between roles have sentences of their own.
    value: rank === 0 ? '' : access,
    order: { names: guards, changed: `${key} runs its guards in another order: ${guards.join(', ')}.` },
    below: [
      {
        key: `open with rank ${rank}`,
        effects: OPENS,
        below: roles.map((role) => claim(OPENS, `${key} is now reachable by role ${role}.`)),
      },
      ...decisions.map((decision) => claim(CLOSES, `${key} now checks ${decision}.`)),
      ...guards
        .filter(isOther)
        .map((guard) => claim(effectsOf(guard), `${key} now has the guard “${guard}”.`)),
      valueClaim(NEUTRAL, `The name of ${key}`, name),
    ],
  }
}

function openness({ classification, roles }: RouteEntry): number {
  if (classification === 'unclassified') return 3
  if (classification !== 'gated') return 2
  return roles.length === 0 ? 1 : 0
}

function accessText({ classification, roles }: RouteEntry): string {
  if (classification === 'unclassified') return 'outside of the route tables'
  if (classification === 'framework') return 'a public route of the framework'
  if (classification === 'public') return 'public'
  return roles.length === 0 ? 'open to all signed-in users' : `for ${roles.join(' or ')} only`
}

/** Returns whether the entry's roles and policy don't cover a guard. */
const isOther = (guard: string): boolean => !/^(?:public|secured(?: .*)?|authorize \S+ \S+)$/.test(guard)

/** A cached response is still shown to guests after its record was hidden from them. */
const effectsOf = (guard: string) => (guard.startsWith('cache ') ? OPENS : CLOSES)

/** Returns a decision in words: `update Post` → `whether the caller may update the Post`. */
function question(decision: string): string {
  const [action = '', resource = ''] = decision.split(' ')
  return `whether the caller may ${action} ${action === 'create' ? 'a' : 'the'} ${resource}`
}
