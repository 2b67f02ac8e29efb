import { compareResources } from './compare-resources.ts'
import { compareRoutes } from './compare-routes.ts'
import { compareSettings } from './compare-settings.ts'
import { added, type Differences, gone, none, together } from './differences.ts'
import type { Dimensions, Manifest } from './schema.ts'
import { useInWords } from './uses.ts'

/**
 * Returns the differences between two manifests. A change counts as wider if it might give access to a caller who
 * had none. A change with an unknown effect also counts as wider: a new middleware, another value of a header, or a
 * changed rule.
 */
export function compareManifests(old: Manifest, now: Manifest): Differences {
  return together([
    compareRoutes(old.dimensions.routes.entries, now.dimensions.routes.entries),
    compareMiddleware(old.dimensions.routes.middleware, now.dimensions.routes.middleware),
    compareCsrf(old, now),
    compareHeaders(old, now),
    compareResources(old.dimensions.authorization_policies, now.dimensions.authorization_policies),
    compareSettings(old.dimensions.settings, now.dimensions.settings),
    compareModules(old.dimensions.modules, now.dimensions.modules),
    compareExcluded(old.excluded, now.excluded),
  ])
}

function compareMiddleware(old: readonly string[], now: readonly string[]): Differences {
  const gained = added(old, now).map((name) => `The middleware ${name} is new: it runs for every request.`)
  const lost = gone(old, now).map((name) => `The middleware ${name} was removed.`)
  const moved = gained.length + lost.length === 0 && old.join() !== now.join()
  return none({
    wider: [
      ...gained,
      ...lost,
      ...(moved ? [`The middleware runs in another order: ${now.join(', ')}.`] : []),
    ],
  })
}

function compareCsrf({ dimensions: old }: Manifest, { dimensions: now }: Manifest): Differences {
  const known = new Set(old.routes.entries.map(({ method, path }) => `${method} ${path}`))
  if (old.csrf.check !== null && now.csrf.check === null) {
    return none({
      wider: ['Writes from other sites are no longer refused: the cross-origin check was removed.'],
    })
  }
  const isAnother = old.csrf.check !== null && old.csrf.check !== now.csrf.check
  const begins = old.csrf.check === null && now.csrf.check !== null
  return none({
    wider: [
      ...(isAnother ? [`The cross-origin check is now ${now.csrf.check}; it was ${old.csrf.check}.`] : []),
      ...added(old.csrf.exempt, now.csrf.exempt).map(
        (route) => `${route} is now exempt from the cross-origin check.`,
      ),
    ],
    narrower: begins
      ? ['Writes from other sites are now refused.']
      : gone(old.csrf.exempt, now.csrf.exempt)
          .filter((route) => known.has(route))
          .map((route) => `${route} is no longer exempt from the cross-origin check.`),
  })
}

function compareHeaders({ dimensions: old }: Manifest, { dimensions: now }: Manifest): Differences {
  const [before, after] = [old.security_headers, now.security_headers]
  const names = [Object.keys(before.headers), Object.keys(after.headers)] as const
  const changed = names[1].filter(
    (name) => name in before.headers && before.headers[name] !== after.headers[name],
  )
  return none({
    wider: [
      ...gone(...names).map((name) => `Responses no longer have the security header ${name}.`),
      ...changed.map((name) => `The security header ${name} is now “${after.headers[name]}”.`),
      ...added(before.missing_on, after.missing_on).map(
        (route) => `${route} no longer has security headers.`,
      ),
    ],
    narrower: [
      ...added(...names).map((name) => `Responses now have the security header ${name}.`),
      ...gone(before.missing_on, after.missing_on).map((route) => `${route} now has security headers.`),
    ],
  })
}

/** A digest only shows that a module changed, so that each change counts as wider. */
function compareModules(old: Dimensions['modules'], now: Dimensions['modules']): Differences {
  if (old === null || now === null)
    return none({
      wider:
        old === now ? [] : ['The digests of modules are new in the manifest, or missing: review the code.'],
    })
  const [before, after] = [Object.entries(old.by_file), Object.entries(now.by_file)]
  const changed = after.filter(([file, digest]) => file in old.by_file && old.by_file[file] !== digest)
  return none({
    wider: [
      ...changed.map(([file]) => `${file}, which decides about access, changed; its effect is unknown.`),
      ...added(
        before.map(([file]) => file),
        after.map(([file]) => file),
      ).map((file) => `${file} now decides about access.`),
      ...gone(
        before.map(([file]) => file),
        after.map(([file]) => file),
      ).map((file) => `${file} no longer decides about access. It may have denied.`),
    ],
  })
}

type Excluded = Manifest['excluded']

function compareExcluded(old: Excluded, now: Excluded): Differences {
  const [before, after] = [systemUses(old), systemUses(now)]
  const [directly, directlyNow] = [directUses(old), directUses(now)]
  const [inDevelopment, inDevelopmentNow] = [developmentRoutes(old), developmentRoutes(now)]
  return {
    wider: [
      ...added(before, after).map((use) => use.replace(AT, 'is now used as the system in')),
      ...added(directly, directlyNow).map((use) => `New: ${use}`),
    ],
    narrower: [
      ...gone(before, after).map((use) => use.replace(AT, 'is no longer used as the system in')),
      ...gone(directly, directlyNow).map((use) => `Removed: ${use}`),
    ],
    other: [
      ...added(inDevelopment, inDevelopmentNow).map((route) => `${route} is new, in development only.`),
      ...gone(inDevelopment, inDevelopmentNow).map((route) => `${route} was removed from development.`),
    ],
  }
}

const AT = '@'

const systemUses = ({ as_system }: Excluded): string[] =>
  as_system.uses.map(({ file, repository, why }) => `${repository} ${AT} ${file}: ${quoted(why)}.`)

const directUses = ({ direct_use }: Excluded): string[] =>
  direct_use.uses.map((use) => `${use.file} ${useInWords(use)}.`)

const developmentRoutes = ({ development_only }: Excluded): string[] =>
  development_only.map(({ route }) => route)

const quoted = (why: string | null): string => (why === null ? 'a reason that is not a literal' : `'${why}'`)
