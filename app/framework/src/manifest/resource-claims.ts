import { ruleKey } from '../policy/decide.ts'
import { type Claim, claim, CLOSES, NEUTRAL, OPENS, UNCLEAR, valueClaim, valueClaims } from './claims.ts'
import type { ResourceEntry } from './schema.ts'

/** Returns the claim of a resource. `denials` is the response to denials of resources without a setting. */
export function resourceClaim(entry: ResourceEntry, denials: string): Claim {
  const { resource, input, forbidden_response } = entry
  return {
    key: `resource ${resource}`,
    effects: UNCLEAR,
    added: `${resource} is a new resource: clients can write ${input.join(', ') || 'nothing'}.`,
    gone: `${resource} is no longer a resource: nothing protects its table.`,
    below: [
      ...columnClaims(entry),
      ...valueClaims(NEUTRAL, `${resource}'s API`, entry.api),
      // The claim of the application covers the resources without a setting.
      { ...denialClaim(resource, forbidden_response ?? denials), value: forbidden_response ?? '' },
    ],
    details: [...policyClaims(entry), ...fieldClaims(entry), ...scopeClaims(entry)],
  }
}

/** The responses to a denial, in the order of how much they reveal. */
const BY_DISCLOSURE = ['404', 'auto', '403']

/** Returns the claim about the response to a denial. Nothing is narrower than an unknown response, nor the other way. */
export function denialClaim(subject: string, response: string): Claim {
  const rank = BY_DISCLOSURE.indexOf(response)
  const what = `${subject}: the response to a denial`
  return { ...valueClaim(UNCLEAR, what, response), rank: rank < 0 ? NaN : rank }
}

const columnClaims = ({ resource, ...entry }: ResourceEntry): Claim[] => [
  ...entry.input.map((column) => claim(OPENS, `Clients can now write ${resource}.${column}.`)),
  ...entry.updated_by.map((verb) =>
    claim(OPENS, `Users who can ${verb} a ${resource} can now also update it.`),
  ),
  ...entry.deleted_by.map((verb) =>
    claim(OPENS, `Users who can ${verb} a ${resource} can now also delete it.`),
  ),
  ...entry.shown.map((column) => claim(OPENS, `Rows of ${resource} now contain ${column}.`)),
  ...entry.hidden.map((column) => claim(CLOSES, `${resource}.${column} is now hidden.`)),
  ...entry.immutable.map((column) => claim(CLOSES, `${resource}.${column} is now immutable.`)),
  ...Object.entries(entry.references).map(([column, target]) =>
    claim(CLOSES, `${resource}.${column} is now checked as a reference to ${target}.`),
  ),
  ...valueClaims(CLOSES, `${resource}'s owner`, entry.owner),
  ...valueClaims(CLOSES, `${resource}'s tenant`, entry.tenant),
]

function policyClaims({ resource, actions, roles, ...entry }: ResourceEntry): Claim[] {
  const rolesOf = (rule: string) => roleClaims(`${resource}'s rule ${rule}`, roles.by_rule[rule])
  // These rules can allow and deny, so each change may give access.
  const special = [...(entry.before ? ['before'] : []), ...(entry.can_become ? ['canBecome'] : [])]
  return [
    ...(entry.has_policy ? [claim(NEUTRAL, `${resource} now has a policy.`)] : []),
    ...special.map((rule) =>
      claim(UNCLEAR, `${resource}'s policy now has \`${rule}\`, which can allow and deny.`, rolesOf(rule)),
    ),
    ...actions.map((action) =>
      claim(OPENS, `${resource}'s policy now has a rule for ${action}.`, rolesOf(ruleKey(action) ?? action)),
    ),
  ]
}

/**
 * Returns the claims about the rules of single fields, which remove access. But a rule `set` may replace the default, by
 * which only callers who see the field may set it.
 */
function fieldClaims({ resource, fields }: ResourceEntry): Claim[] {
  const { rules = [], roles } = fields ?? {}
  return rules.map((rule) => {
    const replaces = rule.endsWith('.set') && rules.includes(rule.replace(/\.set$/, '.see'))
    const details = roleClaims(`${resource}'s rule for the field ${rule}`, roles?.by_rule[rule])
    return claim(replaces ? UNCLEAR : CLOSES, `${resource} now has a rule for the field ${rule}.`, details)
  })
}

function scopeClaims({ resource, scope }: ResourceEntry): Claim[] {
  if (scope === null) return []
  const rolesOf = (rule: string) => roleClaims(`${resource}'s scope ${rule}`, scope.roles.by_rule[rule])
  // A variant is joined to the scope with AND, so that it can't show more rows.
  const variants = scope.variants.map((name) =>
    claim(NEUTRAL, `${resource}'s scope now has the variant ${name}.`, rolesOf(name)),
  )
  return [
    claim(OPENS, `${resource} now has a scope, without which its lists are empty.`, [
      ...rolesOf('where'),
      ...variants,
    ]),
  ]
}

/** Every change counts as wider: a rule that changes from `hasRole('admin')` to `true` loses a role. */
const roleClaims = (what: string, roles: readonly string[] = []): Claim[] =>
  roles.map((role) => claim(UNCLEAR, `${what} now mentions the role ${role}.`))
