import { expect, it } from 'vitest'
import { compareWith, measure } from '../app/framework/test/house/house.ts'
import { isStarter } from './test-support/starter.ts'
import { root } from './test/tools.ts'

it.runIf(isStarter)('the command line has at most the numbers in house.json', () => {
  expect(
    compareWith(
      `${root}/cli/test-support/house.json`,
      measure(root, [
        'cli',
        'cli/add-ons',
        'cli/commands/add',
        'cli/application',
        'cli/commands/new',
        'cli/commands/views',
        'cli/commands/views/mistakes',
        'cli/commands/why',
        'cli/dev',
        'cli/dev/types',
        'cli/scaffold/actions',
        'cli/scaffold/arrays',
        'cli/scaffold/changes',
        'cli/scaffold/computed',
        'cli/scaffold/editors',
        'cli/scaffold/labels',
        'cli/scaffold/many',
        'cli/scaffold/markdown',
        'cli/scaffold/money',
        'cli/scaffold/from-table',
        'cli/scaffold/nested',
        'cli/scaffold/tenants',
        'cli/scaffold/unique-within',
        'cli/upgrade',
      ]),
    ),
  ).toEqual([])
})
