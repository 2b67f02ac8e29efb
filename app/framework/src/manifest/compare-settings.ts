import { type Differences, none, together } from './differences.ts'
import type { Settings } from './schema.ts'

/** Compares the settings. They are null in a manifest of an older version. */
export function compareSettings(old: Settings | null, now: Settings | null): Differences {
  if (old === null || now === null) {
    return none({ wider: old === now ? [] : [now === null ? GONE : NEW] })
  }
  return together([
    compareRunning(old.running, now.running),
    compareFlag(
      !old.passed.allows_unauthorized_apis,
      !now.passed.allows_unauthorized_apis,
      'The application may not start with an API without a policy',
      'The application may start with an API without a policy',
    ),
    none({ wider: valueChanges(old.passed.values, now.passed.values) }),
    none({ wider: identityChanges(old.identity, now.identity) }),
  ])
}

const NEW = 'The settings of the application are new in the manifest: review them.'
const GONE = 'The settings of the application are missing in the manifest.'

function compareRunning(old: Settings['running'], now: Settings['running']): Differences {
  return together([
    compareDeadline(old.rule_deadline_ms, now.rule_deadline_ms),
    compareFlag(
      old.refuses_other_hosts,
      now.refuses_other_hosts,
      'Requests for other hosts are refused',
      'Requests for other hosts are accepted',
    ),
    compareFlag(
      old.has_fixed_origin,
      now.has_fixed_origin,
      'The cross-origin check compares with a fixed origin',
      'The cross-origin check compares with the Host header, or is missing',
    ),
    compareLimit('writes', old.default_limits.writes, now.default_limits.writes),
    compareLimit('searches', old.default_limits.searches, now.default_limits.searches),
    none({
      wider:
        old.trust_proxy === now.trust_proxy
          ? []
          : [`The setting trust proxy is now ${now.trust_proxy}; it was ${old.trust_proxy}.`],
    }),
  ])
}

/** Compares a protection: `true` protects. */
function compareFlag(old: boolean, now: boolean, on: string, off: string): Differences {
  if (old === now) return none()
  return now ? none({ narrower: [`${on}.`] }) : none({ wider: [`${off}.`] })
}

/** A rule that exceeds its deadline denies, so a shorter one allows less. */
function compareDeadline(old: number, now: number): Differences {
  if (old === now) return none()
  const sentence = `The deadline of rules is now ${now} ms; it was ${old} ms.`
  return now < old ? none({ narrower: [sentence] }) : none({ wider: [sentence] })
}

/** Compares a default limit. Without an order of rates, another rate counts as wider. */
function compareLimit(what: string, old: string | null, now: string | null): Differences {
  if (old === now) return none()
  if (now === null) return none({ wider: [`The default limit of ${what} was removed; it was ${old}.`] })
  if (old === null) return none({ narrower: [`The default limit of ${what} is new: ${now}.`] })
  return none({ wider: [`The default limit of ${what} is now ${now}; it was ${old}.`] })
}

type Values = Settings['passed']['values']

/** Which of two values allows more is unknown. */
const valueChanges = (old: Values, now: Values): string[] =>
  Object.keys({ ...old, ...now })
    .filter((name) => old[name] !== now[name])
    .map(
      (name) =>
        `The setting ${name} is now ${now[name] ?? 'not listed'}; it was ${old[name] ?? 'not listed'}.`,
    )

type Identity = Settings['identity']

function identityChanges(old: Identity, now: Identity): string[] {
  return [...sessionChanges(old, now), ...tenantChanges(old.tenant_of, now.tenant_of)]
}

function tenantChanges(old: Identity['tenant_of'], now: Identity['tenant_of']): string[] {
  if (old === null || now === null)
    return old === now
      ? []
      : [
          now === null
            ? 'Requests no longer have a tenant.'
            : `${now.name} now finds the tenant of a request.`,
        ]
  return old.name === now.name ? [] : [`Tenants are now found by ${now.name}; it was ${old.name}.`]
}

const sessionChanges = (old: Identity, now: Identity): string[] =>
  old.find_session === now.find_session
    ? []
    : [`Sessions are now found by ${now.find_session}; it was ${old.find_session}.`]
