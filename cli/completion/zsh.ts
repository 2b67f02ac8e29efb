import type { Place, Word } from './words.ts'

/** Completes `cli` and `npx cli`, with what each word means; files where nothing of ours fits. */
export function zshScript(places: readonly Place[]): string {
  const known = places.map(({ path }) => quoted(path.join(' '))).join('|')
  const words = places.map(
    ({ path, words }) => `        ${quoted(path.join(' '))}) offered=(${words.map(described).join(' ')}) ;;`,
  )
  const values = places.flatMap(({ path, values }) =>
    values.map(
      ({ option, words }) =>
        `    ${quoted([...path, option].join(' '))}) offered=(${words.map(quoted).join(' ')}) ;;`,
    ),
  )
  return `# The command line of Pergola, for zsh, after compinit: npx cli completion zsh >> ~/.zshrc
_pergola() {
  local word place='' first=2
  local -a offered
  [[ $words[1] == npx ]] && first=3
  for word in "\${(@)words[first,CURRENT-1]}"; do
    case "\${place:+$place }$word" in
      ${known}) place="\${place:+$place }$word" ;;
    esac
  done
  case "\${place:+$place }$words[CURRENT-1]" in
${values.join('\n')}
    *)
      case "$place" in
${words.join('\n')}
      esac ;;
  esac
  _describe 'cli' offered || _files
}
_pergola_npx() {
  if [[ $words[2] == cli && $CURRENT -gt 2 ]]; then _pergola; else _default; fi
}
compdef _pergola cli
compdef _pergola_npx npx`
}

/** As `_describe` reads it: a colon ends the word. */
const described = ({ word, description }: Word) =>
  quoted(word.replaceAll(':', String.raw`\:`) + (description === '' ? '' : `:${description}`))

const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`
