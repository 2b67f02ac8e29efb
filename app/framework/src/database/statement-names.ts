/** The most names of a pool: 2.5 million characters of texts. Each has a plan in every connection. */
const MOST_NAMES = 250
/** The most characters of texts whose uses are counted at a time: 2 MB. */
const MOST_COUNTED = 1_000_000
/** A statement gets a name with this use, so that texts with a variable number of values get none. */
const USES = 3
/** This many names are for such statements. Those that are left are for statements with many more uses. */
const EARLY_NAMES = 125
const MANY_USES = 1_000
/** Longer texts get no name: their plans, such as those of inserts of 1,000 rows, would fill the memory of Postgres. */
const MAX_LENGTH = 10_000
/**
 * Comparisons for which one plan can't serve all values: `'%z%'` should read the table, `'%zebra%'` the index. After five
 * uses of a name, Postgres plans for an average value. Without a name, it plans each time.
 */
const PATTERN = / i?like | @@ /i

/**
 * Names for statements that are sent again and again: Postgres parses and plans a named statement once for each
 * connection.
 */
export class StatementNames {
  readonly #names = new Map<string, string>()
  readonly #uses = new Map<string, number>()
  #counted = 0
  #next = 0

  /** Counts a use of the statement. Returns its name, or undefined while it has none. Searches never have one. */
  nameOf(text: string): string | undefined {
    if (text.length > MAX_LENGTH) return undefined
    const name = this.#names.get(text)
    if (name !== undefined || this.#names.size >= MOST_NAMES || PATTERN.test(text)) return name
    const uses = (this.#uses.get(text) ?? 0) + 1
    if (uses < (this.#names.size < EARLY_NAMES ? USES : MANY_USES)) {
      this.#count(text, uses)
      return undefined
    }
    this.#uses.delete(text)
    this.#counted -= text.length
    const newName = `pergola_${this.#next++}`
    this.#names.set(text, newName)
    return newName
  }

  #count(text: string, uses: number): void {
    if (uses === 1) this.#counted += text.length
    if (this.#counted > MOST_COUNTED) {
      this.#uses.clear()
      this.#counted = text.length
    }
    this.#uses.set(text, uses)
  }

  /**
   * Drops all names, after a migration changed the type of a column: each statement with this column would fail once, and
   * a transaction with several of them more often than it is retried.
   */
  clear(): void {
    this.#names.clear()
  }
}
