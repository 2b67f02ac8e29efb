import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { testProject } from '../test-support/test-project.ts'

const project = await testProject()
const env = { PATH: process.env['PATH'] ?? '', NODE_ENV: 'test', DATABASE_URL: project.url }
const node = (...args: string[]) => promisify(execFile)(process.execPath, args, { cwd: project.root, env })

const COMMANDS = [
  ['album', 'title'],
  ['photo', 'title', 'album:references'],
  // The album refers back.
  ['album', 'cover:references:photo?'],
]

it('lets two resources refer to each other, whichever is imported first', async () => {
  for (const words of COMMANDS) await node('cli/bin.js', 'scaffold', ...words)
  const album = readFileSync(join(project.root, 'app/albums/album.ts'), 'utf8')
  expect(album).toContain("references: { cover_id: 'photos' }")
  expect(album).not.toContain('photo.ts')
  const again = await node('cli/bin.js', 'scaffold', ...(COMMANDS[2] ?? []))
  expect(again.stdout).not.toMatch(/^\s*(?:create|change)/m)
  for (const file of ['albums/album.repository.ts', 'photos/photo.repository.ts', 'resources.ts'])
    await node('--eval', `await import('./app/${file}')`, '--input-type=module')
  await node('cli/bin.js', 'routes', 'audit', '--check')
}, 120_000)
