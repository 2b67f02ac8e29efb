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
import { VERSION } from './query-marks.ts'

/**
 * Adds `for key share` to plain selects, so that no other transaction can delete the rows before this one ends.
 * Postgres has no such locks for aggregates, groups and combined queries. These are only read, and so are queries with
 * functions or raw SQL among the selections, which may be aggregates.
 */
export const keyShareLocks: KyselyPlugin = {
  transformQuery({ node }) {
    const query = withoutLocks.transformNode(node)
    if (!SelectQueryNode.is(query) || !returnsRowsOfTables(query)) return query
    const tables = lockableTables(query)
    if (tables.length === 0) return query
    const lock = SelectModifierNode.create('ForKeyShare', tables)
    added.add(lock)
    return QueryNode.cloneWithEndModifier(query, lock)
  },
  transformResult: ({ result }) => Promise.resolve(result),
}

const added = new WeakSet<SelectModifierNode>()

/** Kysely transforms a subquery on its own, before the query that contains it: only the outermost is locked. */
class WithoutLocks extends OperationNodeTransformer {
  protected override transformSelectQuery(node: SelectQueryNode, id?: QueryId): SelectQueryNode {
    const { endModifiers, ...rest } = node
    const others = endModifiers?.filter((modifier) => !added.has(modifier)) ?? []
    return super.transformSelectQuery(others.length === 0 ? rest : { ...rest, endModifiers: others }, id)
  }
}
const withoutLocks = new WithoutLocks()

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

const COLUMNS = new Set(['ColumnNode', 'ReferenceNode', 'SelectAllNode', 'SelectQueryNode'])

/** Functions and raw SQL may be aggregates. The version of a row is raw SQL of the framework. */
function isColumn({ selection }: SelectionNode): boolean {
  if (!AliasNode.is(selection)) return COLUMNS.has(selection.kind)
  const { node, alias } = selection
  return COLUMNS.has(node.kind) || (IdentifierNode.is(alias) && alias.name === VERSION)
}

/** The names of the tables in `from` and of inner joins. Postgres can't lock the optional side of an outer join. */
function lockableTables({ from, joins = [] }: SelectQueryNode): OperationNode[] {
  const isInner = joins.every(({ joinType }) => joinType === 'InnerJoin' || joinType === 'LeftJoin')
  if (!isInner) return []
  const inner = joins.filter(({ joinType }) => joinType === 'InnerJoin').map(({ table }) => table)
  return [...(from?.froms ?? []), ...inner].flatMap(nameOf)
}

function nameOf(node: OperationNode): OperationNode[] {
  if (TableNode.is(node)) return [TableNode.create(node.table.identifier.name)]
  if (AliasNode.is(node) && TableNode.is(node.node)) return [node.alias]
  return []
}
