import type { AnyPolicy } from './policy.ts'

/** The actions that a policy has a rule for, sorted. */
export const actionsOf = ({ rules }: AnyPolicy): string[] =>
  Object.keys(rules)
    .flatMap((key) => actionOf(key) ?? [])
    .toSorted()

/** `update` → `canUpdate`. Null for what is no action: `Update` is no other way to ask, and `become` is nobody's to ask. */
export function ruleKey(action: string): string | null {
  const key = `can${action.charAt(0).toUpperCase()}${action.slice(1)}`
  return actionOf(key) === action ? key : null
}

/** `canUpdate` → `update`. Null for a rule that answers for no action: `before`, `canBecome`. */
function actionOf(key: string): string | null {
  if (key === 'canBecome' || !/^can[A-Z]/.test(key)) return null
  return key.charAt(3).toLowerCase() + key.slice(4)
}
