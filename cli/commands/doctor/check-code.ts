import { unauthorizedApis } from 'pergola/app'
import { productionManifest } from '#app/manifest.ts'
import { resources } from '#app/resources.ts'
import { outdated } from '../routes/audit.ts'
import { type Finding, ok, wrong } from './finding.ts'

/** Checks that the reviewed manifest matches the code. */
export function checkManifest(): Finding {
  const [problem, ...differences] = outdated(productionManifest())
  if (problem === undefined) return ok('manifest', 'security.manifest.json is up to date.')
  // Omits the last line, which is the fix.
  const message = [problem, ...differences.slice(0, -1)].join(' ')
  return wrong('manifest', message, 'Review the changes, then run: npx cli routes audit --write')
}

export function checkApis(): Finding[] {
  return unauthorizedApis(resources).map((problem) =>
    wrong('api-policies', problem, 'Give the repository a policy.'),
  )
}
