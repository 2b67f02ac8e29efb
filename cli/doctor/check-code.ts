import { unauthorizedApis } from 'pergola'
import { productionManifest } from '#app/manifest.ts'
import { resources } from '#app/resources.ts'
import { outdated } from '../routes/audit.ts'
import { type Finding, ok, wrong } from './finding.ts'

/** Whether what was reviewed is what runs. */
export function checkManifest(): Finding {
  const [problem, ...differences] = outdated(productionManifest())
  if (problem === undefined) return ok('manifest', 'security.manifest.json says what the code says.')
  // The last line is the remedy.
  const says = [problem, ...differences.slice(0, -1)].join(' ')
  return wrong('manifest', says, 'Read it; if it is meant: npx cli routes audit --write')
}

export function checkApis(): Finding[] {
  return unauthorizedApis(resources).map((problem) =>
    wrong('api-policies', problem, 'Give the repository a policy.'),
  )
}
