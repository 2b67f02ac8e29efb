import {
  type Claim,
  claim,
  CLOSES,
  type Differences,
  differencesOf,
  NEUTRAL,
  OPENS,
  UNCLEAR,
  valueClaim,
  valueClaims,
} from './claims.ts'
import { denialClaim, resourceClaim } from './resource-claims.ts'
import { routeClaim } from './route-claims.ts'
import type { Dimensions, Manifest, Settings } from './schema.ts'
import { useInWords } from './code/uses.ts'

/**
 * Returns the differences between two manifests. A change counts as wider if it might give access to a caller who
 * had none. A change with an unknown effect also counts as wider: a new middleware, another value of a header, or a
 * changed rule.
 */
export const compareManifests = (old: Manifest, now: Manifest): Differences =>
  differencesOf(claimsIn(old), claimsIn(now))

const claimsIn = ({ dimensions, excluded }: Manifest): Claim[] => [
  ...dimensions.routes.entries.map(routeClaim),
  ...requestClaims(dimensions),
  ...policyClaims(dimensions.authorization_policies),
  ...(dimensions.settings === null ? [] : [settingsClaim(dimensions.settings)]),
  ...(dimensions.modules === null ? [] : [moduleClaim(dimensions.modules.by_file)]),
  ...excludedClaims(excluded),
]

/** Returns the claims about every request: the middleware, the cross-origin check and the headers. */
const requestClaims = ({ routes: { middleware }, csrf, security_headers }: Dimensions): Claim[] => [
  {
    key: 'middleware',
    effects: UNCLEAR,
    order: { names: middleware, changed: `The middleware runs in another order: ${middleware.join(', ')}.` },
    below: middleware.map((name) => claim(UNCLEAR, `The middleware ${name} now runs for every request.`)),
  },
  ...valueClaims(CLOSES, 'The cross-origin check', csrf.check).map((check) => ({
    ...check,
    added: 'Writes from other sites are now refused.',
    gone: 'Writes from other sites are no longer refused: the cross-origin check was removed.',
    below: csrf.exempt.map((route) => claim(OPENS, `${route} is now exempt from the cross-origin check.`)),
  })),
  ...Object.entries(security_headers.headers).map(([name, value]) =>
    valueClaim(CLOSES, `The security header ${name}`, value),
  ),
  ...security_headers.missing_on.map((route) => claim(OPENS, `${route} now lacks security headers.`)),
]

const policyClaims = (policies: Dimensions['authorization_policies']): Claim[] => [
  ...policies.resources.map((entry) => resourceClaim(entry, policies.forbidden_response)),
  denialClaim('The application', policies.forbidden_response),
  ...policies.in_code.map(({ file, decision }) =>
    claim(CLOSES, `${file} now checks the decision ${decision}.`),
  ),
  ...policies.access_tables.map((table) =>
    claim(CLOSES, `${table} is now an access table, so other code can't write it.`),
  ),
  ...policies.any_session.map((api) =>
    claim(OPENS, `${api} is now open to all signed-in users, because it has no policy.`),
  ),
]

const settingsClaim = ({ running, identity, passed }: Settings): Claim => ({
  key: 'settings',
  effects: UNCLEAR,
  // A manifest of an older version has none.
  added: 'The settings of the application are new in the manifest: review them.',
  gone: 'The settings of the application are missing in the manifest.',
  below: [
    // A rule that exceeds its deadline denies, so a shorter one allows less.
    {
      ...valueClaim(UNCLEAR, 'The deadline of rules', `${running.rule_deadline_ms} ms`),
      rank: running.rule_deadline_ms,
    },
    ...(running.refuses_other_hosts ? [claim(CLOSES, 'Requests for other hosts are now refused.')] : []),
    ...(running.has_fixed_origin
      ? [claim(CLOSES, 'The cross-origin check now compares with a fixed origin, not with the Host header.')]
      : []),
    ...(passed.allows_unauthorized_apis
      ? [claim(OPENS, 'The application may now start with an API without a policy.')]
      : []),
    // Without an order of rates, another rate counts as wider.
    ...valueClaims(CLOSES, 'The default limit of writes', running.default_limits.writes),
    ...valueClaims(CLOSES, 'The default limit of searches', running.default_limits.searches),
    valueClaim(UNCLEAR, 'The setting trust proxy', running.trust_proxy),
    ...Object.entries(passed.values).map(([name, value]) =>
      valueClaim(UNCLEAR, `The setting ${name}`, String(value)),
    ),
    valueClaim(UNCLEAR, 'The function that finds sessions', identity.find_session),
    ...valueClaims(UNCLEAR, 'The function that finds tenants', identity.tenant_of && identity.tenant_of.name),
  ],
})

/** A digest only shows that a module changed. */
const moduleClaim = (digests: Readonly<Record<string, string>>): Claim => ({
  ...claim(UNCLEAR, 'The digests of modules are new in the manifest, or missing: review the code.'),
  below: Object.entries(digests).map(([file, digest]) => ({
    ...claim(UNCLEAR, `${file} now decides about access.`),
    value: digest,
    text: digest,
    changed: () => `${file}, which decides about access, changed; its effect is unknown.`,
  })),
})

const excludedClaims = ({ as_system, direct_use, development_only }: Manifest['excluded']): Claim[] => [
  ...as_system.uses.map(({ file, repository, why }) => {
    const reason = why === null ? 'a reason that is not a literal' : `'${why}'`
    return claim(OPENS, `${repository} is now used as the system in ${file}: ${reason}.`)
  }),
  ...direct_use.uses.map((use) => claim(OPENS, `${use.file} now ${useInWords(use)}.`)),
  ...development_only.map(({ route }) => claim(NEUTRAL, `${route} is now mounted in development only.`)),
]
