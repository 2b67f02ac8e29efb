import {
  type BinaryOperationNode,
  type DatabaseIntrospector,
  type Dialect,
  type Driver,
  type Kysely,
  OperatorNode,
  type PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  PrimitiveValueListNode,
  type SelectAllNode,
  ValueNode,
} from 'kysely'
import { ProbedAdapter } from './capabilities.ts'
import { SessionDriver } from './session-driver.ts'
import type { SessionPool } from './session-pool.ts'

/** A node that stands for all columns of a row, with the SQL that it is compiled to. */
export interface RowColumnsNode extends SelectAllNode {
  readonly columns?: string
}

/** The Postgres dialect without Kysely's lock for migrations, with empty lists and with the columns of rows. */
export class Postgres implements Dialect {
  readonly #sessions: SessionPool

  constructor(sessions: SessionPool) {
    this.#sessions = sessions
  }

  createDriver(): Driver {
    return new SessionDriver(this.#sessions)
  }

  createIntrospector(db: Kysely<never>): DatabaseIntrospector {
    return new PostgresIntrospector(db)
  }

  createAdapter(): PostgresAdapter {
    return new ProbedAdapter(this.#sessions.state)
  }

  createQueryCompiler(): PostgresQueryCompiler {
    return new Compiler()
  }
}

function withLiteral(node: BinaryOperationNode): BinaryOperationNode {
  const { operator, rightOperand } = node
  const isComparison = OperatorNode.is(operator) && COMPARISONS.has(operator.operator)
  if (!isComparison || !ValueNode.is(rightOperand)) return node
  const { value } = rightOperand
  if (value !== null && typeof value !== 'boolean') return node
  // As text, since the other operand may be no boolean: `"data"->'done' = 'true'`.
  return { ...node, rightOperand: ValueNode.createImmediate(value === null ? null : String(value)) }
}

const COMPARISONS = new Set(['=', '!=', '<>'])

class Compiler extends PostgresQueryCompiler {
  /** Names the columns of a row: see `rowColumns`. */
  protected override visitSelectAll({ columns = '*' }: RowColumnsNode): void {
    this.append(columns)
  }

  /**
   * Compiles `is('id', 'in', [])` to `false`, and `not in` to `true`, because `in ()` is a syntax error in Postgres.
   * Kysely's plugin for this skips the subqueries of a condition, such as that of `hasVisible`.
   *
   * Compares with a boolean or with null as a literal: a plan that Postgres keeps then knows how many rows have it, and
   * can use a partial index.
   */
  protected override visitBinaryOperation(node: BinaryOperationNode): void {
    const { operator, rightOperand } = node
    const isEmpty = PrimitiveValueListNode.is(rightOperand) && rightOperand.values.length === 0
    const name = OperatorNode.is(operator) ? operator.operator : null
    if (isEmpty && (name === 'in' || name === 'not in')) this.append(name === 'in' ? 'false' : 'true')
    else super.visitBinaryOperation(withLiteral(node))
  }
}
