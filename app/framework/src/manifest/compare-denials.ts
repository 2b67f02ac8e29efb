import { type Differences, none, together } from './differences.ts'
import type { Dimensions } from './schema.ts'

type Policies = Dimensions['authorization_policies']

/** Compares how much the responses to denials reveal, for the application and for each resource with a setting. */
export function compareDenials(old: Policies, now: Policies): Differences {
  const ofResources = now.resources.flatMap((after) => {
    const before = old.resources.find(({ resource }) => resource === after.resource)
    const [was, is] = [before?.forbidden_response ?? null, after.forbidden_response]
    // The comparison of the application's setting covers the resources without a setting.
    if (before === undefined || (was === null && is === null)) return []
    return compareResponses(after.resource, was ?? old.forbidden_response, is ?? now.forbidden_response)
  })
  return together([
    compareResponses('The application', old.forbidden_response, now.forbidden_response),
    ...ofResources,
  ])
}

function compareResponses(subject: string, old: string, now: string): Differences {
  if (old === now) return none()
  const sentence = `${subject}: the response to a denial is now ${now}; it was ${old}.`
  const [was, is] = [BY_DISCLOSURE.indexOf(old), BY_DISCLOSURE.indexOf(now)]
  return is >= 0 && is < was ? none({ narrower: [sentence] }) : none({ wider: [sentence] })
}

/** The responses, in the order of how much they reveal. */
const BY_DISCLOSURE = ['404', 'auto', '403']
