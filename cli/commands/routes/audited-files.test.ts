import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { inChild } from '../../scaffold/project/project.ts'
import { testProject } from '../../test-support/test-project.ts'

const { root } = await testProject()
const IMPORT = "import { users } from '#app/users/user.repository.ts'\n"
const USE = "export const all = () => users.asSystem('why').findAll()\n"

mkdirSync(join(root, 'lib'))
const write = (file: string, text: string) => writeFileSync(join(root, file), text)
write('lib/everywhere.ts', IMPORT + USE)
write('app/home/plain.js', IMPORT + USE)
write('app/home/folded.ts', `${IMPORT}export const all = users['as' + 'System']('why')\n`)
write('app/home/imported.factory.ts', IMPORT + USE)
write('app/home/importer.ts', "export { all } from './imported.factory.ts'\n")
write('app/home/unused.factory.ts', IMPORT + USE)
write('app/home/own-client.ts', "export const own = async () => (await import('pg')).default\n")
write(
  'app/home/listener.ts',
  "import { createServer } from 'node:http'\nexport const own = () => createServer()\n",
)

describe('routes audit --check', () => {
  it('reads all files that run in production', async () => {
    const report = await inChild(root, ['routes', 'audit', '--check']).then(
      () => '',
      (error: Error) => error.message,
    )
    const found = (text: string) => report.includes(text)
    for (const file of [
      'lib/everywhere.ts',
      'app/home/plain.js',
      'app/home/folded.ts',
      'app/home/imported.factory.ts',
    ])
      expect([file, found(`users is now used as the system in ${file}: 'why'.`)]).toEqual([file, true])
    expect(found('app/home/own-client.ts now imports pg.')).toBe(true)
    expect(found('app/home/listener.ts now imports node:http.')).toBe(true)
    expect(report).not.toContain('unused.factory.ts')
  })
})
