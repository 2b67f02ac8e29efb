import { once } from 'node:events'
import { createWriteStream, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { addToList } from '../commands/generate/list-file.ts'
import { type TestProject, testProject } from './test-project.ts'

/**
 * Creates a copy of the project with two tasks: `import-lines`, which runs long, and `recount-lines`, which is
 * scheduled.
 */
export async function taskProject(): Promise<TestProject> {
  const project = await testProject()
  const list = join(project.root, 'app/tasks/tasks.ts')
  for (const [file, { variable, text }] of Object.entries(TASKS)) {
    writeFileSync(join(project.root, 'app/tasks', file), text)
    const changed = addToList(readFileSync(list, 'utf8'), 'tasks', { variable, file: `./${file}` })
    if (changed === null) throw new Error('The list of tasks has an unexpected structure')
    writeFileSync(list, changed)
  }
  await project.sql('create table lines (title text not null)')
  return project
}

const TASKS = {
  'import-lines.ts': {
    variable: 'importLines',
    text: `import { z } from 'zod'
import { database, inTransaction } from 'pergola'
import { csvRecords, pathArgument, task } from 'pergola/tasks'

declare module 'pergola' {
  interface Tables {
    lines: { title: string }
  }
}

export const importLines = task('import-lines', {
  description: 'Stores the titles of a CSV file.',
  args: z.object({ file: pathArgument().describe('the file, of any size') }),
  dryRun: true,
  async run({ args, dryRun, signal, position, warn, checkpoint, progress, say }) {
    const file = csvRecords(args.file, { columns: ['title', 'body'], signal, position, warn })
    for await (const rows of file) {
      const lines = rows.map(({ values }) => ({ title: values.title }))
      if (!dryRun) {
        await inTransaction(async () => {
          if (lines.length > 0) await database().insertInto('lines').values(lines).execute()
          await checkpoint(file.position)
        })
      }
      progress(file.progress())
    }
    say(\`Imported \${file.accepted} lines; refused \${file.refused}.\`)
  },
})
`,
  },
  'recount-lines.ts': {
    variable: 'recountLines',
    text: `import { z } from 'zod'
import { task } from 'pergola/tasks'

export const recountLines = task('recount-lines', {
  description: 'Counts the lines.',
  args: z.object({ since: z.iso.date().optional().describe('only lines since this day') }),
  dryRun: true,
  schedule: '0 3 * * *',
  run: ({ say }) => Promise.resolve(say('Counted.')),
})
`,
  },
}

const BODY = 'Nothing happened for three weeks, ""which"" turned out to be the point.\n'.repeat(6)

/** Writes a file of about this many megabytes for `import-lines`. All lines differ. Returns their number. */
export async function writeManyLines(path: string, megabytes: number): Promise<number> {
  const out = createWriteStream(path)
  out.write('title,body\n')
  let lines = 0
  for (let bytes = 0; bytes < megabytes * 1e6; lines++) {
    const line = `"Line ${lines + 1}, imported","${BODY}"\n`
    bytes += Buffer.byteLength(line)
    if (!out.write(line)) await once(out, 'drain')
  }
  out.end()
  await once(out, 'finish')
  return lines
}
