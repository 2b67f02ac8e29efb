import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { scriptOf } from '../../test/tools.ts'
import { type DeclaredRoutes, declaredRoutes } from './declared-routes.ts'
import { type DeclaredForm, declaredForms } from './declared-forms.ts'
import { missingTemplates } from './mails.ts'
import { isUnprinted, type SourceOf, type ViewSource } from './view-source.ts'
import { HEAD_LINES } from './checked-code.ts'
import { placeIn, type Position } from './position.ts'
import {
  inWords,
  missingAwait,
  missingFields,
  otherForm,
  unknownAsset,
  unknownView,
} from './mistakes/in-words.ts'
import { UNCLOSED, unbalanced } from './mistakes/unbalanced.ts'
import { missingControls } from './mistakes/missing-controls.ts'
import { brokenForms } from './mistakes/broken-forms.ts'
import { refusedForms } from './mistakes/refused-forms.ts'
import { otherRecords } from './mistakes/other-records.ts'
import { wrongHandlers } from './mistakes/wrong-handlers.ts'
import { isAboutText, loopsOverKeys } from './mistakes/loops-over-keys.ts'
import { localLinks } from './mistakes/local-links.ts'
import { unknownPaths } from './mistakes/unknown-paths.ts'
import { idsIn, unknownTargets } from './mistakes/unknown-targets.ts'
import { missingFiles } from './mistakes/missing-files.ts'
import { unclosedElements } from './mistakes/unclosed-elements.ts'
import { unpairedElements } from './mistakes/unpaired-elements.ts'
import { wrongMethods } from './mistakes/wrong-methods.ts'
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
  const sources = new Map(check.views.map(({ name, source }) => [name, source.source]))
  const known = {
    ...check,
    all: errors,
    routes: declaredRoutes(root, check.application),
    forms: declaredForms(check.application),
    ids: [...sources.values()].flatMap(idsIn),
    sourceOf: (name: string) => sources.get(name) ?? '',
  }
  const views = check.views.flatMap((view) => ownErrors(view, known))
  const handlers = wrongHandlers(check.application, known.routes)
  const broken = check.broken.map(({ file, message }) => `${file}${positionIn(message)}: error: ${UNCLOSED}`)
  const others = errors.filter((error) => !check.views.some(({ file }) => error.startsWith(`${file}(`)))
  const templates = missingTemplates(
    check.mails,
    check.views.map(({ name }) => name),
  )
  return { errors: [...broken, ...views, ...templates, ...handlers, ...others], views: check.views.length }
}

interface Known {
  readonly all: readonly string[]
  readonly sourceOf: SourceOf
  readonly routes: DeclaredRoutes
  readonly forms: ReadonlyMap<string, DeclaredForm>
  /** The ids of elements in all views. */
  readonly ids: readonly string[]
  readonly rootFiles: readonly string[]
}

/** Returns the errors of a view. A mistake in its syntax hides those of TypeScript, which are about what follows it. */
function ownErrors(
  { file, source }: CheckedView,
  { all, sourceOf, routes, forms, ids, rootFiles }: Known,
): string[] {
  const errorAt = (start: number, message: string) =>
    `${placeIn(file, source.source, start)}: error: ${message}`
  const errors = all.filter((error) => error.startsWith(`${file}(`))
  const problem = errors.some((error) => SYNTAX_ERROR.test(error)) ? unbalanced(source) : null
  if (problem !== null) return [errorAt(problem.start, problem.message)]
  const keys = loopsOverKeys(source, errors)
  const typed = keys.length === 0 ? errors : errors.filter((error) => !isAboutText(error))
  const unprinted = source.parts.filter((part) => part?.kind === 'code' && isUnprinted(part.code))
  const own = [
    ...unprinted.map((part) => ({ start: part?.start ?? 0, message: UNPRINTED })),
    ...wrongMethods(source, sourceOf),
    ...missingFiles(source, rootFiles),
    ...missingControls(source),
    ...unknownPaths(source, routes),
    ...otherRecords(source, routes),
    ...brokenForms(source, sourceOf),
    ...refusedForms(source, forms, sourceOf),
    ...unknownTargets(source, ids),
    ...keys,
    ...(file.includes('views/mails/') ? localLinks(source) : []),
    ...(file.endsWith('.text.eta') ? [] : wrongElements(source)),
  ]
  return [...own.map(({ start, message }) => errorAt(start, message)), ...typed]
}

/** An attribute that is not closed hides the elements after it. */
function wrongElements(source: ViewSource) {
  const unclosed = unclosedElements(source)
  return unclosed.length > 0 ? unclosed : unpairedElements(source)
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
    unknownView(message, views) ??
    unknownAsset(message, assets) ??
    missingAwait(message) ??
    missingFields(message) ??
    otherForm(message) ??
    (view
      ? inWords(message, { ...view, isMail: view.name.startsWith('mails/'), ...codeAt(view, line, column) })
      : message)
  return `${view?.file ?? file}(${line},${column}): error ${text}`
}

function codeAt({ source }: CheckedView, line: number, column: number) {
  const text = source.source.split('\n')[line - 1] ?? ''
  return { code: text.slice(column - 1), isOfIt: /\bit\??\.$/.test(text.slice(0, column - 1)) }
}
