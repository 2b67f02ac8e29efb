/** A position in a file; both numbers begin with 1. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** Returns the position of an index in a text. */
export function positionAt(text: string, index: number): Position {
  const before = text.slice(0, index).split('\n')
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}

/** Returns the place of an error as `tsc` prints it: `views/posts/show.eta(3,12)`. */
export function placeIn(file: string, text: string, index: number): string {
  const { line, column } = positionAt(text, index)
  return `${file}(${line},${column})`
}
