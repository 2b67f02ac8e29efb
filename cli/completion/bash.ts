import type { Place } from './words.ts'

/** Completes `cli` and `npx cli`; files where nothing of ours fits. */
export function bashScript(places: readonly Place[]): string {
  const known = places.map(({ path }) => pattern(path)).join('|')
  const cases = places.map(
    ({ path, words }) => `    ${pattern(path)}) words='${words.map(({ word }) => word).join(' ')}' ;;`,
  )
  const values = places.flatMap(({ path, values }) =>
    values.map(({ option, words }) => `    '${[...path, option].join(' ')}') words='${words.join(' ')}' ;;`),
  )
  return `# The command line of Pergola, for bash: npx cli completion bash >> ~/.bashrc
_pergola() {
  local word place='' words='' first=1
  [[ \${COMP_WORDS[0]} == npx ]] && first=2
  for word in "\${COMP_WORDS[@]:first:COMP_CWORD-first}"; do
    case "\${place:+$place }$word" in
      ${known}) place="\${place:+$place }$word" ;;
    esac
  done
  case "\${place:+$place }\${COMP_WORDS[COMP_CWORD-1]}" in
${values.join('\n')}
    *)
      case "$place" in
${cases.map((line) => `    ${line}`).join('\n')}
      esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
_pergola_npx() {
  [[ \${COMP_WORDS[1]} == cli && $COMP_CWORD -gt 1 ]] && _pergola
}
complete -o default -F _pergola cli
complete -o default -F _pergola_npx npx`
}

const pattern = (path: readonly string[]) => `'${path.join(' ')}'`
