import { ALL_STEPS, type Step, type SuiteName, SUITES } from './suites.ts'

export interface PlannedStep extends Step {
  /** Narrow the step; without paths it covers its folder. */
  readonly paths: readonly string[]
  /** Options for the tools that run tests. */
  readonly options: readonly string[]
}

export interface Plan {
  readonly steps: readonly PlannedStep[]
  /** Steps of the suite that the words on the command line exclude. */
  readonly leftOut: readonly Step[]
}

/**
 * The steps of a suite (`all`: of every suite). Paths narrow them: each path goes to the steps whose folder holds it, of
 * whichever suite. A word that is no path (`posts`) filters the suite's tests by their file names, and options
 * (`-t name`) go to the tests alone.
 */
export function planOf(
  suite: SuiteName | 'all',
  words: readonly string[],
  exists: (path: string) => boolean,
): Plan {
  const firstOption = words.findIndex((word) => word.startsWith('-'))
  const given = firstOption < 0 ? words : words.slice(0, firstOption)
  const options = words.slice(given.length)
  const suiteSteps: readonly Step[] = suite === 'all' ? ALL_STEPS : SUITES[suite]
  const paths = given.map(normalized)
  const stepsOf = (path: string) =>
    exists(path) ? ALL_STEPS.filter((step) => covers(step, path)) : suiteSteps.filter(filtersByName)
  const planned = (step: Step): PlannedStep[] => {
    const own = paths.filter((path) => stepsOf(path).includes(step))
    // Vitest and Playwright have different options.
    const excluded = paths.length > 0 ? own.length === 0 : options.length > 0 && step.check === 'playwright'
    return excluded ? [] : [{ ...step, paths: own, options: purposeOf(step) === 'vitest' ? options : [] }]
  }
  const candidates = paths.length > 0 ? ALL_STEPS : suiteSteps
  return {
    steps: candidates.flatMap(planned),
    leftOut: suiteSteps.filter((step) => planned(step).length === 0),
  }
}

/** The folders within a step's folder that belong to other steps with the same purpose. */
export function foreignFolders(step: Step): string[] {
  const others = ALL_STEPS.filter(({ check, folder }) => check === step.check && folder !== step.folder)
  return others.map(({ folder }) => folder).filter((folder) => contains(step.folder, folder))
}

/** Of the steps with one purpose, the one with the innermost folder covers a path. */
function covers(step: Step, path: string): boolean {
  const rivals = ALL_STEPS.filter(
    (other) => purposeOf(other) === purposeOf(step) && contains(other.folder, path),
  )
  return rivals.toSorted((a, b) => b.folder.length - a.folder.length)[0] === step
}

const purposeOf = ({ check }: Step) => (check === 'playwright' ? 'vitest' : check)

const filtersByName = ({ check }: Step) => check === 'vitest' || check === 'types'

const contains = (folder: string, path: string) => folder === '.' || `${path}/`.startsWith(`${folder}/`)

const normalized = (path: string) => path.replaceAll('\\', '/').replace(/^\.\//, '')
