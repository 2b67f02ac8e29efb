/** Returns the anchor of a heading on GitHub: `can-i-edit-it` for `Can I edit it?`. */
export const slugOf = (heading: string): string =>
  heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/<[^>]*>/g, '')
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
    .replaceAll(' ', '-')

/** Returns the anchors of headings, in their order. Equal ones get a number: `policy`, `policy-1`. */
export function slugsOf(headings: readonly string[]): string[] {
  const counts = new Map<string, number>()
  return headings.map((heading) => {
    const slug = slugOf(heading)
    const count = counts.get(slug) ?? 0
    counts.set(slug, count + 1)
    return count === 0 ? slug : `${slug}-${count}`
  })
}

/** Returns the headings of a page, without lines in code blocks. */
export const headingsOf = (markdown: string): string[] =>
  [...withoutCode(markdown).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => heading)

/** Replaces the blocks of code by empty lines, so that line numbers stay. */
export const withoutCode = (markdown: string): string =>
  markdown.replaceAll(/^(?<indent> *)(?<fence>`{3,}).*?^\k<indent>\k<fence> *$/gms, (block) =>
    block.replaceAll(/[^\n]/g, ''),
  )

/** A block of code in a page. */
export interface Fence {
  readonly language: string
  /** The rest of the first line. */
  readonly info: string
  readonly text: string
  /** Where the block begins in the page, and its length. */
  readonly index: number
  readonly length: number
}

const FENCE = /^```(\S*)(?: (.*))?\n([\s\S]*?)^```$/gm

/** Returns the blocks of code of a page that are not indented. */
export const fencesOf = (markdown: string): Fence[] =>
  [...markdown.matchAll(FENCE)].map(({ index, 0: block, 1: language = '', 2: info = '', 3: text = '' }) => ({
    language,
    info,
    text,
    index,
    length: block.length,
  }))

/** Returns a table. Cells may contain `|`. */
export const tableOf = (rows: readonly (readonly string[])[]): string =>
  [rows[0] ?? [], (rows[0] ?? []).map(() => '---'), ...rows.slice(1)]
    .map((row) => `| ${row.map((cell) => cell.replaceAll('|', String.raw`\|`)).join(' | ')} |`)
    .join('\n')

export const codeBlock = (language: string, code: string): string => `\`\`\`${language}\n${code}\n\`\`\``
