import { Client } from 'pg'

/** A statement that the application sent. */
export interface Sent {
  readonly text: string
  readonly parameters: readonly unknown[]
}

/** The relevant parts of an executed plan. */
export interface Plan {
  /** The nodes that read a table or an index, with the name of the index: `Index Scan posts_title_sort`. */
  readonly scans: readonly string[]
  readonly sorts: boolean
  /** Blocks of 8 kB that were read, from the cache or from the disk. */
  readonly buffers: number
  readonly milliseconds: number
}

interface Node {
  'Node Type': string
  'Index Name'?: string
  'Shared Hit Blocks': number
  'Shared Read Blocks': number
  Plans?: Node[]
}

/**
 * Executes statements and returns their plans. A `custom` plan depends on the values of the parameters, a `generic` one
 * doesn't: Postgres reuses it for a prepared statement.
 */
export async function plansOf(
  url: string,
  statements: readonly Sent[],
  mode: 'custom' | 'generic',
): Promise<Plan[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(`set plan_cache_mode = force_${mode}_plan`)
    const plans: Plan[] = []
    for (const statement of statements) plans.push(await planOf(client, statement))
    return plans
  } finally {
    await client.end()
  }
}

async function planOf(client: Client, { text, parameters }: Sent): Promise<Plan> {
  await client.query(`prepare statement as ${text}`)
  const values = parameters.map((value) =>
    value === null ? 'null' : client.escapeLiteral(String(value as string | number | boolean)),
  )
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Node; 'Execution Time': number }] }>(
    `explain (analyze, buffers, format json) execute statement${values.length > 0 ? `(${values.join(', ')})` : ''}`,
  )
  await client.query('deallocate statement')
  const [{ Plan: root, 'Execution Time': milliseconds }] = rows[0]!['QUERY PLAN']
  const nodes = nodesOf(root)
  return {
    scans: nodes
      .map((node) => [node['Node Type'], node['Index Name']].filter(Boolean).join(' '))
      .filter((name) => /\b(?:Seq|Index|Heap)\b/.test(name)),
    sorts: nodes.some((node) => node['Node Type'].endsWith('Sort')),
    buffers: root['Shared Hit Blocks'] + root['Shared Read Blocks'],
    milliseconds,
  }
}

const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]
