import { readFileSync } from 'node:fs'
import { compareVersions } from '../../project/versions.ts'
import { type Finding, ok, wrong } from './finding.ts'

/** Checks that Node has the version that the framework requires, `>=24.16`. */
export function checkNode(version = process.versions.node): Finding {
  const file = readFileSync('app/framework/package.json', 'utf8')
  const { engines } = JSON.parse(file) as { engines: { node: string } }
  const least = engines.node.replace('>=', '')
  if (compareVersions(version, least) >= 0) return ok('node', `Node ${version}`)
  return wrong(
    'node',
    `Node ${version} is too old.`,
    `Install Node ${least} or newer, from https://nodejs.org.`,
  )
}
