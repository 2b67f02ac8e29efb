import { readFileSync } from 'node:fs'
import type { ListedRoute } from 'pergola/manifest'

/** Returns the line of a route, or of its table or repository if the route is generated. */
export function locateRoute({ key, table }: ListedRoute): string {
  const [file = '', line = '1'] = table.declaredAt.split(/:(?=\d+$)/)
  const lines = readFileSync(file, 'utf8').split('\n')
  const at = lines.findIndex(
    (text, index) => index >= Number(line) - 1 && (text.includes(`'${key}'`) || text.includes(`"${key}"`)),
  )
  return at < 0 ? table.declaredAt : `${file}:${at + 1}`
}
