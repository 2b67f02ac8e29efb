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
 * Returns the first element that is not closed, or the first end tag that closes nothing. Finds nothing in a view with a block that opens or closes
 * an element of other blocks: which of them belong together depends on its conditions.
 */
export function unpairedElements(view: ViewSource): Mistake[] {
  const open: Step[] = []
  const blocks: number[] = []
  for (const step of stepsIn(view)) {
    if (step.kind === 'open') {
      if (step.name === 'form' && open.some(({ name }) => name === 'form'))
        return [{ start: step.start, message: 'A form can’t contain another form.' }]
      open.push(step)
    } else if (step.kind === 'begin') blocks.push(open.length)
    else if (step.kind === 'end') {
      const first = blocks.pop() ?? 0
      if (open.length < first || open.splice(first).some(needsEnd)) return []
    } else {
      const first = blocks.at(-1) ?? 0
      const at = open.findLastIndex(({ name }) => name === step.name)
      if (at !== -1 && at < first) return []
      if (at === -1) return [unopened(step)]
      const inner = open.splice(at).slice(1).find(needsEnd)
      if (inner !== undefined) return [unclosed(inner)]
    }
  }
  return open.filter(needsEnd).slice(0, 1).map(unclosed)
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
