import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { scriptOf } from '../../test/tools.ts'
import { nearest } from '../../nearest.ts'
import { unbalanced } from './unbalanced.ts'
import { isUnprinted } from './view-source.ts'
import { HEAD_LINES, type Position } from './checked-code.ts'
import { type Check, CHECKED, type CheckedView, writeCheck } from './write-check.ts'

interface Checked {
  /** Errors as `tsc` prints them: `views/posts/show.eta(3,12): error TS2339: …`. */
  readonly errors: readonly string[]
  /** The number of views. */
  readonly views: number
}

/** Checks the views of an application and its code with one run of `tsc`. Errors in views have their lines and columns. */
export async function checkViews(root: string): Promise<Checked> {
  const check = writeCheck(root)
  const errors = (await compile(root))
    .filter((error) => !isInHead(error))
    .map((error) => inView(error, check))
  const views = check.views.flatMap((view) => ownErrors(view, errors))
  const broken = check.broken.map(
    ({ file, message }) => `${file}${positionIn(message)}: error: ${message.split('\n')[0]}`,
  )
  const others = errors.filter((error) => !check.views.some(({ file }) => error.startsWith(`${file}(`)))
  return { errors: [...broken, ...views, ...others], views: check.views.length }
}

/** Returns the errors of a view. One in its brackets hides those of TypeScript, which are about the end of the view. */
function ownErrors({ file, source }: CheckedView, all: readonly string[]): string[] {
  const errorAt = (start: number, message: string) => {
    const before = source.source.slice(0, start).split('\n')
    return `${file}(${before.length},${(before.at(-1)?.length ?? 0) + 1}): error: ${message}`
  }
  const errors = all.filter((error) => error.startsWith(`${file}(`))
  const problem = errors.some((error) => SYNTAX_ERROR.test(error)) ? unbalanced(source) : null
  if (problem !== null) return [errorAt(problem.start, problem.message)]
  const unprinted = source.parts.filter((part) => part?.kind === 'code' && isUnprinted(part.code))
  return [...unprinted.map((part) => errorAt(part?.start ?? 0, UNPRINTED)), ...errors]
}

const SYNTAX_ERROR = /: error TS1\d{3}: /

const UNPRINTED = 'This tag prints nothing. Print text with <%= … %>, and HTML with <%~ … %>.'

/** Eta's message: `unclosed tag at line 2 col 1:`. */
function positionIn(message: string): string {
  const [, line = '1', column = '1'] = /at line (\d+) col (\d+)/.exec(message) ?? []
  return `(${line},${column})`
}

interface TypeError {
  readonly file: string
  readonly position: Position
  /** The code and the message, in one or several lines. */
  readonly message: string
}

/** `app/app.ts(3,12): error TS2339: …`, and the indented lines of an explanation. */
const ERROR = /^(.+?)\((\d+),(\d+)\): error (TS\d+: .*(?:\n[ \t].*)*)/gm

/** Runs `tsc`. Throws its output if it fails without an error in the code. */
async function compile(root: string): Promise<TypeError[]> {
  const args = [scriptOf('tsc'), '--project', CHECKED, '--pretty', 'false']
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
  const [output, code] = await Promise.all([
    text(child.stdout),
    new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve)),
  ])
  const errors = [...output.matchAll(ERROR)].map(([, file = '', line, column, message = '']) => ({
    file,
    position: { line: Number(line), column: Number(column) },
    message,
  }))
  if (code !== 0 && errors.length === 0) throw new Error(output || `tsc ended with the code ${code}.`)
  return errors
}

/** TypeScript reports both declarations of a name. The first one is not in the view. */
const isInHead = ({ file, position, message }: TypeError) =>
  message.startsWith('TS2451') && file.startsWith(CHECKED) && position.line <= HEAD_LINES

/** Returns the error with its position in the view, or unchanged if it is in the application. */
function inView({ file, position, message }: TypeError, { assets, views }: Check): string {
  const path = file.startsWith(`${CHECKED}/`) ? file.slice(CHECKED.length + 1) : null
  const view = views.find(({ code }) => path !== null && code.has(path))
  const { line, column } = (path && view?.code.get(path)?.positionOf(position)) || position
  const text =
    unknownView(message, views) ?? unknownAsset(message, assets) ?? (view ? inWords(message, view) : message)
  return `${view?.file ?? file}(${line},${column}): error ${text}`
}

/** Returns a sentence about a view that doesn't exist. TypeScript lists some of all views. */
function unknownView(message: string, views: readonly CheckedView[]): string | null {
  const [, name = '', other = ''] =
    /^TS2345: Argument of type '"([^"]*)"' is not assignable to parameter of type '"([^"]*)"/.exec(message) ??
    []
  const paths = views.map((view) => view.name)
  if (!paths.includes(other.replace('/', '')) && !paths.includes(other)) return null
  const slash = other.startsWith('/') ? '/' : ''
  const best = nearest(name.replace(/^\.?\//, ''), paths)
  return `TS2345: There is no view '${name}'.${best === null ? '' : ` Did you mean '${slash}${best}'?`}`
}

function unknownAsset(message: string, assets: readonly string[]): string | null {
  const [, name] =
    /^TS2345: Argument of type '"([^"]*)"' is not assignable to parameter of type 'keyof AssetFiles'/.exec(
      message,
    ) ?? []
  if (name === undefined) return null
  const best = nearest(name, assets)
  return `TS2345: There is no file '${name}' in public.${best === null ? '' : ` Did you mean '${best}'?`}`
}

const MISSING =
  /^TS(?:2339|2551): Property '(\w+)' does not exist on type .*\bViewContext'\.(?: (Did you mean '\w+'\?))?/

/** Returns the message in the words of views. */
function inWords(message: string, { hasDeclaration }: CheckedView): string {
  const [, value] =
    /^TS2345: Argument of type (.+) is not assignable to parameter of type 'Printable'/.exec(message) ?? []
  if (value !== undefined) return `TS2345: A tag can't print ${value}. Print one of its properties.`
  const [, unknown] = /^TS2304: Cannot find name '(\w+)'\.$/.exec(message) ?? []
  if (unknown !== undefined)
    return `TS2304: Cannot find name '${unknown}'. Data and helpers are below 'it': it.${unknown}.`
  if (message.includes('PrintWithTilde'))
    return 'HTML: print this value with <%~ … %>, since <%= … %> escapes it.'
  if (/^TS2345: Argument of type .+ is not assignable to parameter of type '[^']*\bHtml\b/.test(message))
    return 'HTML: <%~ … %> prints only HTML. Print text with <%= … %>, which escapes it.'
  const [, name, guess = ''] = MISSING.exec(message) ?? []
  if (name === undefined) return message
  if (name.endsWith('Routes') && guess === '')
    return `TS2339: No route table has the name '${name}'. app/pages.ts and app/resources.ts list them.`
  const remedy = hasDeclaration ? 'Add it to the @type' : `Declare it: <% /** @type {{ ${name}: … }} */ %>`
  return `TS2339: '${name}' is not in the data of this view. ${guess || `${remedy} in the first tag.`}`
}
