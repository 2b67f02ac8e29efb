import { type Differences, none, together } from './differences.ts'
import type { Dimensions } from './schema.ts'

type Policies = Dimensions['authorization_policies']

/** How much refusals give away, of the application and of each resource that is or was different. */
export function compareDenials(old: Policies, now: Policies): Differences {
  const ofResources = now.resources.flatMap((after) => {
    const before = old.resources.find(({ resource }) => resource === after.resource)
    const [was, is] = [before?.forbidden_response ?? null, after.forbidden_response]
    // Of what always answers like the application, the application's sentence tells.
    if (before === undefined || (was === null && is === null)) return []
    return compareTells(after.resource, was ?? old.forbidden_response, is ?? now.forbidden_response)
  })
  return together([
    compareTells('The application', old.forbidden_response, now.forbidden_response),
    ...ofResources,
  ])
}

function compareTells(who: string, old: string, now: string): Differences {
  if (old === now) return none()
  const sentence = `${who}: a denial now looks like ${now}; it was ${old}.`
  const [was, is] = [TELLING.indexOf(old), TELLING.indexOf(now)]
  return is >= 0 && is < was ? none({ narrower: [sentence] }) : none({ wider: [sentence] })
}

/** From the answer that tells least. */
const TELLING = ['404', 'auto', '403']
