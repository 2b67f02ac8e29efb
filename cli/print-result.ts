/** Prints the result of a command to stdout, as JSON or as text. */
export function printResult(json: boolean | undefined, data: unknown, text: string): void {
  console.log(json === true ? JSON.stringify(data, null, 2) : text)
}
