// Encryption of secrets at rest (AES-256-GCM, named keys) and keyed digests. Keys: SECRETS_KEYS, or the sandbox's file.
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
  type KeyObject,
} from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CannotStart } from './config.ts';
import { KEY_LIST } from './environment.ts';

export type Keyring = {
  /** Encrypts a text with the first key. The purpose is authenticated, so a value cannot move to another column. */
  seal(plain: string, purpose: string): string;
  /** Decrypts a value. @throws if no key fits or the value was changed */
  open(sealed: string, purpose: string): string;
  /** Finds a key by its id. `lost`: SECRETS_KEYS has `id:lost`, because the operator no longer has this key. */
  find(id: string): 'here' | 'lost' | 'missing';
  /** Returns one HMAC-SHA256 per key, the current key's first. Sign with `[0]`, and accept any of them. */
  digests(data: Uint8Array | string, purpose: string): Buffer[];
  /** Derives a key for one purpose from the current key. */
  derive(purpose: string): Buffer;
};

type NamedKey = { id: string; key: Buffer };

const TAG_BYTES = 16;

/** The text in SECRETS_KEYS that replaces a lost key. */
const LOST = 'lost';

/** Creates a keyring from the text of SECRETS_KEYS (`id:base64,…`). */
export function createKeyring(text: string): Keyring {
  const pairs = text.split(',').map((pair) => pair.split(':') as [string, string]);
  const keys: NamedKey[] = pairs
    .filter(([, base64]) => base64 !== LOST)
    .map(([id, base64]) => ({ id, key: Buffer.from(base64, 'base64') }));
  // Key objects are cached, because Node prepares plain bytes again for each use, which takes longer than the use.
  const derived = new Map<string, KeyObject>();
  const keyFor = (named: NamedKey, purpose: string): KeyObject => {
    const name = `${named.id} ${purpose}`;
    let key = derived.get(name);
    if (!key) derived.set(name, (key = createSecretKey(Buffer.from(hkdfSync('sha256', named.key, '', purpose, 32)))));
    return key;
  };
  const first = keys[0] as NamedKey;
  return {
    seal(plain, purpose) {
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', keyFor(first, `seal:${purpose}`), iv).setAAD(Buffer.from(purpose));
      const text = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return `v1.${first.id}.${iv.toString('base64url')}.${text.toString('base64url')}`;
    },
    open(sealed, purpose) {
      const [version, id, iv = '', body = ''] = sealed.split('.');
      const named = keys.find((key) => key.id === id);
      if (version !== 'v1' || !named) throw new Error(`no key named ${id} in SECRETS_KEYS opens this value`);
      const bytes = Buffer.from(body, 'base64url');
      // Without `authTagLength`, a value whose tag was cut to four bytes would open.
      const decipher = createDecipheriv('aes-256-gcm', keyFor(named, `seal:${purpose}`), Buffer.from(iv, 'base64url'), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(Buffer.from(purpose)).setAuthTag(bytes.subarray(-TAG_BYTES));
      return Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()]).toString('utf8');
    },
    find(id) {
      if (keys.some((key) => key.id === id)) return 'here';
      return pairs.some(([name]) => name === id) ? 'lost' : 'missing';
    },
    digests: (data, purpose) => keys.map((named) => createHmac('sha256', keyFor(named, purpose)).update(data).digest()),
    derive: (purpose) => keyFor(first, purpose).export(),
  };
}

type KeySettings = { SECRETS_KEYS?: string | undefined; DATA_DIR: string };

/** Opens the node's keyring: SECRETS_KEYS, or the sandbox's key in DATA_DIR, which the first start creates. */
export function openKeyring(config: KeySettings): Keyring {
  return createKeyring(readKeys(config));
}

/** Returns the path of a sandbox's key file. */
export const keyFileOf = (dataDir: string): string => join(dataDir, 'secrets.key');

/** Returns the node's keys in the format of SECRETS_KEYS. */
export function readKeys(config: KeySettings): string {
  if (config.SECRETS_KEYS) return config.SECRETS_KEYS;
  const file = keyFileOf(config.DATA_DIR);
  mkdirSync(config.DATA_DIR, { recursive: true, mode: 0o700 });
  // The key is written to a draft and linked: a crash leaves no half file, and one of two concurrent starts wins.
  const draft = `${file}.${process.pid}`;
  try {
    writeFileSync(draft, `sandbox:${randomBytes(32).toString('base64')}\n`, { mode: 0o600 });
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  const kept = readFileSync(file, 'utf8').trim();
  if (!KEY_LIST.test(kept))
    throw new CannotStart(`DATA_DIR: ${file} is damaged. Restore the file, or start again in an empty folder.`);
  return kept;
}

/** Compares two secrets in constant time. */
export function equalsSecret(a: Uint8Array | string, b: Uint8Array | string): boolean {
  const digest = (value: Uint8Array | string) => createHash('sha256').update(value).digest();
  return timingSafeEqual(digest(a), digest(b));
}
