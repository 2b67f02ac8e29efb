const MOST = 12

/** Returns the first twelve lines, indented, and a line with the number of omitted lines. */
export const firstLines = (lines: readonly string[]): string[] => [
  ...lines.slice(0, MOST).map((line) => `  ${line}`),
  ...(lines.length > MOST ? [`  and ${lines.length - MOST} more`] : []),
]
