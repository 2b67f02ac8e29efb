import { createInterface } from 'node:readline/promises'
import { Exit, EXIT } from './exit.ts'

interface Terminal {
  input: NodeJS.ReadableStream & { isTTY?: boolean }
  output: NodeJS.WritableStream
}

/** What somebody at the terminal answers. Without one throws at once, with what to say on the command line instead. */
export async function ask(
  question: string,
  instead: string,
  { input, output }: Terminal = { input: process.stdin, output: process.stderr },
): Promise<string> {
  const noAnswer = new Exit(EXIT.inputNeeded, `There is no terminal to ask on. ${instead}`)
  if (input.isTTY !== true) throw noAnswer
  const terminal = createInterface({ input, output })
  try {
    return await new Promise((resolve, reject) => {
      terminal.once('SIGINT', () => reject(new Exit(EXIT.interrupted, '\nNothing is changed.')))
      terminal.once('close', () => reject(noAnswer))
      terminal.question(question).then(resolve, reject)
    })
  } finally {
    terminal.close()
  }
}
