// The widget of another release: this build with other texts and another version.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { publishFiles } from '../../server/http/pages.ts';
import type { TestApp } from './app.ts';

type Part = { url: string; integrity: string };

const read = (path: string) => readFileSync(new URL(`../../dist/widget${path}`, import.meta.url), 'utf8');

export const LATEST = JSON.parse(read('/widget/latest.json')) as { version: string; script: Part; loader: Part };

/** Texts that differ between the two: the phone prefix and the label of the close button. */
export const WORDS = {
  newest: { prefix: '+244', close: 'Fechar' },
  older: { prefix: '(+244)', close: 'Fechar a janela' },
};

const texts = new Map<string, string>();

function release(name: string, text: string): Part {
  const url = `/widget/0.0.9-0a1b2c3d${name}`;
  texts.set(url, text);
  return { url, integrity: `sha384-${createHash('sha384').update(text).digest('base64')}` };
}

function exchange(text: string, last: string, next: string): string {
  if (text.split(last).length !== 2) throw new Error(`this build does not have ${last} once`);
  return text.replace(last, next);
}

const otherPrefix = exchange(read(LATEST.script.url), `\`${WORDS.newest.prefix}\`)`, `\`${WORDS.older.prefix}\`)`);
const otherWords = exchange(otherPrefix, `\`${WORDS.newest.close}\``, `\`${WORDS.older.close}\``);
const script = release('.js', otherWords);
const bound = exchange(read(LATEST.loader.url), LATEST.script.url, script.url);

export const OLDER = {
  script,
  loader: release('.loader.js', exchange(bound, LATEST.script.integrity, script.integrity)),
};

/** Publishes that release's files like a starting node of it. */
export function publishOlder({ node }: TestApp): Promise<void> {
  return publishFiles(node.core, {
    files: new Map([...texts].map(([url, text]) => [url, { bytes: Buffer.from(text) }])),
  });
}
