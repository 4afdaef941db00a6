// The archive of the plug-in for WordPress.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32, inflateRawSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { listPlugin } from '../../../packages/woocommerce/pack.ts';
import { writeZip } from '../../../packages/woocommerce/zip.ts';
import { PLUGIN_FILE, PLUGIN_SCOPES } from '../../../shared/woocommerce.ts';
import { ROOT } from '../../support/source.ts';

const read = (path: string) => readFileSync(join(ROOT, 'packages/woocommerce', path), 'utf8');

/** Reads an archive by its directory, as programs do. */
function readZip(zip: Buffer): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  let at = zip.readUInt32LE(zip.length - 6);
  for (let left = zip.readUInt16LE(zip.length - 12); left > 0; left--) {
    const [size, nameLength, offset] = [
      zip.readUInt32LE(at + 20),
      zip.readUInt16LE(at + 28),
      zip.readUInt32LE(at + 42),
    ];
    const name = zip.toString('utf8', at + 46, at + 46 + nameLength);
    const start = offset + 30 + nameLength;
    const bytes = inflateRawSync(zip.subarray(start, start + size));
    if (crc32(bytes) !== zip.readUInt32LE(at + 16)) throw new Error(`${name}: checksum`);
    files.set(name, bytes);
    at += 46 + nameLength;
  }
  return files;
}

describe('the archive', () => {
  test('holds each file of the plug-in, and is the same bytes for the same files', () => {
    const files = listPlugin();
    const zip = writeZip(files);
    expect(readZip(zip)).toEqual(files);
    expect(writeZip(listPlugin()).equals(zip)).toBe(true);
  });

  test('has the plug-in, its texts and the PHP client in one folder, without files of the repository', () => {
    const names = [...listPlugin().keys()];
    const wanted = [
      'balcao.php',
      'uninstall.php',
      'readme.txt',
      'LICENSE',
      'languages/balcao-pt_AO.mo',
      'lib/Client.php',
      'lib/autoload.php',
    ];
    for (const name of wanted) expect(names).toContain(`balcao/${name}`);
    expect(names.filter((name) => !name.startsWith('balcao/') || name.endsWith('.ts'))).toEqual([]);
  });
});

test('header, constant, readme and archive have one version', () => {
  const [, version] = /^ \* Version: (\S+)$/m.exec(read('balcao.php')) ?? [];
  expect(read('balcao.php')).toContain(`'BALCAO_VERSION', '${version}'`);
  expect(read('readme.txt')).toContain(`Stable tag: ${version}\n`);
  expect(PLUGIN_FILE).toBe(`balcao-woocommerce-${version}.zip`);
});

test('the console grants the scopes that the settings page of the plug-in lists', () => {
  const [, list = ''] = /function balcao_scopes\(\).*?return \[(.*?)\];/s.exec(read('includes/connect.php')) ?? [];
  expect([...list.matchAll(/'([a-z:]+)'\s+=>/g)].map(([, scope]) => scope)).toEqual(PLUGIN_SCOPES);
});
