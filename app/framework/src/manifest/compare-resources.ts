import { compareColumns } from './compare-columns.ts'
import { compareDenials } from './compare-denials.ts'
import { compareRoles } from './compare-roles.ts'
import { added, type Differences, gone, none, together } from './differences.ts'
import type { Dimensions, ResourceEntry } from './schema.ts'

type Policies = Dimensions['authorization_policies']

/** Compares resources, their policies and scopes, and the APIs without a policy. */
export function compareResources(old: Policies, now: Policies): Differences {
  const names = new Set([...old.resources, ...now.resources].map(({ resource }) => resource))
  const find = ({ resources }: Policies, name: string) => resources.find(({ resource }) => resource === name)
  return together([
    ...[...names].toSorted().map((name) => compareOne(find(old, name), find(now, name))),
    compareDenials(old, now),
    none({
      wider: gone(ownDecisionsOf(old), ownDecisionsOf(now)).map((one) => `The decision ${one} was removed.`),
      narrower: added(ownDecisionsOf(old), ownDecisionsOf(now)).map((one) => `The decision ${one} is new.`),
    }),
    none({
      wider: gone(old.access_tables, now.access_tables).map(
        (table) => `${table} is no longer an access table: any code can write it.`,
      ),
      narrower: added(old.access_tables, now.access_tables).map(
        (table) => `${table} is now an access table.`,
      ),
    }),
    none({
      wider: added(old.any_session, now.any_session).map(
        (api) => `${api} is now open to all signed-in users, because it has no policy.`,
      ),
      narrower: gone(old.any_session, now.any_session).map(
        (api) => `${api} is no longer open to all signed-in users.`,
      ),
    }),
  ])
}

const ownDecisionsOf = ({ in_code }: Policies): string[] =>
  in_code.map(({ file, decision }) => `${decision} in ${file}`)

function compareOne(old: ResourceEntry | undefined, now: ResourceEntry | undefined): Differences {
  if (old && now) return together([compareColumns(old, now), comparePolicy(old, now), compareScope(old, now)])
  if (now) {
    const nothing = withoutRules(now)
    const columns = now.input.join(', ') || 'nothing'
    const isNew = none({ wider: [`${now.resource} is a new resource: clients can write ${columns}.`] })
    return together([isNew, comparePolicy(nothing, now), compareScope(nothing, now)])
  }
  return none({
    wider: old ? [`${old.resource} is no longer a resource: nothing protects its table.`] : [],
  })
}

/** Returns the entry without its policy and scope. */
const withoutRules = (entry: ResourceEntry): ResourceEntry => ({
  ...entry,
  has_policy: false,
  actions: [],
  before: false,
  can_become: false,
  roles: NO_ROLES,
  fields: null,
  scope: null,
})

const NO_ROLES: ResourceEntry['roles'] = { provenance: 'declared', by_rule: {} }

function comparePolicy(old: ResourceEntry, now: ResourceEntry): Differences {
  const { resource } = now
  return together([
    none({
      wider: added(old.actions, now.actions).map(
        (action) => `${resource}'s policy now has a rule for ${action}.`,
      ),
      narrower: gone(old.actions, now.actions).map(
        (action) => `${resource}'s policy no longer has a rule for ${action}.`,
      ),
    }),
    none({ wider: specialRules(old, now), other: namesOnly(old, now) }),
    compareRoles({ what: `${resource}'s rule`, rules: rulesOf(now), old: old.roles, now: now.roles }),
    compareFields(resource, old.fields ?? NO_FIELDS, now.fields ?? NO_FIELDS),
  ])
}

const rulesOf = ({ actions, before, can_become }: ResourceEntry): string[] => [
  ...(before ? ['before'] : []),
  ...(can_become ? ['canBecome'] : []),
  ...actions.map((action) => `can${action.charAt(0).toUpperCase()}${action.slice(1)}`),
]

type Fields = NonNullable<ResourceEntry['fields']>
const NO_FIELDS: Fields = { rules: [], roles: NO_ROLES }

/**
 * Compares the rules of single fields, which remove access. But a rule `set` replaces the default, by which only callers
 * who see the field may set it.
 */
function compareFields(resource: string, old: Fields, now: Fields): Differences {
  const [before, after] = [old.rules, now.rules]
  const removed = gone(before, after).map((rule) => `${resource}'s rule for the field ${rule} was removed.`)
  const fresh = added(before, after)
  const replacesSee = (rule: string) => before.includes(rule.replace(/\.set$/, '.see'))
  const isNew = (rule: string) => `${resource} now has a rule for the field ${rule}.`
  return together([
    none({
      wider: [...removed, ...fresh.filter(replacesSee).map(isNew)],
      narrower: fresh.filter((rule) => !replacesSee(rule)).map(isNew),
    }),
    compareRoles({ what: `${resource}'s rule for the field`, rules: after, old: old.roles, now: now.roles }),
  ])
}

/** Returns the changes of `before` and `canBecome`. These rules can allow and deny, so each change may give access. */
function specialRules(old: ResourceEntry, now: ResourceEntry): string[] {
  const { resource } = now
  const sentences = [
    now.before &&
      !old.before &&
      `${resource}: \`before\` is new and can allow actions that other rules deny.`,
    old.before && !now.before && `${resource}: \`before\` was removed. It may have denied actions.`,
    now.can_become &&
      !old.can_become &&
      `${resource}: \`canBecome\` is new and can allow changes of immutable columns.`,
    old.can_become &&
      !now.can_become &&
      `${resource}: \`canBecome\` was removed. It may have denied updates.`,
  ]
  return sentences.filter((sentence) => sentence !== false)
}

function namesOnly(old: ResourceEntry, now: ResourceEntry): string[] {
  const { resource } = now
  return [
    ...(old.has_policy === now.has_policy
      ? []
      : [`${resource} ${now.has_policy ? 'now has a policy' : 'no longer has a policy'}.`]),
    ...(old.api === now.api ? [] : [`${resource} now has ${apiText(now.api)}; it had ${apiText(old.api)}.`]),
  ]
}

const apiText = (api: string | null): string => (api === null ? 'no API' : `its API at ${api}`)

function compareScope(old: ResourceEntry, now: ResourceEntry): Differences {
  const { resource } = now
  const [before, after] = [old.scope, now.scope]
  return together([
    none({
      wider:
        before === null && after !== null ? [`${resource} now has a scope: its lists show records.`] : [],
      narrower:
        before !== null && after === null ? [`${resource} no longer has a scope: its lists are empty.`] : [],
      // A variant is joined to the scope with AND, so that it can't show more rows.
      other: [
        ...added(before?.variants ?? [], after?.variants ?? []).map(
          (name) => `${resource}: the variant ${name} is new.`,
        ),
        ...gone(before?.variants ?? [], after?.variants ?? []).map(
          (name) => `${resource}: the variant ${name} was removed.`,
        ),
      ],
    }),
    compareRoles({
      what: `${resource}'s scope`,
      rules: after === null ? [] : ['where', ...after.variants],
      old: before?.roles,
      now: after?.roles,
    }),
  ])
}
