import { expect } from 'vitest'

/** Expects that a command ends without an error. Fails with the output of the command. */
export async function expectDone(run: Promise<unknown>): Promise<void> {
  expect(await run).toBeDefined()
}
