import type { RouteEntry } from 'pergola/manifest'

/** Formats rows with aligned columns, without trailing spaces. */
export function alignedText(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows
    .map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
    .map((line) => line.trimEnd())
    .join('\n')
}

/** Formats the routes as a table with a heading. */
export function routeTable(routes: readonly RouteEntry[]): string {
  const rows = routes.map((route) => [
    route.method,
    route.path,
    route.name,
    accessOf(route),
    route.policy ?? '',
  ])
  return alignedText([['METHOD', 'PATH', 'NAME', 'ACCESS', 'POLICY'], ...rows])
}

const accessOf = ({ classification, roles }: RouteEntry): string =>
  roles.length === 0 ? classification : `${classification}: ${roles.join(' or ')}`
