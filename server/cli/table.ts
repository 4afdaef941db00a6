// Lists for people: columns under their heads, as wide as they must be.

/** Rows in columns; `none` is said where there is nothing. */
export function drawTable(heads: readonly string[], rows: readonly (readonly unknown[])[], none: string): string {
  if (rows.length === 0) return none;
  const cells = [heads.map((head) => head.toUpperCase()), ...rows.map((row) => row.map(showCell))];
  const widths = heads.map((_, nth) => Math.max(...cells.map((row) => (row[nth] ?? '').length)));
  return cells
    .map((row) =>
      row
        .map((cell, nth) => cell.padEnd(widths[nth] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** One thing in lines of a name and a value. */
export function drawFields(fields: Record<string, unknown>): string {
  const width = Math.max(...Object.keys(fields).map((name) => name.length));
  return Object.entries(fields)
    .map(([name, value]) => `${name.padEnd(width)}  ${showCell(value)}`)
    .join('\n');
}

function showCell(value: unknown): string {
  if (value === null || value === undefined || value === '') return '-';
  if (value instanceof Date) return value.toISOString().replace(/\.\d+Z$/, 'Z');
  if (Array.isArray(value)) return value.length > 0 ? showText(value.join(', ')) : '-';
  return showText(String(value));
}

/** What comes from outside cannot move a terminal's cursor, or begin another line. */
function showText(text: string): string {
  return text.replace(/\p{Cc}/gu, '�');
}
