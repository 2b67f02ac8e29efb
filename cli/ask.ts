import { createInterface } from 'node:readline/promises'
import { Exit, EXIT } from './exit.ts'

interface Terminal {
  input: NodeJS.ReadableStream & { isTTY?: boolean }
  output: NodeJS.WritableStream
}

/**
 * Asks a question on the terminal and returns the answer. Without a terminal, throws a message that ends with
 * `instead`.
 */
export async function ask(
  question: string,
  instead: string,
  { input, output }: Terminal = { input: process.stdin, output: process.stderr },
): Promise<string> {
  const noAnswer = new Exit(EXIT.inputNeeded, `Input is required, but there is no terminal. ${instead}`)
  if (input.isTTY !== true) throw noAnswer
  const terminal = createInterface({ input, output })
  try {
    return await new Promise((resolve, reject) => {
      terminal.once('SIGINT', () => reject(new Exit(EXIT.interrupted, '\nNo changes were made.')))
      terminal.once('close', () => reject(noAnswer))
      terminal.question(question).then(resolve, reject)
    })
  } finally {
    terminal.close()
  }
}
