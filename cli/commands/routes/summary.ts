import { type Manifest, type RouteEntry, type Use, useInWords } from 'pergola/manifest'
import { alignedText } from './table.ts'

/** Returns a readable summary of a manifest, and of the uses that skip authorization, with their lines. */
export function summary({ dimensions, excluded }: Manifest, uses: readonly Use[]): string {
  const { entries } = dimensions.routes
  const { resources, any_session } = dimensions.authorization_policies
  const is = (classification: string) => entries.filter((route) => route.classification === classification)
  return [
    `${entries.length} routes: ${is('gated').length} gated, ${is('public').length} public, ` +
      `${is('framework').length} of the framework, ${is('unclassified').length} unclassified.`,
    section('Public routes, without sign-in, each with its policy. Review them', [
      alignedText(is('public').map(publicRow)),
    ]),
    section('Roles in routes and in rules', rolesIn(dimensions)),
    `Policies with \`before\`, which runs before every rule: ${named(namesOf(resources.filter(({ before }) => before)))}.`,
    `APIs without a policy, open to every session: ${named(any_session)}.`,
    `Resources without a scope, whose lists are empty: ${named(namesOf(resources.filter(({ scope }) => scope === null)))}.`,
    `Exempt from the cross-origin check: ${named(dimensions.csrf.exempt)}.`,
    `Middleware of every request, by name: ${named(dimensions.routes.middleware)}.`,
    ...settingsIn(dimensions),
    section('As the system, without authorization', inOrder(uses).flatMap(systemUse)),
    section('Past the repositories, without a policy or a scope', inOrder(uses).flatMap(directUse)),
    section(
      'Files that decide about access, with digests',
      Object.keys(dimensions.modules?.by_file ?? {}).toSorted(),
    ),
    section(
      'In development only',
      excluded.development_only.map(({ route }) => route),
    ),
  ].join('\n\n')
}

const named = (names: readonly string[]): string => names.join(', ') || 'none'

const section = (title: string, lines: readonly string[]): string =>
  lines.join('') === '' ? `${title}: none.` : `${title}:\n${lines.join('\n').replaceAll(/^/gm, '  ')}`

const namesOf = (resources: readonly { resource: string }[]) => resources.map(({ resource }) => resource)

const publicRow = ({ method, path, name, policy }: RouteEntry) => [method, path, name, policy ?? '']

const inOrder = (uses: readonly Use[]): Use[] =>
  uses.toSorted((one, other) => one.file.localeCompare(other.file) || one.line - other.line)

const systemUse = ({ file, line, kind, what, why = null }: Use): string[] => {
  const reason = why === null ? 'the reason is not a literal' : `'${why}'`
  return kind === 'system' ? [`${file}:${line}: ${what}, ${reason}`] : []
}

const directUse = (use: Use): string[] =>
  use.kind === 'system' ? [] : [`${use.file}:${use.line}: ${useInWords(use)}`]

const mentions = (of: string, byRule: Readonly<Record<string, string[]>>) =>
  Object.entries(byRule).flatMap(([rule, names]) => names.map((role) => ({ role, where: `${of}.${rule}` })))

/** `admin: DELETE /users/:id; Post.canShow`. */
function rolesIn({ routes, authorization_policies }: Manifest['dimensions']): string[] {
  const byRoutes = routes.entries.flatMap(({ method, path, roles }) =>
    roles.map((role) => ({ role, where: `${method} ${path}` })),
  )
  const byRules = authorization_policies.resources.flatMap(({ resource, roles, scope }) => [
    ...mentions(resource, roles.by_rule),
    ...mentions(`the scope of ${resource}`, scope?.roles.by_rule ?? {}),
  ])
  const byRole = Map.groupBy([...byRoutes, ...byRules], ({ role }) => role)
  return [...byRole].map(([role, uses]) => `${role}: ${uses.map(({ where }) => where).join(', ')}`).toSorted()
}

function settingsIn({ settings }: Manifest['dimensions']): string[] {
  if (settings === null) return []
  const { running, identity, passed } = settings
  return [
    section('Settings', [
      `trust proxy: ${running.trust_proxy}`,
      `deadline of rules: ${running.rule_deadline_ms} ms`,
      `other hosts: ${running.refuses_other_hosts ? 'refused' : 'accepted'}`,
      `own origin: ${running.has_fixed_origin ? 'fixed' : 'not fixed'}`,
      `default limits: writes ${running.default_limits.writes ?? 'none'}, searches ${running.default_limits.searches ?? 'none'}`,
      `sessions: ${identity.find_session}`,
      ...Object.entries(passed.values).map(([name, value]) => `${name}: ${value}`),
      `APIs without a policy: ${passed.allows_unauthorized_apis ? 'allowed' : 'not allowed'}`,
    ]),
  ]
}
