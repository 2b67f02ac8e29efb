import { describe, expect, it } from 'vitest'
import { decide, actionsOf } from '../src/policy/decide.ts'
import type { AnyPolicy, Decision, PolicyContext } from '../src/policy/authorization-types.ts'

/** The actors and the records of a matrix, by the names that the table uses. */
export interface Cast {
  actors: Readonly<Record<string, PolicyContext>>
  records: Readonly<Record<string, object>>
}

const STANDARD = ['show', 'create', 'update', 'delete']

/**
 * Declares one test for each line of a table: an actor, a record, and `+` or `-` below each action. Call it at the top
 * of a test file. If a rule throws, its test fails for both signs. Throws if the table leaves out an actor, a record or
 * an action of the policy.
 *
 * ```ts
 * const guest = contextOf(null)
 * const author = contextOf({ id: '1', userId: 1, name: 'Ann', roles: [] })
 * const draft = { id: 7, author_id: 1, published: false }
 *
 * policyMatrix(postPolicy, { actors: { guest, author }, records: { draft } }, `
 *                    show  create  update  delete
 *   guest   draft     -     -       -       -
 *   author  draft     +     +       +       +
 * `)
 * ```
 */
export function policyMatrix(policy: AnyPolicy, cast: Cast, table: string): void {
  const { actions, lines } = parse(table)
  refuseGaps(policy, cast, { actions, lines })
  describe(`the policy of ${policy.resource.name}`, () => {
    it.each(lines)('$actor, $record: $signs', (line) => expectAnswers(policy, cast, { actions, line }))
  })
}

/** Tests one line of a matrix. Fails if a decision differs from its sign. */
export async function expectAnswers(
  policy: AnyPolicy,
  { actors, records }: Cast,
  { actions, line: { actor, record, signs } }: { actions: readonly string[]; line: Line },
): Promise<void> {
  const { resource } = policy
  const ask = async (action: string) =>
    decide(new Map([[resource, policy]]), actors[actor] as PolicyContext, {
      action,
      resource,
      record: records[record] as object,
    })
  const answers = await Promise.all(actions.map(ask))
  const decided = answers.map((decision, index) => `${signOf(decision)} ${actions[index]}`)
  expect(decided).toEqual(actions.map((action, index) => `${signs[index]} ${action}`))
}

/** Returns `+` or `-`. For a rule that throws, which also denies, returns the cause, so that the test fails. */
function signOf({ allowed, cause }: Decision): string {
  if (allowed) return '+'
  return ['denied', 'no_action', 'no_tenant', 'other_tenant'].includes(cause) ? '-' : `(${cause})`
}

interface Line {
  actor: string
  record: string
  signs: readonly string[]
}

interface Table {
  actions: readonly string[]
  lines: readonly Line[]
}

function parse(table: string): Table {
  const [actions = [], ...rows] = table
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([first]) => first !== '')
  const lines = rows.map(([actor = '', record = '', ...signs]) => {
    if (signs.length !== actions.length || signs.some((sign) => sign !== '+' && sign !== '-'))
      throw new Error(`“${actor} ${record}” needs a + or a - for each of ${actions.join(', ')}.`)
    return { actor, record, signs }
  })
  return { actions, lines }
}

function refuseGaps(policy: AnyPolicy, { actors, records }: Cast, { actions, lines }: Table): void {
  const verbs = new Set([...STANDARD, ...actionsOf(policy)])
  const pairs = Object.keys(actors).flatMap((actor) =>
    Object.keys(records).map((record) => `${actor} ${record}`),
  )
  const labels = lines.map(({ actor, record }) => `${actor} ${record}`)
  const problems = [
    ...[...verbs].filter((verb) => !actions.includes(verb)).map((verb) => `the action ${verb} is missing`),
    ...actions
      .filter((action) => !verbs.has(action))
      .map((action) => `${action} is not an action of the policy`),
    ...pairs.filter((pair) => !labels.includes(pair)).map((pair) => `“${pair}” is missing`),
    ...labels
      .filter((pair, index) => !pairs.includes(pair) || labels.indexOf(pair) < index)
      .map((pair) => `“${pair}” occurs twice, or names an unknown actor or record`),
  ]
  if (problems.length > 0) throw new Error(`The matrix of ${policy.resource.name}: ${problems.join('; ')}.`)
}
