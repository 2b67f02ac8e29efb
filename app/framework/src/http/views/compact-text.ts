/** A line that contains only a `<% … %>` tag, which prints no value and has no mark that trims: `<%= x %>`, `<% x -%>`. */
const CODE_LINE = /^[ \t]*(<%(?![-_]?\s*[=~])(?:(?!%>)[^])*)(?<![-_])%>[ \t]*\r?\n/gm

/** Removes the line breaks of lines that contain only a `<% … %>` tag. The numbers of lines don't change. */
export const compactText = (source: string): string => source.replace(CODE_LINE, '$1\n%>')
