import { cp, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it, vi } from 'vitest'
import { compileNouns, nounModels, ONLY_THE_CANARY, writeNouns } from '../test-support/nouns.ts'
import { existingIn } from './existing.ts'

vi.mock('prettier', () => ({ format: (text: string) => text, resolveConfig: () => ({}) }))

// `npm run pergola -- test:scaffold`: compiles resources of nouns.test.ts with the real types, in a copy of the project.
const root = join(import.meta.dirname, '../..')
const project = await mkdtemp(join(tmpdir(), 'nouns-matrix-'))
afterAll(() => rm(project, { recursive: true, force: true }))

// Each resource takes about a third of a second and 10 MB.
const COUNT = 200

it(`${COUNT} resources compile together in the project`, async () => {
  const filter = (path: string) => !/\.(?:test|spec)\.ts$/.test(path)
  for (const path of ['app', 'package.json', 'tsconfig.json'])
    await cp(join(root, path), join(project, path), { recursive: true, filter })
  await symlink(join(root, 'node_modules'), join(project, 'node_modules'))
  const models = nounModels(await existingIn(root)).models.slice(0, COUNT)
  expect(models).toHaveLength(COUNT)
  await writeNouns(project, models)
  expect(await compileNouns(project)).toEqual(ONLY_THE_CANARY)
})
