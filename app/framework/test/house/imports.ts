const OF_TYPES = /^(?:import|export) type [^;]*? from '[^']+'$/gms
const DECLARED = /^(?:(?:import|export) [^'"`]*?from |import )'([^']+)'/gms
const CALLED = /\b(?:import|require|load|import\.meta\.resolve)\('([^']+)'\)/g

export interface ImportOptions {
  /** Includes imports of types, which don't exist at run time. */
  types?: boolean
  /** Includes imports inside of functions, which run later. */
  lazy?: boolean
}

/** Returns the import specifiers in the text of a module. */
export function importsOf(text: string, { types = true, lazy = true }: ImportOptions = {}): string[] {
  const source = types ? text : text.replaceAll(OF_TYPES, '')
  const found = [...source.matchAll(DECLARED), ...(lazy ? source.matchAll(CALLED) : [])]
  return found.map(([, specifier = '']) => specifier)
}
