import type { Place, Word } from './words.ts'

/** Completes `cli` and `npx cli`, with what each word means; files too where no command is due. */
export function fishScript(places: readonly Place[]): string {
  const known = places.map(({ path }) => quoted(path.join(' '))).join(' ')
  return `# The command line of Pergola, for fish: npx cli completion fish > ~/.config/fish/conf.d/pergola.fish
function __pergola_at
    set -l tokens (commandline -opc)
    if test "$tokens[1]" = npx
        test "$tokens[2]" = cli; or return 1
        set -e tokens[1]
    end
    set -l place
    for token in $tokens[2..]
        set -l next $place $token
        contains -- "$next" ${known}; and set place $next
    end
    test "$place" = "$argv[1]"
end
for command in cli npx
${places.flatMap(linesOf).join('\n')}
end`
}

function linesOf({ path, words, values }: Place): string[] {
  const at = `    complete -c $command -n ${quoted(`__pergola_at ${quoted(path.join(' '))}`)}`
  return words.map((word) => {
    const choices = values.find(({ option }) => option === word.word)?.words
    return `${at} ${offered(word)}${choices === undefined ? '' : ` -x -a ${quoted(choices.join(' '))}`}`
  })
}

function offered({ word, description }: Word): string {
  const text = word.startsWith('--') ? `-l ${quoted(word.slice(2))}` : `-f -a ${quoted(word)}`
  return description === '' ? text : `${text} -d ${quoted(description)}`
}

const quoted = (text: string) => `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`
