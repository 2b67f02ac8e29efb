const MOST = 12

/** Returns up to twelve lines, indented, and a line with the number of the others. */
export const firstLines = (lines: readonly string[]): string[] => [
  ...lines.slice(0, MOST).map((line) => `  ${line}`),
  ...(lines.length > MOST ? [`  and ${lines.length - MOST} more`] : []),
]
