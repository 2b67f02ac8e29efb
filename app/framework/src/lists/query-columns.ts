import {
  AliasNode,
  ColumnNode,
  IdentifierNode,
  type JoinType,
  type OperationNode,
  ReferenceNode,
  SelectAllNode,
  SelectQueryNode,
  TableNode,
} from 'kysely'
import type { TableColumn } from '../rows/nullable-columns.ts'

/** A column of a table in a query. */
export interface QueryColumn extends TableColumn {
  /** Whether an outer join may fill the columns of the table with nulls. */
  readonly isOptional: boolean
}

interface Source {
  readonly node: OperationNode
  readonly isOptional: boolean
}

/**
 * Returns the columns of tables that a name in a query may refer to: `posts.title`, or `title` for each of its tables.
 * Follows subqueries and queries in `with`, but not expressions and raw SQL.
 */
export function columnsNamed(query: OperationNode, name: string): QueryColumn[] {
  if (!SelectQueryNode.is(query)) return []
  const [column = '', ...qualifiers] = name.split('.').toReversed()
  const [qualifier] = qualifiers
  const common = new Map(
    query.with?.expressions.map(({ name: { table }, expression }) => [tableName(table), expression]),
  )
  return sourcesOf(query)
    .filter(({ node }) => qualifier === undefined || nameOf(node) === qualifier)
    .flatMap((source) => columnsOf(source, column, common))
}

function columnsOf(
  { node, isOptional }: Source,
  column: string,
  common: ReadonlyMap<string, OperationNode>,
): QueryColumn[] {
  const from = AliasNode.is(node) ? node.node : node
  const inner = TableNode.is(from) ? (common.get(tableName(from)) ?? from) : from
  if (TableNode.is(inner)) return [{ table: tableName(inner), column, isOptional }]
  if (!SelectQueryNode.is(inner) || !selects(inner, column)) return []
  return columnsNamed(inner, column).map((found) => ({
    ...found,
    isOptional: found.isOptional || isOptional,
  }))
}

function sourcesOf({ from, joins = [] }: SelectQueryNode): Source[] {
  return joins.reduce<Source[]>(
    (sources, { joinType, table }) => [
      ...sources.map((source) => (OPTIONAL_LEFT.has(joinType) ? { ...source, isOptional: true } : source)),
      { node: table, isOptional: OPTIONAL_RIGHT.has(joinType) },
    ],
    from?.froms.map((node) => ({ node, isOptional: false })) ?? [],
  )
}

const OPTIONAL_LEFT = new Set<JoinType>(['RightJoin', 'FullJoin'])
const OPTIONAL_RIGHT = new Set<JoinType>(['LeftJoin', 'FullJoin', 'LateralLeftJoin'])

/** Returns whether a subquery returns the column of its table under the same name. */
const selects = ({ selections = [] }: SelectQueryNode, column: string): boolean =>
  selections.some(({ selection }) => {
    const selected = ReferenceNode.is(selection) ? selection.column : selection
    return SelectAllNode.is(selected) || (ColumnNode.is(selected) && selected.column.name === column)
  })

/** Returns the name of a table in its query: its alias, or its own name without the schema. */
function nameOf(node: OperationNode): string | null {
  if (TableNode.is(node)) return node.table.identifier.name
  return AliasNode.is(node) && IdentifierNode.is(node.alias) ? node.alias.name : null
}

function tableName({ table: { schema, identifier } }: TableNode): string {
  return schema === undefined ? identifier.name : `${schema.name}.${identifier.name}`
}
