import type { Names } from '../database/send-statement.ts'

/** The most names of a pool: 2.5 million characters of texts. Each has a plan in every connection, which has no others. */
const MOST_NAMES = 250
/** The most characters of texts whose uses are counted at a time: 2 MB. */
const MOST_COUNTED = 1_000_000
/** A statement gets a name with this use, so that texts with a variable number of values get none. */
const USES = 3
/** With so many uses, it takes the name of another statement, if that has fewer. */
const MANY_USES = 1_000
/** Longer texts get no name: their plans, such as those of inserts of 1,000 rows, would fill the memory of Postgres. */
const MAX_LENGTH = 10_000
/**
 * Comparisons for which one plan can't serve all values: `'%z%'` should read the table, `'%zebra%'` the index. After five
 * uses of a name, Postgres plans for an average value. Without a name, it plans each time.
 */
const PATTERN = / i?like | @@ /i

interface Named {
  readonly name: string
  /** Halved whenever another statement asks for the name, so that old uses count less. */
  uses: number
}

/**
 * Names for statements that are sent again and again: Postgres parses and plans a named statement once for each
 * connection. A name may change to another statement: see `Statement`. The setting `prepared` switches them off.
 */
export class StatementNames implements Names {
  readonly #named = new Map<string, Named>()
  readonly #uses = new Map<string, number>()
  #counted = 0
  #next = 0

  /** Counts a use of the statement. Returns its name, or undefined while it has none. Searches never have one. */
  nameOf(text: string): string | undefined {
    const named = this.#named.get(text)
    if (named !== undefined) {
      named.uses++
      return named.name
    }
    if (text.length > MAX_LENGTH || PATTERN.test(text)) return undefined
    const uses = (this.#uses.get(text) ?? 0) + 1
    const isFull = this.#named.size >= MOST_NAMES
    if (uses < (isFull ? MANY_USES : USES)) {
      this.#count(text, uses)
      return undefined
    }
    this.#uses.delete(text)
    this.#counted -= text.length
    const name = isFull ? this.#takeFrom(uses) : `pergola_${this.#next++}`
    if (name !== undefined) this.#named.set(text, { name, uses })
    return name
  }

  /** Takes the name of the least used statement. Returns undefined if all of them are used more. */
  #takeFrom(uses: number): string | undefined {
    const [text, least] = [...this.#named].reduce((one, other) => (other[1].uses < one[1].uses ? other : one))
    const isLess = least.uses < uses
    for (const named of this.#named.values()) named.uses /= 2
    if (!isLess) return undefined
    this.#named.delete(text)
    return least.name
  }

  #count(text: string, uses: number): void {
    if (uses === 1) this.#counted += text.length
    this.#uses.set(text, uses)
    if (this.#counted > MOST_COUNTED) this.#forgetRare()
  }

  /** Forgets the texts with the fewest uses, such as those with a variable number of values. */
  #forgetRare(): void {
    const byUses = [...this.#uses].toSorted(([, one], [, other]) => other - one)
    this.#uses.clear()
    this.#counted = 0
    for (const [text, uses] of byUses) {
      if (this.#counted + text.length > MOST_COUNTED / 2) return
      this.#counted += text.length
      this.#uses.set(text, uses)
    }
  }

  /**
   * Drops all names, after a migration changed the type of a column: each statement with this column would fail once, and
   * a transaction with several of them more often than it is retried.
   */
  clear(): void {
    this.#named.clear()
  }
}
