import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { importsOf } from './imports.ts'

/** The numbers of a part of the code, by their names. They may only fall. */
export type House = Readonly<Record<string, number>>

/** A folder with more files, or a file with more lines, has a number of its own. */
const FILES_OF_A_FOLDER = 20
const LINES_OF_A_FILE = 200

/**
 * Measures the modules in these folders of `root`, without their tests. A folder within another one has lines of its own, so
 * that a feature doesn't take the room of the rest.
 */
export function measure(root: string, folders: readonly string[]): House {
  const texts = new Map(
    folders
      .flatMap((folder) => globSync(`${folder}/**/*.{js,ts}`, { cwd: root }))
      .map((file) => file.replaceAll('\\', '/'))
      .filter((file) => !isTest(file))
      .map((file) => [file, readFileSync(join(root, file), 'utf8')]),
  )
  const all = [...texts.values()].join('\n')
  return {
    ...linesByFolder(folders, texts),
    ...above(FILES_OF_A_FOLDER, 'files of', countsOf([...texts.keys()].map((file) => dirname(file)))),
    ...above(LINES_OF_A_FILE, 'lines of', new Map([...texts].map(([file, text]) => [file, lines(text)]))),
    'files in circles of imports': filesInCircles(texts).length,
    'WeakMaps and WeakSets of modules': count(all, /^(?:export )?const .* = new Weak(?:Map|Set)\b/gm),
    'casts through never or unknown': count(all, /\bas (?:never|unknown as)\b/g),
    'files whose name another file has': sharedNames([...texts.keys()]).length,
  }
}

/** Also the files that an add-on copies into applications. */
const isTest = (file: string) =>
  /\.(?:test|matrix|guide|bench)\.ts$|^cli\/(?:test-support|add-ons\/[^/]+\/files)\//.test(file)
const lines = (text: string) => text.split('\n').length - 1
const count = (text: string, expression: RegExp) => [...text.matchAll(expression)].length

function linesByFolder(folders: readonly string[], texts: ReadonlyMap<string, string>): House {
  const isIn = (file: string) => (folder: string) => file.startsWith(`${folder}/`)
  const numbers = new Map(folders.map((folder) => [`lines of ${folder}`, 0]))
  for (const [file, text] of texts) {
    const inner = folders.filter(isIn(file)).toSorted((one, other) => other.length - one.length)[0]
    const name = `lines of ${inner}`
    numbers.set(name, (numbers.get(name) ?? 0) + lines(text))
  }
  return Object.fromEntries(numbers)
}

function countsOf(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

const above = (limit: number, unit: string, counts: ReadonlyMap<string, number>): House =>
  Object.fromEntries(
    [...counts].filter(([, number]) => number > limit).map(([name, number]) => [`${unit} ${name}`, number]),
  )

function filesInCircles(texts: ReadonlyMap<string, string>): string[] {
  const targets = new Map([...texts].map(([file, text]) => [file, targetsOf(file, text)]))
  return [...texts.keys()].filter((file) => {
    const reached = new Set(targets.get(file))
    for (const one of reached) for (const target of targets.get(one) ?? []) reached.add(target)
    return reached.has(file)
  })
}

const targetsOf = (file: string, text: string): string[] =>
  importsOf(text)
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => join(dirname(file), specifier).replaceAll('\\', '/'))

function sharedNames(files: readonly string[]): string[] {
  const counts = countsOf(files.map((file) => basename(file)))
  return files.filter((file) => basename(file) !== 'index.ts' && (counts.get(basename(file)) ?? 0) > 1)
}

/** Returns the numbers that are larger than the recorded ones, each as a sentence. */
export const grown = (now: House, recorded: House): string[] =>
  Object.entries(now)
    .filter(([name, number]) => number > (recorded[name] ?? 0))
    .map(([name, number]) => `${name}: ${number} instead of ${recorded[name] ?? 'at most the limit'}`)

/** Compares the numbers with those in a file, and writes smaller ones to it. Returns the problems. */
export function compareWith(path: string, now: House): string[] {
  const recorded = JSON.parse(readFileSync(path, 'utf8')) as House
  const problems = grown(now, recorded)
  if (problems.length > 0) return [...problems, SMALLER_AGAIN]
  const text = `${JSON.stringify(now, null, 2)}\n`
  if (text !== readFileSync(path, 'utf8')) writeFileSync(path, text)
  return []
}

const SMALLER_AGAIN =
  'These numbers may only fall. Delete what the new code replaces, give a feature its own folder, divide a file by its ' +
  'subjects, or let both files of a circle import a third one.'
