/** Texts that only a programmer should see. */
const INTERNALS: Readonly<Record<string, RegExp>> = {
  'a stack': /\n\s+at .+:\d+:\d+/,
  'a path of the server': /node_modules\/|app\/framework\/|node:internal/,
  SQL: /\b(?:select|insert into|update|delete from) "\w+"|syntax error at or near/i,
  'an error of the database': /ECONNREFUSED|violates \w+ constraint|relation "\w+"|SQLSTATE/,
}

/**
 * Returns the internals of the server that a response reveals: stacks, paths, SQL, and each of `secrets`, such as the password of
 * the database. An empty list if it reveals nothing.
 */
export function leaksIn(text: string, secrets: readonly string[] = []): string[] {
  const internals = Object.entries(INTERNALS).flatMap(([name, pattern]) => {
    const [found] = pattern.exec(text) ?? []
    return found === undefined ? [] : [`${name}: ${found.trim()}`]
  })
  return [...internals, ...secrets.filter((secret) => text.includes(secret)).map(() => 'a secret')]
}
