import { globSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../test/tools.ts'

/** Whether this is the starter, and not an application with resources, pages and commands of its own. */
export const isStarter =
  globSync('app/*/scaffold.json', { cwd: root }).join() === join('app/posts/scaffold.json')
