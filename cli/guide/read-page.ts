import { type Fence, fencesOf } from '../docs/markdown.ts'

/** A step of a page: a block of code that the test runs, writes or applies. */
export type PageStep = CommandStep | FileStep

interface CommandStep {
  readonly kind: 'run'
  readonly at: Position
  readonly commands: string
  /** The lines that the commands print, if the page shows them. */
  readonly output: string | null
}

interface FileStep {
  /** `write` creates or replaces a file; `edit` applies a diff. */
  readonly kind: 'write' | 'edit'
  readonly at: Position
  /** A path in the project. May contain `*`, such as the time in the name of a migration. */
  readonly path: string
  readonly text: string
}

interface Position {
  readonly page: string
  readonly line: number
  /** The heading above the block. */
  readonly section: string
}

/** A block of code. Its `info` is a path, `fails` or `not-run`. */
interface Block extends Fence {
  readonly at: Position
  /** The prose between the previous block and this one. */
  readonly prose: string
}

/**
 * Returns the steps of a page, in its order:
 *
 * - ```` ```sh ```` runs commands, and ```` ```sh not-run ```` shows some that the test can't run.
 * - ```` ```sh fails ```` runs commands that end with an error.
 * - ```` ```text ```` after commands is their output.
 * - ```` ```ts app/tickets/ticket.ts ```` writes a file. Any other language works too.
 * - ```` ```diff app/tickets/ticket.ts ```` edits a file.
 *
 * Readers don't see the first line of a block, so the prose above the block must contain the path too. Throws for every
 * other block: readers would copy code that was never tested.
 */
export function readPage(page: string, markdown: string): PageStep[] {
  const steps: PageStep[] = []
  for (const block of blocksOf(page, markdown)) {
    if (block.language === 'text') steps.push(withOutput(steps.pop(), block))
    else if (block.info !== 'not-run') steps.push(stepOf(block))
  }
  return steps
}

function stepOf({ language, info: path, text, at, prose }: Block): PageStep {
  if (language === 'sh' && ['', 'fails'].includes(path))
    return { kind: 'run', at, commands: path === '' ? text : `! {\n${text}\n}`, output: null }
  if (path === '') throw problem(at, `Name the file of this block: \`\`\`${language} app/name.ts.`)
  if (!prose.includes(path)) throw problem(at, `The text above this block must name its file, ${path}.`)
  return { kind: language === 'diff' ? 'edit' : 'write', at, path, text }
}

function withOutput(step: PageStep | undefined, { text, at }: Block): PageStep {
  if (step?.kind !== 'run' || step.output !== null)
    throw problem(at, 'A text block is the output of the commands in the block before it.')
  return { ...step, output: text }
}

function blocksOf(page: string, markdown: string): Block[] {
  let end = 0
  return fencesOf(markdown).map((fence) => {
    const above = markdown.slice(0, fence.index)
    const prose = markdown.slice(end, fence.index)
    end = fence.index + fence.length
    const section = [...above.matchAll(/^#+ (.*)$/gm)].at(-1)?.[1] ?? ''
    return { ...fence, prose, at: { page, line: above.split('\n').length, section } }
  })
}

/** Returns an error that begins with the page and the line of a block. */
export const problem = ({ page, line }: Position, message: string): Error =>
  new Error(`${page}:${line}: ${message}`)
