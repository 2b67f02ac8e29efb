import { join } from 'node:path'
import { scaffold } from '../scaffold/scaffold-resource.ts'
import { type Ended, runCli } from './run-cli.ts'
import { type TestProject, testProject } from './test-project.ts'

export interface NoteProject extends TestProject {
  /** Runs the command line of the copy with the copy's database. `cwd` is a folder in the copy. */
  cli(args: readonly string[], options?: { cwd?: string; input?: string }): Promise<Ended>
}

/** Creates a copy of the project with one scaffolded resource, Note, whose records are public if they are published. */
export async function noteProject(): Promise<NoteProject> {
  const project = await testProject()
  const { root, url } = project
  const fields = ['title:string{1..200}', 'body:text', 'published:boolean', 'author:references:user']
  await scaffold(project, { name: 'note', fields, options: { publicWhen: 'published' } })
  const cli: NoteProject['cli'] = (args, { cwd = '.', ...options } = {}) =>
    runCli(args, {
      ...options,
      env: { DATABASE_URL: url },
      cwd: join(root, cwd),
      bin: join(root, 'cli/bin.js'),
    })
  return { ...project, cli }
}
