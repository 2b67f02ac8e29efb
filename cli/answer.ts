/** What a command found out: JSON where a program asked, words for people. It is its output, and goes to stdout. */
export function answer(json: boolean | undefined, data: unknown, words: string): void {
  console.log(json === true ? JSON.stringify(data, null, 2) : words)
}
