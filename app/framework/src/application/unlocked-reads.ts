import { scopeQuestionOf } from '../features/in-scope/in-scope.ts'
import { rawLookups, readsWithRawSql } from '../features/lookup/lookup.ts'
import type { DeclaredResource } from './declared-resources.ts'

/**
 * Returns a sentence for each rule and each lookup that reads with raw SQL, of which a write can't lock the rows. Reads
 * the source of rules, lookups, and scopes that rules ask, but not that of other functions that they call.
 */
export function unlockedReads(declared: readonly DeclaredResource[]): string[] {
  const reads = declared.flatMap(({ repository: { resource, options } }) => {
    const { policy, scope } = options
    if (policy === undefined) return []
    const rules = Object.entries(policy.rules).filter(([key]) => key !== 'canShow')
    const asked = scope !== undefined && rules.some(([, rule]) => scopeQuestionOf(rule) !== undefined)
    const wheres = asked ? Object.entries({ where: scope.where, ...scope.variants }) : []
    return [...rules, ...wheres]
      .filter(([, rule]) => readsWithRawSql(rule as () => unknown))
      .map(([key]) => `${policy.declaredAt}: ${key} of ${resource.name}`)
  })
  return [...reads, ...rawLookups().map((place) => `${place}: a lookup`)].map(
    (read) =>
      `${read} reads with raw SQL, whose rows a write can't lock: a write may be stored after another transaction has ` +
      'deleted them. Read them with the query builder, without aggregates.',
  )
}
