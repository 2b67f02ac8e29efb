import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { spawnServer } from 'pergola/lab'
import { testDatabase } from 'pergola/testing'
import { fillNotes } from './fill.ts'

const database = await testDatabase()

const started = fillNotes(database.url, 10_000)

it.each(['/notes', '/notes/1', '/api/notes'])(
  'loads %s with up to 75 times the clients of a quiet process',
  async (path) => {
    await started
    const { url } = await spawnServer(join(import.meta.dirname, '../test/fixtures/server.ts'), {
      DATABASE_URL: database.url,
    })
    const script = join(import.meta.dirname, 'overload.ts')
    const load = spawn(process.execPath, [script, url, '--path', path, '--rounds', '2'], {
      stdio: 'inherit',
    })
    expect((await once(load, 'exit'))[0]).toBe(0)
  },
)
