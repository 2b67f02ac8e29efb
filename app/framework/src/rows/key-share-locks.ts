import {
  AliasNode,
  IdentifierNode,
  type KyselyPlugin,
  type OperationNode,
  OperationNodeTransformer,
  type QueryId,
  QueryNode,
  SelectModifierNode,
  type SelectionNode,
  SelectQueryNode,
  TableNode,
} from 'kysely'
import { withinLocks } from '../database/executor.ts'
import { asksScope, VERSION } from '../database/query-marks.ts'

/**
 * Calls `work`, and locks the rows that its queries return until the end of the transaction: no other transaction can
 * delete them. Call it in a transaction.
 */
export const lockingReads = <Result>(work: () => Result): Result => withinLocks(keyShareLocks, work)

/**
 * Adds `for key share` to plain selects, so that no other transaction can delete the rows before this one ends.
 * Postgres has no such locks for aggregates, groups and combined queries. These are only read, and so are queries with
 * functions or raw SQL among the selections, which may be aggregates.
 *
 * In a query that evaluates a scope (`scopeMark`), the subqueries of the scope are locked in its place: they read the
 * related rows, such as memberships.
 */
export const keyShareLocks: KyselyPlugin = {
  transformQuery({ node }) {
    if (asksScope(node)) return new LockedSubqueries().transformNode(node)
    const query = withoutLocks.transformNode(node)
    if (!SelectQueryNode.is(query) || !returnsRowsOfTables(query)) return query
    return locked(query, lockableTables(query))
  },
  transformResult: ({ result }) => Promise.resolve(result),
}

function locked(query: SelectQueryNode, tables: OperationNode[]): SelectQueryNode {
  if (tables.length === 0) return query
  const lock: KeyShareLock = { ...SelectModifierNode.create('ForKeyShare', tables), isAdded: true }
  return QueryNode.cloneWithEndModifier(query, lock)
}

/** A lock that `keyShareLocks` added, not the code of the query. */
interface KeyShareLock extends SelectModifierNode {
  readonly isAdded?: true
}

/** Kysely transforms a subquery on its own, before the query that contains it: only the outermost is locked. */
class WithoutLocks extends OperationNodeTransformer {
  protected override transformSelectQuery(node: SelectQueryNode, id?: QueryId): SelectQueryNode {
    const { endModifiers, ...rest } = node
    const others = endModifiers?.filter((modifier: KeyShareLock) => modifier.isAdded !== true) ?? []
    return super.transformSelectQuery(others.length === 0 ? rest : { ...rest, endModifiers: others }, id)
  }
}
const withoutLocks = new WithoutLocks()

class LockedSubqueries extends OperationNodeTransformer {
  protected override transformSelectQuery(node: SelectQueryNode, id?: QueryId): SelectQueryNode {
    const query = super.transformSelectQuery(node, id)
    if (this.nodeStack.length === 1 || this.#isSource() || !returnsRowsOfTables(query)) return query
    return locked(query, [...lockableTables(query), ...lockableSubqueries(query)])
  }

  /**
   * Returns whether the current node is a subquery of `from` or `join`. The query around it locks its rows by its
   * name. A lock inside of it would lock all of its rows, not only those that match.
   */
  #isSource(): boolean {
    const [outer, alias] = this.nodeStack.slice(-3)
    return (
      alias !== undefined && AliasNode.is(alias) && (outer?.kind === 'FromNode' || outer?.kind === 'JoinNode')
    )
  }
}

function returnsRowsOfTables(node: SelectQueryNode): boolean {
  const {
    distinctOn,
    groupBy,
    having,
    setOperations,
    endModifiers,
    frontModifiers = [],
    selections = [],
  } = node
  const combinesRows = distinctOn ?? groupBy ?? having ?? setOperations ?? node.with
  const isDistinct = frontModifiers.some(({ modifier }) => modifier === 'Distinct')
  return !combinesRows && !isDistinct && !endModifiers && selections.every(isColumn)
}

const COLUMNS = new Set(['ColumnNode', 'ReferenceNode', 'SelectAllNode', 'SelectQueryNode', 'ValueNode'])

/** Functions and raw SQL may be aggregates. The version of a row is raw SQL of the framework. */
function isColumn({ selection }: SelectionNode): boolean {
  if (!AliasNode.is(selection)) return COLUMNS.has(selection.kind)
  const { node, alias } = selection
  return COLUMNS.has(node.kind) || (IdentifierNode.is(alias) && alias.name === VERSION)
}

/** The names of the tables among the sources of a query. */
const lockableTables = (query: SelectQueryNode): OperationNode[] => lockableSources(query).flatMap(nameOf)

/** The names of the subqueries among the sources of a query whose rows Postgres can lock. */
const lockableSubqueries = (query: SelectQueryNode): OperationNode[] =>
  lockableSources(query).flatMap((source) => {
    if (!AliasNode.is(source) || !SelectQueryNode.is(source.node)) return []
    const { node, alias } = source
    const isLockable = returnsRowsOfTables(node) && lockableTables(node).length > 0
    return isLockable ? [alias] : []
  })

/** The sources in `from` and of inner joins. Postgres can't lock the optional side of an outer join. */
function lockableSources({ from, joins = [] }: SelectQueryNode): OperationNode[] {
  const isInner = joins.every(({ joinType }) => joinType === 'InnerJoin' || joinType === 'LeftJoin')
  if (!isInner) return []
  const inner = joins.filter(({ joinType }) => joinType === 'InnerJoin').map(({ table }) => table)
  return [...(from?.froms ?? []), ...inner]
}

function nameOf(node: OperationNode): OperationNode[] {
  if (TableNode.is(node)) return [TableNode.create(node.table.identifier.name)]
  if (AliasNode.is(node) && TableNode.is(node.node)) return [node.alias]
  return []
}
