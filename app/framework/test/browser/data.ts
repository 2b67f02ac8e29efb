/** The number of initial notes. Their ids are 1 to NOTES, all are published, and the highest id is the newest note. */
export const NOTES = 240

/** Returns the title of a note. Every twelfth note is about a green door. Titles sort like their numbers. */
export const noteTitle = (n: number): string =>
  [`Note ${String(n).padStart(3, '0')}`, n % 4 === 0 && 'green', n % 3 === 0 && 'door']
    .filter(Boolean)
    .join(' ')

const user = (name: string, roles: readonly string[] = []) => ({
  name,
  email: `${name.toLowerCase()}@example.test`,
  roles,
})

export const USERS = [
  user('Admin', ['admin']),
  ...['Alice', 'Bob', 'Carla', 'Dan', 'Ella', 'Fred', 'Gina', 'Hugo', 'Iris', 'Jack', 'Kim'].map((name) =>
    user(name),
  ),
]
