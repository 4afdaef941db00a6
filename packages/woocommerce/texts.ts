// `node packages/woocommerce/texts.ts` collects the texts of the plug-in and writes its translations:
// balcao.pot (all texts), balcao-pt_AO.po (translated by people) and balcao-pt_AO.mo (read by WordPress).
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const LANGUAGES = join(HERE, 'languages');
const POT = join(LANGUAGES, 'balcao.pot');
const PO = join(LANGUAGES, 'balcao-pt_AO.po');
const MO = join(LANGUAGES, 'balcao-pt_AO.mo');

/** Translation functions of WordPress with the text domain of the plug-in. Quotes in a text are typographic. */
const CALL =
  /(?:\/\* (translators: [^*]+?) \*\/\s*[^;]*?)?\b(?:__|esc_html__|esc_attr__)\( '((?:[^'\\]|\\.)+)', 'balcao' \)/g;

type Found = { files: Set<string>; comments: Set<string> };

/** Collects the texts of the PHP files with the places that use them. */
export function collectTexts(): Map<string, Found> {
  const texts = new Map<string, Found>();
  const files = ['balcao.php', ...readdirSync(join(HERE, 'includes')).map((name) => `includes/${name}`)].toSorted();
  for (const file of files) {
    for (const [, comment, text = ''] of readFileSync(join(HERE, file), 'utf8').matchAll(CALL)) {
      const found = texts.get(text) ?? { files: new Set(), comments: new Set() };
      found.files.add(file);
      if (comment) found.comments.add(comment);
      texts.set(text, found);
    }
  }
  return texts;
}

/** Reads the translations of a .po file. The header is the translation of the empty text. */
export function readPo(po: string): Map<string, string> {
  const entries = po.matchAll(/^msgid (".*"(?:\n".*")*)\nmsgstr (".*"(?:\n".*")*)/gm);
  const join = (lines = '""') =>
    lines
      .split('\n')
      .map((line) => JSON.parse(line) as string)
      .join('');
  return new Map([...entries].map(([, text, translation]) => [join(text), join(translation)]));
}

const HEADER = [
  'Project-Id-Version: Balcão',
  'MIME-Version: 1.0',
  'Content-Type: text/plain; charset=UTF-8',
  'Content-Transfer-Encoding: 8bit',
  'X-Domain: balcao',
];

/** Writes a .po or .pot file. An unknown text has an empty translation. */
export function writePo(language: string, translations: ReadonlyMap<string, string>): string {
  const header = [...HEADER, ...(language ? [`Language: ${language}`] : [])].map((line) => `${line}\n`);
  const first = ['msgid ""', 'msgstr ""', ...header.map((line) => JSON.stringify(line))].join('\n');
  const entries = [...collectTexts()].map(([text, { files, comments }]) =>
    [
      ...[...comments].map((comment) => `#. ${comment}`),
      `#: ${[...files].join(' ')}`,
      ...(/%(\d\$)?[sd]/.test(text) ? ['#, php-format'] : []),
      `msgid ${JSON.stringify(text)}`,
      `msgstr ${JSON.stringify(translations.get(text) ?? '')}`,
    ].join('\n'),
  );
  return `${[first, ...entries].join('\n\n')}\n`;
}

/** Writes the binary form of a .po file: two sorted tables of lengths and offsets, then the texts. */
export function writeMo(po: string): Buffer {
  const pairs = [...readPo(po)].filter(([, translation]) => translation !== '');
  const rows = pairs
    .map(([text, translation]) => [Buffer.from(text), Buffer.from(translation)] as const)
    .toSorted(([a], [b]) => Buffer.compare(a, b));
  const [tables, size] = [28, rows.length * 8];
  const head = Buffer.alloc(tables + 2 * size);
  [0x950412de, 0, rows.length, tables, tables + size, 0, tables + 2 * size].forEach((value, nth) =>
    head.writeUInt32LE(value, nth * 4),
  );
  const parts = [head];
  let offset = head.length;
  for (const column of [0, 1] as const) {
    for (const [nth, row] of rows.entries()) {
      head.writeUInt32LE(row[column].length, tables + column * size + nth * 8);
      head.writeUInt32LE(offset, tables + column * size + nth * 8 + 4);
      parts.push(row[column], Buffer.of(0));
      offset += row[column].length + 1;
    }
  }
  return Buffer.concat(parts);
}

/** The three files as the sources and the present translations make them. */
export function makeTexts(): Map<string, Buffer> {
  const po = writePo('pt_AO', readPo(readFileSync(PO, 'utf8')));
  return new Map([
    [POT, Buffer.from(writePo('', new Map()))],
    [PO, Buffer.from(po)],
    [MO, writeMo(po)],
  ]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [file, bytes] of makeTexts()) writeFileSync(file, bytes);
  const open = [...readPo(readFileSync(PO, 'utf8'))].filter(([, translation]) => translation === '');
  if (open.length > 0) console.log(['Without a translation:', ...open.map(([text]) => text)].join('\n'));
}
