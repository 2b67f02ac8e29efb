/** A word of a command line, or an operator: `|`, `&&`, `>`. */
interface Token {
  readonly text: string
  readonly isOperator: boolean
}

const TOKEN = /(?:'[^']*'|"[^"]*"|\\.|[^\s'"|&;<>()\\#]|(?<=\S)#|<(?=[\w-]+>)[\w-]+>)+|#.*$|[|&;<>()]+/g

/** Splits a line of a shell into its commands, each as a list of words, without quotes, comments and redirections. */
export function commandsIn(line: string): string[][] {
  const commands: string[][] = [[]]
  let isTarget = false
  for (const { text, isOperator } of tokensOf(line)) {
    if (isOperator && !/[<>]/.test(text)) commands.push([])
    else if (!isOperator && !isTarget) commands.at(-1)?.push(text)
    isTarget = isOperator && /[<>]/.test(text)
  }
  return commands.map(withoutVariables).filter((words) => words.length > 0)
}

function tokensOf(line: string): Token[] {
  const tokens = [...line.matchAll(TOKEN)].map(([text]) => text).filter((text) => !text.startsWith('#'))
  return tokens.map((text) => ({
    text: text.replaceAll(/'([^']*)'|"([^"]*)"|\\(.)/g, '$1$2$3'),
    isOperator: /^[|&;<>()]+$/.test(text),
  }))
}

/** Drops variables before a command: `PORT=4000 npm run dev`. */
function withoutVariables(words: readonly string[]): string[] {
  const first = words.findIndex((word) => !/^[A-Z_]+=/.test(word))
  return first < 0 ? [] : words.slice(first)
}
