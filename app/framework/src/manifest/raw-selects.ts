import { sqlTokens } from '../database/sql-tokens.ts'
import { isNamed, nameOf, type SyntaxNode, textOf } from './syntax-tree.ts'

interface RawSelect {
  readonly at: SyntaxNode
  readonly kind: 'sql'
  /** The SQL in one line. */
  readonly what: string
}

const NOT_A_LITERAL = '(not a literal)'

/** Returns the raw SQL that may read a table, in templates of `sql` and in `sql.raw(…)`. */
export function rawSelects(nodes: readonly SyntaxNode[]): RawSelect[] {
  const tags = ['sql', ...nodes.flatMap(renamedSql)]
  return nodes.flatMap((node) => {
    const what = sqlAt(node, tags)
    return what !== null && (what === NOT_A_LITERAL || isSelect(what))
      ? [{ at: node, kind: 'sql', what }]
      : []
  })
}

/** Returns `['raw']` for the node of `sql as raw` in an import. */
const renamedSql = ({ type, imported, local }: SyntaxNode): string[] =>
  type === 'ImportSpecifier' && isNamed(imported as SyntaxNode, ['sql'])
    ? [(local as { name: string }).name]
    : []

/** Returns the text of raw SQL, in one line. Null for other nodes. */
function sqlAt(node: SyntaxNode, tags: readonly string[]): string | null {
  if (node.type === 'TaggedTemplateExpression' && tags.includes(nameOf(node['tag'] as SyntaxNode) ?? '')) {
    const { quasis } = node['quasi'] as { quasis: { value: { raw: string } }[] }
    return inOneLine(quasis.map(({ value }) => value.raw).join('${…}'))
  }
  if (node.type !== 'CallExpression') return null
  const callee = node['callee'] as SyntaxNode
  if (nameOf(callee) !== 'raw') return null
  const { object } = callee as { object?: SyntaxNode }
  if (object === undefined || ![...tags, 'CompiledQuery'].includes(nameOf(object) ?? '')) return null
  const text = textOf((node['arguments'] as SyntaxNode[])[0])
  return text === null ? NOT_A_LITERAL : inOneLine(text)
}

const inOneLine = (text: string): string => text.split(/\s+/).join(' ').trim()

/** Returns whether SQL may read a table: it contains `select`, or begins with `table`. */
function isSelect(text: string): boolean {
  const tokens = [...sqlTokens(text)]
  return tokens.includes('select') || tokens[0] === 'table'
}
