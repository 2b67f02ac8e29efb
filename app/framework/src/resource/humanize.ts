/** Returns an enum value as readable text: `for_sale` becomes `For sale`. In views: `it.humanize(…)`. */
export function humanize(value: string): string {
  return value.charAt(0).toUpperCase() + value.slice(1).replaceAll('_', ' ')
}
