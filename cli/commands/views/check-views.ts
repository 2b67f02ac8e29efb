import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { scriptOf } from '../../test/tools.ts'
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
  const broken = check.broken.map(
    ({ file, message }) => `${file}${positionIn(message)}: error: ${message.split('\n')[0]}`,
  )
  return { errors: [...broken, ...errors], views: check.views.length }
}

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
function inView({ file, position, message }: TypeError, { views }: Check): string {
  const path = file.startsWith(`${CHECKED}/`) ? file.slice(CHECKED.length + 1) : null
  const view = views.find(({ code }) => path !== null && code.has(path))
  const { line, column } = (path && view?.code.get(path)?.positionOf(position)) || position
  return `${view?.file ?? file}(${line},${column}): error ${view ? inWords(message, view) : message}`
}

const MISSING =
  /^TS(?:2339|2551): Property '(\w+)' does not exist on type .*\bViewContext'\.(?: (Did you mean '\w+'\?))?/

/** Returns the message in the words of views. */
function inWords(message: string, { hasDeclaration }: CheckedView): string {
  if (message.includes('PrintWithTilde'))
    return 'HTML: print this value with <%~ … %>, since <%= … %> escapes it.'
  if (/^TS2345: Argument of type .+ is not assignable to parameter of type 'Html'/.test(message))
    return 'HTML: <%~ … %> prints only HTML. Print text with <%= … %>, which escapes it.'
  const [, name, guess = ''] = MISSING.exec(message) ?? []
  if (name === undefined) return message
  const remedy = hasDeclaration ? 'Add it to the @type' : `Declare it: <% /** @type {{ ${name}: … }} */ %>`
  return `TS2339: '${name}' is not in the data of this view. ${guess || `${remedy} in the first tag.`}`
}
