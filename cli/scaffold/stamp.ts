/** The name of a migration that comes after all of these: `20261121104800_create_posts`. */
export function migrationName(what: string, existing: readonly string[], now = new Date()): string {
  const newest = existing.flatMap((name) => momentOf(name) ?? []).reduce((last, at) => Math.max(last, at), 0)
  const moment = new Date(Math.max(now.getTime(), newest + 1_000))
  return `${moment.toISOString().replaceAll(/\D/g, '').slice(0, 14)}_${what}`
}

function momentOf(name: string): number | null {
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)_/.exec(name) ?? []
  const moment = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  return Number.isNaN(moment) ? null : moment
}
