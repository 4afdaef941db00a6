// The repository itself: no work notes, no test left out, packages pinned to exact versions.
import { describe, expect, test } from 'vitest';
import { listFiles, readText } from '../../support/source.ts';

describe('the repository', () => {
  test('contains no work notes', () => {
    // The words are split so that this file does not match itself.
    const NOTE = new RegExp(`\\b(${['TO' + 'DO', 'FIX' + 'ME', 'XX' + 'X', 'HA' + 'CK'].join('|')})\\b`);
    const texts = listFiles(
      '{bench,checkout,console,docs,packages,sandbox,scripts,server,shared,test,widget,.ci}/**/*.{ts,tsx,css,md,html,sh,json}',
      '*.{md,ts,json}',
      '.ci/*',
    );
    expect(texts.length).toBeGreaterThan(150);
    expect(texts.filter((path) => NOTE.test(readText(path)))).toEqual([]);
  });

  test('contains no test that is skipped or runs alone', () => {
    const ALONE = /\b(test|it|describe)\.(only|skip|fails|todo)\b/;
    expect(listFiles('{sandbox,test}/**/*.test.{ts,tsx}').filter((path) => ALONE.test(readText(path)))).toEqual([]);
  });
});

describe('packages', () => {
  const manifest = JSON.parse(readText('package.json'));
  const lock = JSON.parse(readText('package-lock.json'));

  test.each(['dependencies', 'devDependencies', 'optionalDependencies'])('for %s have exact versions', (kind) => {
    const loose = Object.entries<string>(manifest[kind]).filter(
      ([, wanted]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(wanted),
    );
    expect(loose).toEqual([]);
  });

  test('have the same versions in package.json and in the lock file', () => {
    const { dependencies, devDependencies, optionalDependencies } = manifest;
    expect(lock.packages['']).toMatchObject({ dependencies, devDependencies, optionalDependencies });
  });

  test('have a digest and no download URL in the lock file', () => {
    const packages = Object.entries<{ resolved?: string; integrity?: string; link?: boolean }>(lock.packages).slice(1);
    expect(packages.length).toBeGreaterThan(50);
    expect(packages.filter(([, { resolved }]) => resolved !== undefined).map(([name]) => name)).toEqual([]);
    expect(packages.filter(([, { integrity }]) => !integrity).map(([name]) => name)).toEqual([]);
  });
});
