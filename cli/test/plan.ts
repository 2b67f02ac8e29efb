import { ALL_STEPS, type Step, type SuiteName, SUITES } from './suites.ts'

export interface PlannedStep extends Step {
  /** The selected paths. If empty, the step covers its whole folder. */
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
 * Returns the steps of a suite, or of all suites for `all`. Paths narrow them: each path is passed to the steps whose
 * folder contains it, of any suite. A word that is not a path (`posts`) filters the suite's tests by file name. Options
 * (`-t name`) are passed to the tests only.
 */
export function planOf(
  suite: SuiteName | 'all',
  words: readonly string[],
  exists: (path: string) => boolean,
): Plan {
  const firstOption = words.findIndex((word) => word.startsWith('-'))
  const filters = firstOption < 0 ? words : words.slice(0, firstOption)
  const options = words.slice(filters.length)
  const suiteSteps: readonly Step[] = suite === 'all' ? ALL_STEPS : SUITES[suite]
  const paths = filters.map(normalized)
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

/** Returns the folders within a step's folder that belong to other steps of the same kind. */
export function foreignFolders(step: Step): string[] {
  const others = ALL_STEPS.filter(({ check, folder }) => check === step.check && folder !== step.folder)
  return others.map(({ folder }) => folder).filter((folder) => contains(step.folder, folder))
}

/**
 * Returns whether this step covers a path. Of the steps with the same purpose, the step with the innermost folder
 * covers it.
 */
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
