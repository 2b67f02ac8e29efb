import { htmlOf, tagAt } from './unclosed-elements.ts'
import type { ViewSource } from '../view-source.ts'
import { bracketsIn, type Mistake } from './unbalanced.ts'

/** A start tag or an end tag, or a brace in the code of a view. */
interface Step {
  readonly start: number
  readonly name: string
  readonly kind: 'open' | 'close' | 'begin' | 'end'
}

/**
 * Returns the first element that is not closed, or the first end tag that closes nothing. A block may open an element that another one closes: those are
 * compared by their names alone.
 */
export function unpairedElements(view: ViewSource): Mistake[] {
  const open: Step[] = []
  const blocks: number[] = []
  const [begun, ended]: [Step[], Step[]] = [[], []]
  for (const step of stepsIn(view)) {
    const first = blocks.at(-1) ?? 0
    if (step.kind === 'open') {
      if (step.name === 'form' && open.some(({ name }) => name === 'form'))
        return [{ start: step.start, message: 'A form can’t contain another form.' }]
      open.push(step)
    } else if (step.kind === 'begin') blocks.push(open.length)
    else if (step.kind === 'end') begun.push(...open.splice(blocks.pop() ?? 0))
    else {
      const at = open.findLastIndex(({ name }) => name === step.name)
      const inner = at < first ? undefined : open.splice(at).slice(1).find(needsEnd)
      if (at < first) ended.push(step)
      if (inner !== undefined) return [unclosed(inner)]
    }
  }
  const left = [...begun, ...open].filter(needsEnd)
  const isIn = (steps: readonly Step[]) => (step: Step) => steps.some(({ name }) => name === step.name)
  return [
    ...left.filter((step) => !isIn(ended)(step)).map(unclosed),
    ...ended.filter((step) => !isIn([...begun, ...open])(step)).map(unopened),
  ]
    .toSorted((one, other) => one.start - other.start)
    .slice(0, 1)
}

const unclosed = ({ start, name }: Step): Mistake => ({ start, message: `</${name}> is missing.` })
const unopened = ({ start, name }: Step): Mistake => ({ start, message: `</${name}> closes no element.` })

/** The elements that end without an end tag. */
const OPTIONAL = new Set(
  'html head body p li dt dd option optgroup tr td th thead tbody tfoot colgroup caption rp rt'.split(' '),
)
const VOID = new Set('area base br col embed hr img input link meta source track wbr'.split(' '))

const needsEnd = ({ name }: Step) => !OPTIONAL.has(name)

/** Returns the steps in their order, without those in scripts, styles and the code of attributes. */
function stepsIn(view: ViewSource): Step[] {
  const html = htmlOf(view).replaceAll(
    /(<(script|style|textarea|title)\b[^>]*>)([^]*?)(?=<\/\2>)/gi,
    (_all, tag: string, _name, text: string) => tag + 'x'.repeat(text.length),
  )
  const elements: Step[] = []
  const inTags: [number, number][] = []
  for (const { index: start } of html.matchAll(/<\/?[a-z]/gi)) {
    const text = tagAt(html, start)
    inTags.push([start, start + text.length])
    // A letter that stands for a tag is not a part of the name.
    const [, slash, name = ''] =
      /^<(\/?)([\w-]+)/.exec(view.source.slice(start, start + 60).toLowerCase()) ?? []
    // A tag can be the name.
    if (name !== '' && !VOID.has(name) && !text.endsWith('/>'))
      elements.push({ start, name, kind: slash === '' ? 'open' : 'close' })
  }
  const braces = view.parts
    .filter((part) => part?.kind === 'code')
    .filter((part) => part && !inTags.some(([start, end]) => start < part.start && part.start < end))
    .flatMap((part) => (part ? bracketsIn(part, /[{}]/g) : []))
    .map(({ character, start }): Step => ({
      start,
      name: character,
      kind: character === '{' ? 'begin' : 'end',
    }))
  return [...elements, ...braces].toSorted((one, other) => one.start - other.start)
}
