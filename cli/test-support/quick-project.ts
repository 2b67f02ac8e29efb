import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect } from 'vitest'
import type { Target } from '../scaffold/field-types/field-type.ts'
import type { Project } from '../scaffold/project/project.ts'
import { namesOf } from '../scaffold/read/names.ts'
import { askedBy, type ScaffoldArguments } from '../scaffold/read/options.ts'
import { scaffold, type Scaffolded, type ScaffoldFlags } from '../scaffold/scaffold-resource.ts'
import { testProject, type TestProject } from './test-project.ts'

const targetOf = (name: string, label: string): Target => ({
  names: namesOf(name),
  label,
  id: 'bigint',
  isUser: false,
  isSelf: false,
})

interface QuickProject {
  readonly project: TestProject
  readonly quick: Project
  readonly read: (path: string) => string
  readonly edit: (path: string, from: string, to: string) => void
  /** Scaffolds with the words of a command, without migrations. */
  readonly run: (command: string, flags?: ScaffoldFlags) => Promise<Scaffolded>
}

/** Returns the arguments of a command. A word with spaces is in single quotes. */
export const argumentsOf = (command: string): ScaffoldArguments =>
  askedBy(command.match(/'[^']*'|\S+/g)?.map((word) => word.replaceAll("'", '')) ?? [])

/**
 * Creates a project without child processes, which knows the resources that the tests create: their names, and the columns
 * that label them. Call it at the top of a test file. The files are restored after each test.
 */
export async function quickProject(created: Readonly<Record<string, string>>): Promise<QuickProject> {
  const project = await testProject()
  const before = project.files()
  const at = (path: string) => join(project.root, path)
  const read = (path: string) => readFileSync(at(path), 'utf8')
  const targets = Object.entries(created).map(([name, label]) => targetOf(name, label))
  const quick: Project = {
    ...project,
    manifest: () => Promise.resolve(read('security.manifest.json')),
    async existing() {
      const existing = await project.existing()
      const made = targets.filter(({ names }) => existsSync(at(`app/${names.folder}/scaffold.json`)))
      return { ...existing, targets: [...existing.targets, ...made] }
    },
  }
  afterEach(() => {
    const now = project.files()
    for (const path of Object.keys(now)) if (!(path in before)) rmSync(path)
    for (const [path, text] of Object.entries(before)) if (now[path] !== text) writeFileSync(path, text)
  })
  return {
    project,
    quick,
    read,
    edit(path, from, to) {
      expect(read(path)).toContain(from)
      writeFileSync(at(path), read(path).replace(from, to))
    },
    run: (command, flags) => scaffold(quick, argumentsOf(command), { migrate: false, ...flags }),
  }
}
