/** A command of a suite and its folder. Excludes subfolders that belong to other steps with the same command. */
export interface Step {
  readonly check: 'format' | 'lint' | 'types' | 'vitest' | 'playwright'
  readonly folder: string
}

export type SuiteName = keyof typeof SUITES

/** The steps of `npm test`, `npm run pergola -- test:framework` and `npm run pergola -- test:cli`, in this order. */
export const SUITES = {
  application: [
    { check: 'format', folder: '.' },
    { check: 'lint', folder: '.' },
    { check: 'types', folder: '.' },
    { check: 'types', folder: 'e2e' },
    { check: 'vitest', folder: '.' },
    { check: 'playwright', folder: 'e2e' },
  ],
  framework: [
    { check: 'format', folder: 'app/framework' },
    { check: 'lint', folder: 'app/framework' },
    { check: 'types', folder: 'app/framework' },
    { check: 'types', folder: 'app/framework/test/browser' },
    { check: 'types', folder: 'app/framework/lab/suites' },
    { check: 'vitest', folder: 'app/framework' },
    { check: 'vitest', folder: 'app/framework/lab/suites' },
    { check: 'playwright', folder: 'app/framework/test/browser' },
  ],
  cli: [
    { check: 'format', folder: 'cli' },
    { check: 'lint', folder: 'cli' },
    { check: 'types', folder: 'cli' },
    { check: 'vitest', folder: 'cli' },
  ],
} satisfies Record<string, readonly Step[]>

export const ALL_STEPS: readonly Step[] = Object.values(SUITES).flat()

export const titleOf = ({ check, folder }: Step): string =>
  folder === '.' ? TITLES[check] : `${TITLES[check]} of ${folder}`

const TITLES = {
  format: 'Format',
  lint: 'Lint',
  types: 'Types',
  vitest: 'Tests',
  playwright: 'Browser tests',
}
