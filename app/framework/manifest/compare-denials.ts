import { type Differences, none, together } from './differences.ts'
import type { Dimensions } from './schema.ts'

type Policies = Dimensions['authorization_policies']

/** How much refusals give away, of the application and of each resource that is or was different. */
export function compareDenials(old: Policies, now: Policies): Differences {
  const ofResources = now.resources.flatMap((after) => {
    const before = old.resources.find(({ resource }) => resource === after.resource)
    if (before === undefined || (before.forbidden_response ?? after.forbidden_response) === null) return []
    const [was, is] = [before, after].map(({ forbidden_response }) => forbidden_response)
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
