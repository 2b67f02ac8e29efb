import type { Expression, OperationNode, RawNode } from 'kysely'

/** The column alias for the version of a row. The decision of a policy records this version. */
export const VERSION = '__version'

/** The column alias for the number of rows of a list, in the last row of a slice. */
export const TOTAL = '__total'

/**
 * A property of a query that the connection handles. It is part of the query's nodes; its SQL comment is for readers.
 */
type Mark = { readonly isList: true } | { readonly keysetOrder: string } | { readonly asksScope: true }

const MARK = Symbol('mark')
type MarkNode = RawNode & { readonly [MARK]: Mark }

/** Marks the query of a list: if it fails, `listFailure` decides the response. Pass it to `modifyFront`. */
export const listMark = (): Expression<unknown> => expressionOf({ isList: true }, 'list')

/** Marks a query that needs an index in this order: see `planGuard`. Pass it to `modifyFront`. */
export const keysetMark = (order: string): Expression<unknown> =>
  expressionOf({ keysetOrder: order }, `keyset (${order})`)

/**
 * Marks a query that evaluates scopes for a decision: see `keyShareLocks`. Pass it to `modifyFront`.
 */
export const scopeMark = (): Expression<unknown> => expressionOf({ asksScope: true }, 'scope')

function expressionOf(mark: Mark, comment: string): Expression<unknown> {
  const node: MarkNode = { kind: 'RawNode', sqlFragments: [`/* ${comment} */`], parameters: [], [MARK]: mark }
  return { expressionType: undefined, toOperationNode: () => node }
}

/** Returns whether a statement reads a list, in itself or in a subquery. */
export function readsList(node: unknown): boolean {
  if (typeof node !== 'object' || node === null) return false
  const mark = (node as Partial<MarkNode>)[MARK]
  return (mark !== undefined && 'isList' in mark) || Object.values(node).some(readsList)
}

/** Returns the order of a query that was marked with `keysetMark`, or null. */
export const keysetOrder = (query: OperationNode): string | null =>
  marksOf(query).find((mark) => 'keysetOrder' in mark)?.keysetOrder ?? null

/** Returns whether a query was marked with `scopeMark`. */
export const asksScope = (query: OperationNode): boolean => marksOf(query).some((mark) => 'asksScope' in mark)

function marksOf(query: OperationNode): Mark[] {
  if (query.kind !== 'SelectQueryNode') return []
  const { frontModifiers = [] } = query as { frontModifiers?: readonly { rawModifier?: OperationNode }[] }
  return frontModifiers.flatMap(({ rawModifier }) => (rawModifier as Partial<MarkNode>)?.[MARK] ?? [])
}
