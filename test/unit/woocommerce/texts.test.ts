// The translations of the plug-in for WordPress.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeTexts, readPo } from '../../../packages/woocommerce/texts.ts';
import { ROOT } from '../../support/source.ts';
import { findRefused, readRules } from '../texts/texts.ts';

const languages = join(ROOT, 'packages/woocommerce/languages');
const portuguese = [...readPo(readFileSync(join(languages, 'balcao-pt_AO.po'), 'utf8'))].slice(1);
const placeholders = (text: string) => (text.match(/%(\d\$)?[sd]/g) ?? []).toSorted();

describe('the translations of the plug-in', () => {
  test('are what `node packages/woocommerce/texts.ts` writes', () => {
    for (const [file, bytes] of makeTexts()) expect(readFileSync(file).equals(bytes), file).toBe(true);
  });

  test('have each text in Portuguese, with the same placeholders', () => {
    expect(portuguese.length).toBeGreaterThan(50);
    expect(portuguese.filter(([, text]) => text === '').map(([text]) => text)).toEqual([]);
    for (const [text, translation] of portuguese) expect(placeholders(translation), text).toEqual(placeholders(text));
  });

  test('use the orthography and the words of Angola', () => {
    const rules = readRules();
    const refused = portuguese.flatMap(([, text]) => findRefused({ text, language: 'pt' }, rules));
    expect(refused).toEqual([]);
  });
});
