/** A line of config.toml: `port = 3000   # the port`, or `# port = 3000   # the port` for a setting without a default. */
export interface SettingLine {
  readonly key: string
  /** Undefined for a setting without a default. */
  readonly value: string | undefined
  readonly comment: string
}

export interface SectionText {
  readonly name: string
  /** The comment above the section. */
  readonly comment: string
  readonly lines: readonly SettingLine[]
}

const SETTING = /^(?<off># )?(?<key>[a-z_]+) = (?<value>"(?:[^"])*"|\[\]|[\w.]+) *(?:# ?(?<comment>.*))?$/

/** Reads the sections of config.toml with their comments, which a parser of TOML drops. */
export function sectionsOf(toml: string): SectionText[] {
  const sections: { name: string; comment: string; lines: SettingLine[] }[] = []
  let above: string[] = []
  for (const line of toml.split('\n')) {
    const { name } = /^(?:# )?\[\[?(?<name>[a-z_.]+)\]\]?$/.exec(line)?.groups ?? {}
    const last = sections.at(-1)
    if (name !== undefined) {
      sections.push({ name, comment: above.join(' '), lines: [] })
      above = []
    } else if (SETTING.test(line)) last?.lines.push(settingLine(line))
    else if (/^ +# /.test(line)) continueLine(last?.lines, line.trim().slice(2))
    else above = line.startsWith('# ') ? [...above, line.slice(2)] : []
  }
  return sections
}

function settingLine(line: string): SettingLine {
  const { off, key = '', value, comment = '' } = SETTING.exec(line)?.groups ?? {}
  return { key, value: off === undefined ? value : undefined, comment }
}

/** Appends a line without a setting to the comment of the setting above it. */
function continueLine(lines: SettingLine[] | undefined, text: string): void {
  const last = lines?.pop()
  if (last !== undefined) lines?.push({ ...last, comment: `${last.comment}; ${text}` })
}
