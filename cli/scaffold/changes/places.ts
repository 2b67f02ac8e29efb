import { execFile } from 'node:child_process'
import { join } from 'node:path'
import type { Project } from '../project/project.ts'
import type { Scaffolded, ScaffoldFlags } from '../scaffold-resource.ts'
import { type Change, changeResource } from './change-resource.ts'

/** Changes fields of a resource, and lists the other places of the application that need a change. */
export async function changeCheckedResource(
  project: Project,
  change: Change,
  flags: ScaffoldFlags,
): Promise<Scaffolded> {
  const result = await changeResource(project, change, flags)
  if (result.dryRun) return result
  return { ...result, places: await wrongPlaces(project.root) }
}

/** Returns the errors of the types in code and views: `app/a.ts:7:3 …`. */
function wrongPlaces(root: string): Promise<string[]> {
  const check = [join(root, 'cli/bin.js'), 'views', 'check']
  return new Promise((resolve) => {
    execFile(process.execPath, check, { cwd: root, maxBuffer: 64 * 2 ** 20 }, (error, stdout, stderr) =>
      resolve(error === null ? [] : `${stdout}\n${stderr}`.split('\n').filter((line) => PLACE.test(line))),
    )
  })
}

const PLACE = /^[\w@./-]+[:(]\d+[:,]\d+/
