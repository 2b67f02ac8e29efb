import type { Field, HelpedCode } from './field-type.ts'

/** The ends and the beginnings of names whose days are past: `paid_on`, `last_seen_at`. */
const PAST =
  /(?:^|_)(?:since|last_\w+|(?:paid|sent|seen|born|bought|sold|won|lost|found|built|left|held|made|met|\w{2,}ed)(?:_at|_on)?)$/

/** Returns code for a day around today, or a past day for a name like `paid_on`; null for a unique field. */
export function fakeDay({ name, unique }: Field, helper: 'dayBetween' | 'momentBetween'): HelpedCode | null {
  if (unique) return null
  const [from, to] = /birth|(?:^|_)born/.test(name)
    ? [-70 * 365, -18 * 365]
    : PAST.test(name)
      ? [-90, -1]
      : [-30, 30]
  return { code: `${helper}(faker, ${from}, ${to})`, helper }
}
