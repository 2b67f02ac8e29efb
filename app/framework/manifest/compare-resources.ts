import { added, type Differences, gone, none, together } from './differences.ts'
import type { Dimensions, ResourceEntry } from './schema.ts'

type Policies = Dimensions['authorization_policies']

/** What changed in policies and scopes, and in which APIs run without a policy. */
export function compareResources(old: Policies, now: Policies): Differences {
  const names = new Set([...old.resources, ...now.resources].map(({ resource }) => resource))
  const find = ({ resources }: Policies, name: string) =>
    resources.find(({ resource }) => resource === name) ?? nothing(name)
  return together([
    ...[...names].toSorted().map((name) => compareResource(find(old, name), find(now, name))),
    compareTells('The application', old.forbidden_response, now.forbidden_response),
    none({
      wider: added(old.any_session, now.any_session).map(
        (api) => `${api} now runs without a policy: any session may write it.`,
      ),
      narrower: gone(old.any_session, now.any_session).map(
        (api) => `${api} no longer runs without a policy.`,
      ),
    }),
  ])
}

const NO_ROLES = { provenance: 'declared' as const, by_rule: {} }

/** What a resource that isn't there allows. */
const nothing = (resource: string): ResourceEntry => ({
  resource,
  api: null,
  has_policy: false,
  actions: [],
  before: false,
  can_become: false,
  forbidden_response: null,
  roles: NO_ROLES,
  scope: null,
})

function compareResource(old: ResourceEntry, now: ResourceEntry): Differences {
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
    flagged(old.before, now.before, `${resource}: \`before\` may decide ahead of every rule`),
    // The other way round: the more is asked, the narrower.
    flagged(
      !old.can_become,
      !now.can_become,
      `${resource}: an update is stored without asking \`canBecome\``,
      {
        unless: old.has_policy !== now.has_policy,
      },
    ),
    compareTells(resource, old.forbidden_response, now.forbidden_response),
    compareRoles(`${resource}'s rule`, old.roles.by_rule, now.roles.by_rule),
    compareScope(old, now),
  ])
}

function flagged(old: boolean, now: boolean, what: string, { unless = false } = {}): Differences {
  if (old === now || unless) return none()
  return now ? none({ wider: [`${what}; that is new.`] }) : none({ narrower: [`No longer: ${what}.`] })
}

/** How much a refusal gives away. The application's own answer stands where a policy has none. */
function compareTells(who: string, old: string | null, now: string | null): Differences {
  if (old === now) return none()
  const sentence = `${who}: a denial now looks like ${now ?? 'that of the application'}; it was ${old ?? 'that'}.`
  return tells(now) >= tells(old) ? none({ wider: [sentence] }) : none({ narrower: [sentence] })
}

const tells = (answer: string | null): number => ['404', 'auto', '403'].indexOf(answer ?? '404')

type RolesByRule = ResourceEntry['roles']['by_rule']

function compareRoles(what: string, old: RolesByRule, now: RolesByRule): Differences {
  const mentions = (roles: RolesByRule) =>
    Object.entries(roles).flatMap(([rule, names]) => names.map((name) => `${rule}\n${name}`))
  const sentence = (mention: string, verb: string) => {
    const [rule, name] = mention.split('\n')
    return `${what} ${rule} ${verb} the role ${name}.`
  }
  return none({
    wider: added(mentions(old), mentions(now)).map((mention) => sentence(mention, 'now mentions')),
    narrower: gone(mentions(old), mentions(now)).map((mention) => sentence(mention, 'no longer mentions')),
  })
}

function compareScope(old: ResourceEntry, now: ResourceEntry): Differences {
  const { resource } = now
  const [before, after] = [old.scope, now.scope]
  return together([
    none({
      wider:
        before === null && after !== null ? [`${resource} has a scope now: its lists show records.`] : [],
      narrower:
        before !== null && after === null ? [`${resource} has no scope any more: its lists are empty.`] : [],
      // Each is AND-ed to the scope: a variant can't show more than the scope does.
      other: [
        ...added(before?.variants ?? [], after?.variants ?? []).map(
          (name) => `${resource}: the variant ${name} is new.`,
        ),
        ...gone(before?.variants ?? [], after?.variants ?? []).map(
          (name) => `${resource}: the variant ${name} is gone.`,
        ),
      ],
    }),
    compareRoles(`${resource}'s scope`, before?.roles.by_rule ?? {}, after?.roles.by_rule ?? {}),
  ])
}
