import {
  type Expression,
  ExpressionWrapper,
  type OperationNode,
  ParensNode,
  RawNode,
  type SqlBool,
} from 'kysely'
import { sqlTokens } from '../database/sql-tokens.ts'
import { weakMemoize } from '../resource/memoize.ts'

/**
 * Returns a condition in parentheses, to join it with others by AND. Throws for raw SQL that ends these parentheses,
 * such as `true) or (true`: it would add the rows that the other conditions exclude.
 */
export function enclosed(condition: Expression<SqlBool>): Expression<SqlBool> {
  const node = condition.toOperationNode()
  rejectIncomplete(node)
  return new ExpressionWrapper(ParensNode.create(node))
}

function rejectIncomplete(node: unknown): void {
  if (typeof node !== 'object' || node === null) return
  if (Array.isArray(node)) return node.forEach(rejectIncomplete)
  const { kind } = node as OperationNode
  if (kind === 'ValueNode') return
  if (RawNode.is(node as OperationNode) && !isComplete((node as RawNode).sqlFragments))
    throw new Error(
      'A condition has raw SQL with a parenthesis or a quote that has no counterpart. Write each pair in one sql`…`, ' +
        'and pass values as parameters.',
    )
  for (const name in node) rejectIncomplete((node as Record<string, unknown>)[name])
}

/** The fragments of a template are the same list for each call. */
const isComplete = weakMemoize((fragments: readonly string[]) => isBalanced(fragments.join('?')))

function isBalanced(text: string): boolean {
  let depth = 0
  for (const token of sqlTokens(text)) {
    if (token === '(') depth++
    if (token === ')') depth--
    // A quote that has an end is not a token.
    if (depth < 0 || token === "'" || token === '"') return false
  }
  return depth === 0
}
