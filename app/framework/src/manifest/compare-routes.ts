import { added, type Differences, gone, none, together } from './differences.ts'
import type { RouteEntry } from './schema.ts'

export function compareRoutes(old: readonly RouteEntry[], now: readonly RouteEntry[]): Differences {
  const [before, after] = [byText(old), byText(now)]
  const keys = new Set([...before.keys(), ...after.keys()])
  return together([...keys].map((key) => compareAll(key, before.get(key) ?? [], after.get(key) ?? [])))
}

const byText = (entries: readonly RouteEntry[]) =>
  Map.groupBy(entries, ({ method, path }) => `${method} ${path}`)

/** Compares the routes of one method and path. Several routes are compared only as a whole: they are unclassified. */
function compareAll(key: string, old: readonly RouteEntry[], now: readonly RouteEntry[]): Differences {
  const [before, after] = [old[0], now[0]]
  if (old.length === 1 && now.length === 1 && before && after) return compareRoute(key, before, after)
  return none({
    wider: added(old.map(entryText), now.map(entryText)).map((text) => `${key} is new, and ${text}.`),
    narrower: gone(old.map(entryText), now.map(entryText)).map(
      (text) => `${key} was removed; it was ${text}.`,
    ),
  })
}

function compareRoute(key: string, old: RouteEntry, now: RouteEntry): Differences {
  return together([
    compareAccess(key, old, now),
    compareDecisions(key, old, now),
    compareGuards(key, old, now),
    none({ other: old.name === now.name ? [] : [`${key} is now called ${now.name}; it was ${old.name}.`] }),
  ])
}

function compareAccess(key: string, old: RouteEntry, now: RouteEntry): Differences {
  const rise = openness(now) - openness(old)
  if (rise > 0) return none({ wider: [`${key} is now ${accessText(now)}; it was ${accessText(old)}.`] })
  if (rise < 0) return none({ narrower: [`${key} is now ${accessText(now)}; it was ${accessText(old)}.`] })
  return none({
    wider: added(old.roles, now.roles).map((role) => `${key} is now reachable by role ${role}.`),
    narrower: gone(old.roles, now.roles).map((role) => `${key} is no longer reachable by role ${role}.`),
    other:
      old.classification === now.classification
        ? []
        : [`${key} is now ${accessText(now)}; it was ${accessText(old)}.`],
  })
}

function openness({ classification, roles }: RouteEntry): number {
  if (classification === 'unclassified') return 3
  if (classification !== 'gated') return 2
  return roles.length === 0 ? 1 : 0
}

const accessText = ({ classification, roles }: RouteEntry): string => {
  if (classification === 'unclassified') return 'outside of the route tables'
  if (classification !== 'gated')
    return classification === 'public' ? 'public' : 'a public route of the framework'
  return roles.length === 0 ? 'open to all signed-in users' : `for ${roles.join(' or ')} only`
}

const decisionsOf = ({ policy }: RouteEntry): string[] => policy?.split(', ') ?? []

const entryText = (entry: RouteEntry): string =>
  [accessText(entry), ...decisionsOf(entry).map((decision) => `checks ${question(decision)}`)].join('; ')

function compareDecisions(key: string, old: RouteEntry, now: RouteEntry): Differences {
  const [before, after] = [decisionsOf(old), decisionsOf(now)]
  return none({
    wider: gone(before, after).map((decision) => `${key} no longer checks ${question(decision)}.`),
    narrower: added(before, after).map((decision) => `${key} now checks ${question(decision)}.`),
  })
}

/** Compares the guards except access and decisions. A changed guard is reported as a removed and an added guard. */
function compareGuards(key: string, old: RouteEntry, now: RouteEntry): Differences {
  const [before, after] = [otherGuards(old), otherGuards(now)]
  const [lost, gained] = [gone(before, after), added(before, after)]
  const moved = both(old.guards, now.guards).join() !== both(now.guards, old.guards).join()
  return none({
    wider: [
      ...lost.map((guard) => `${key} no longer has the guard “${guard}”.`),
      ...(moved ? [`${key} runs its guards in another order: ${now.guards.join(', ')}.`] : []),
    ],
    narrower: gained.map((guard) => `${key} now has the guard “${guard}”.`),
  })
}

/** Returns the common items, in the order of the first list. */
const both = (some: readonly string[], others: readonly string[]) => gone(some, gone(some, others))

/** Returns the guards that the entry's roles and policy don't cover. */
const otherGuards = ({ guards }: RouteEntry): string[] =>
  guards.filter((guard) => !/^(?:public|secured(?: .*)?|authorize \S+ \S+)$/.test(guard))

/** Returns a decision in words: `update Post` → `whether the caller may update the Post`. */
function question(decision: string): string {
  const [action = '', resource = ''] = decision.split(' ')
  return `whether the caller may ${action} ${action === 'create' ? 'a' : 'the'} ${resource}`
}
