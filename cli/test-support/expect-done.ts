import { expect } from 'vitest'

/** Expects that a command ends without an error. Fails with the output of the command. */
export async function expectDone(run: Promise<unknown>): Promise<void> {
  expect(await run).toBeDefined()
}

type Tool = (file: string, ...args: string[]) => Promise<unknown>

/** Expects that a clone passes the formatter, the compiler and the linter. */
export async function expectCleanCode(tool: Tool): Promise<void> {
  await expectDone(tool('prettier/bin/prettier.cjs', '--check', '.'))
  await expectDone(tool('typescript/bin/tsc', '-p', '.'))
  await expectDone(tool('typescript/bin/tsc', '-p', 'e2e'))
  await expectDone(tool('oxlint/bin/oxlint', '--type-aware', '--deny-warnings'))
}
